"""A whole study goes out, everything is deleted, and it comes in again: sound, labels, verdicts, and every figure."""

import random
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from analytics.data.label_arrays import Reading
from analytics.data.labels import campaign_labels, imported_labels
from analytics.reports.kinds import KINDS
from analytics.reports.output.encoding import encoded
from analytics.study_imports.reasons import DATASET_TAKEN
from analytics.study_imports.uploads import CHECK
from annotation.assignment.seat_counts import repair_counts
from annotation.models import Annotation, Answer, Assignment
from annotation.review.exclusions import Decider, exclude_answers
from arena.models import Draw
from arena.standings.choices import Settings
from arena.standings.refresh import rebuild
from campaigns.launch.lifecycle import create_campaign, restore_campaign
from campaigns.models import Campaign, Criterion, FrozenCriterion
from campaigns.rubrics.progress import freeze_rubric
from campaigns.rubrics.reviewing import decide
from corpus.datasets.units import slots_of
from corpus.imports.files.studies import ABOUT, ITEMS, PROTOCOL
from corpus.models import Clip, Dataset, Import, ImportedAnnotation, LabelSet, Response, ResponseTurn, System, Turn
from infrastructure.background.kinds import kind_of
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from judges.models import Verdict, VerdictAnswer
from protocols import SHIPPED, Listening, for_item, questions
from protocols.judging import as_judged
from tests.analytics.exporting.exported import board_at_one_look, written
from tests.analytics.exporting.test_round_trip import answered_campaign
from tests.analytics.reports.shown import figures_of, rows_of
from tests.analytics.saying import make_run
from tests.annotation.test_every_protocol import FACTS, ORDERS
from tests.campaigns.rubrics import drafted, rubric_campaign
from tests.cases import each
from tests.factories import ClipFactory, DatasetFactory, UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db

VALUES = ("a", "b", "both_good", "both_bad")
SYSTEMS = ("Xylophagous", "Quokkawise", "Zephyrine")
#: In these orders and samples a judge was asked.
ASKED = (("ab", 0), ("ba", 0), ("ab", 1))


def sound(n: int) -> bytes:
    file = BytesIO()
    tone = 0.2 * np.sin(2 * np.pi * (100 + 7 * n) * np.arange(8_000) / 16_000)
    soundfile.write(file, tone.astype(np.float32), 16_000, format="WAV")
    return file.getvalue()


def clip(n: int) -> Clip:
    row = ClipFactory(seconds=0.5)
    row.path.parent.mkdir(parents=True, exist_ok=True)
    row.path.write_bytes(sound(n))
    return row


def make_study() -> Campaign:
    """Three systems on six items with sound, every pair; four people in any order, two judges."""
    rng, dataset = random.Random(8), DatasetFactory()
    systems = [System.objects.create(dataset=dataset, name=name) for name in SYSTEMS]
    clips, units = (clip(n) for n in range(100)), []
    for n in range(6):
        item = dataset.items.create(key=f"item {n}", category="song" if n % 2 else "talk")
        Turn.objects.create(item=item, position=1, text=f"Say {n}", clip=next(clips))
        said = [Response.objects.create(item=item, system=it, key=f"take of {it.name}") for it in systems]
        for response in said:
            ResponseTurn.objects.create(response=response, position=1, text="Said", clip=next(clips))
        units += [
            dataset.units.create(item=item, key=f"{n}/{a.system}/{b.system}", a=a, b=b)
            for a, b in combinations(said, 2)
        ]
    protocol = replace(
        SHIPPED["blind_overall"], name="ours", version="7", listening=Listening("none"), ask_confidence=True
    )
    campaign = create_campaign(dataset, title="Which one?", protocol=protocol, units=units, user=dataset.created_by)
    Campaign.objects.update(status="open")
    answer_by_chance(campaign, rng)
    make_run(campaign, title="Abandoned").delete()  # the numbers of rows are others where the study comes in
    judge_by_chance(campaign, rng, title="Careful", asked=ASKED, samples=2, orders="both")
    judge_by_chance(campaign, rng, title="Hasty", asked=ASKED[:1], samples=1, orders="ab")
    return Campaign.objects.get()


def answer_by_chance(campaign: Campaign, rng: random.Random) -> None:
    """Nearly everybody answers nearly everything in turn; some answers are left out, and one pair was drawn."""
    people = [make_member(campaign) for _ in range(4)]
    wanted = [(person, unit) for person in people for unit in campaign.campaign_units.all() if rng.random() < 0.85]
    rng.shuffle(wanted)
    for n, (person, unit) in enumerate(wanted):
        now = timezone.now()
        assignment = Assignment.objects.create(
            campaign=campaign, campaign_unit=unit, annotator=person, order=rng.choice(("ab", "ba")), seat=n + 1,
            status="answered", reserved_at=now, shown_at=now, expires_at=now,
        )  # fmt: skip
        row = Annotation.objects.create(
            assignment=assignment, shown_at=now, idempotency_key="k", confidence=n % 3 + 1
        )
        Answer.objects.create(annotation=row, aspect="overall", value=rng.choice(VALUES))
    repair_counts(campaign)
    exclude_answers(Assignment.objects.order_by("seat")[3:6], reason="speed", decider=Decider(rule="too fast"))
    drawn = Assignment.objects.get(seat=1)
    pair = drawn.campaign_unit.unit
    Draw.objects.create(
        assignment=drawn, campaign=campaign, item=pair.item, one=pair.a.system, other=pair.b.system, forth=True,
        propensity=0.25, rule="uniform", version="1",
    )  # fmt: skip


def judge_by_chance(
    campaign: Campaign, rng: random.Random, *, title: str, asked: Any, samples: int, orders: str
) -> None:
    run = make_run(campaign, title=title, samples=samples, orders=orders)
    for unit in campaign.campaign_units.all():
        for order, sample in asked:
            status = rng.choice(("ok", "ok", "ok", "ok", "repaired", "unparsed"))
            row = Verdict.objects.create(
                run=run, unit=unit.unit, order=order, sample=sample, status=status, judged_at=timezone.now()
            )
            if status != "unparsed":
                VerdictAnswer.objects.create(verdict=row, aspect="overall", value=rng.choice(VALUES))


# -- what is compared ----------------------------------------------------------------------------------------------


def numbers(value: Any) -> Iterator[float | int | bool | None]:
    """Every number of a report in its order, whatever is named beside it."""
    if isinstance(value, dict):
        value = [it for name, it in value.items() if name not in ("href", "args")]  # rows have other numbers there
    if isinstance(value, list):
        for it in value:
            yield from numbers(it)
    elif not isinstance(value, str):
        yield value


def figures(campaign: Campaign, kind: str, reading: Reading = Reading(), **options: str) -> dict[str, list[Any]]:  # noqa: B008
    found = figures_of(KINDS[kind], campaign, reading, **options)
    titles = {str(run.pk): run.judge.title.partition(",")[0] for run in campaign.runs.all()}  # imports add to a title

    def titled(key: str) -> str:
        """A figure by its judge's title: the numbers of rows are others where a study came in."""
        about, _, pk = key.rpartition("-")
        return f"{about} {titles[pk]}" if pk in titles else key.replace("labels-people", "people")

    return {titled(key): list(numbers(encoded(it))) for key, it in found.items()}


READINGS = {"used": Reading(), "turned, with what was left out": Reading(order="ba", with_excluded=True)}
BOARDS = ({}, {"ties": "davidson"}, {"method": "elo", "excluded": True}, {"category": "song", "errors": "bootstrap"})


def reports_of(campaign: Campaign, people: str) -> dict[str, Any]:
    """α, κ, rates, ranks and ratings: of people, of judges against them, under several readings."""
    found: dict[str, Any] = {}
    for name, reading in READINGS.items():
        found[f"agreement, {name}"] = figures(campaign, "agreement", reading, labels=people)
        found[f"judges, {name}"] = figures(campaign, "judges", reading, reference=people)
        found[f"systems, {name}"] = figures(campaign, "systems", reading, reference=people)
    found["everybody"] = figures(campaign, "agreement", labels="everybody", over="items")
    for report in found.values():
        report.pop("spending", None)  # what verdicts cost stays where they were paid
    return found


def boards_of(subject: Campaign | LabelSet, by: str = "") -> list[Any]:
    return [rebuild(subject, Settings("overall", by=by, **board)).table for board in BOARDS]


def empty() -> None:
    """Delete every row. PostgreSQL empties no table about which it has still to check something."""
    connection.check_constraints()
    call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def exported(media_root: Path, tmp_path: Path) -> tuple[Path, dict[str, Any], list[Any]]:
    """A study as a file, with its figures and boards; then everything that there was is deleted."""
    campaign = make_study()
    path = written(campaign, "hugging-face", tmp_path, more=("excluded",), text=True)
    reports, boards = reports_of(campaign, "people"), boards_of(campaign)
    empty()
    shutil.rmtree(media_root)
    assert not Campaign.objects.exists()
    return path, reports, boards


def test_study_comes_into_an_empty_installation_with_every_figure(
    exported: tuple[Path, dict[str, Any], list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    path, reports, boards = exported
    user = UserFactory(is_researcher=True)

    call_command("import_study", path, dataset="Moved", user=user.username)

    campaign = Campaign.objects.get()
    assert (campaign.title, campaign.status, campaign.created_by) == ("Which one?", "closed", user)
    assert (campaign.protocol.name, campaign.protocol.version) == ("ours", "7")
    again = reports_of(campaign, "labels-People")
    for name, report in reports.items():
        assert again[name] == report, name
    assert boards_of(LabelSet.objects.filter(name="People").first(), by="all") == boards
    assert sorted(it.path.read_bytes() for it in Clip.objects.all()) == sorted(sound(n) for n in range(24))
    assert Turn.objects.get(item__key="item 0").clip.path.read_bytes() == sound(0)
    told = ImportedAnnotation.objects.exclude(excluded="").values_list("excluded", "given__excluded_by")
    assert set(told) == {("speed", "rule")}
    assert set(ImportedAnnotation.objects.values_list("given__confidence", flat=True)) == {1, 2, 3}
    assert ImportedAnnotation.objects.get(given__propensity__isnull=False).given["propensity"] == 0.25
    judges = [run.judge.settings for run in campaign.runs.order_by("pk")]
    assert [(it["judge"], it["judge_version"]) for it in judges] == [("Careful", "random 1"), ("Hasty", "random 1")]


# -- tables alone --------------------------------------------------------------------------------------------------


def reports_in(campaign: Campaign, people: str, form: str) -> dict[str, Any]:
    """Those that a table of this form carries: TRACE has people alone, in no order; preferences have winners."""
    if form == "preferences":
        return {"winners": winners_of(campaign, people), "verdicts": decided_verdicts(campaign)}
    if form == "trace":
        return {"agreement": figures(campaign, "agreement", labels=people)}
    return reports_of(campaign, people)


def winners_of(campaign: Campaign, people: str) -> list[Any]:
    """How far people agree where both name a winner."""
    rows = rows_of(figures_of(KINDS["agreement"], campaign, labels=people)["percent"])
    return [(it["winners"].estimate, it["winners"].n, it["winners"].interval) for it in rows]


def decided_verdicts(campaign: Campaign) -> list[Any]:
    """By judge, unit, order and sample: which response was found better."""
    told = ("verdict__run__judge__title", "verdict__unit__key", "verdict__order", "verdict__sample", "value")
    found = VerdictAnswer.objects.filter(verdict__run__campaign=campaign, value__in="ab").values_list(*told)
    return sorted((title.partition(",")[0], *rest) for title, *rest in found)


def rated(subject: Campaign | LabelSet, form: str, by: str = "") -> Any:
    """Every way to rate, ends of intervals included; of preferences by those votes that name a winner."""
    boards = BOARDS if form not in ("trace", "preferences") else tuple(it for it in BOARDS if not it.get("excluded"))
    if form == "preferences":
        boards = tuple(it | {"ties": "decisive"} for it in boards)
    ways = [Settings("overall", by=by, **board) for board in boards]
    if isinstance(subject, Campaign) and form in ("trace", "battles", "preferences"):  # they do not name the campaign
        return [board_at_one_look(subject, way)["islands"] for way in ways]
    return [rebuild(subject, way).table["islands"] for way in ways]


@each("form", ["csv", "jsonl", "parquet", "trace", "battles", "preferences"], undo=True)
def test_every_table_comes_into_an_empty_installation_to_the_same_numbers(
    media_root: Path, tmp_path: Path, form: str
) -> None:
    """Whatever order its units are asked about in there, to the ends of every interval."""
    campaign = make_study()
    file = written(campaign, form, tmp_path, more=("excluded",), judges=True)
    ours = reports_in(campaign, "people", form), rated(campaign, form)
    empty()
    user = UserFactory(is_researcher=True)

    call_command("import_dataset", file, dataset="Moved", labels="People", without_audio=True, user=user.username)

    dataset = Dataset.objects.get()
    units = list(dataset.units.order_by("-key"))
    moved = restore_campaign(
        dataset, title="There", protocol=campaign.protocol, units=units, user=user, target_lufs=None
    )
    if form != "trace":
        call_command("import_verdicts", file, campaign=moved.slug, user=user.username)
    assert rated(LabelSet.objects.first(), form, by="all") == ours[1]
    theirs = reports_in(moved, "labels-People", form)
    for name, report in ours[0].items():
        assert theirs[name] == report, name


# -- a study through the page, of every kind, and what is refused --------------------------------------------------


def work_off() -> None:
    assert kind_of(CHECK)
    for job in Job.objects.filter(status=Job.Status.QUEUED).order_by("pk"):
        run_job_task(str(job.pk))


def test_study_goes_through_the_page(
    client: Client, tmp_path: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """No ZIP of audio and no box to tick; a name that is taken is refused; the same campaign comes out again."""
    campaign = answered_campaign("hcot_guided", "ba")
    content = written(campaign, "hugging-face", tmp_path, text=True).read_bytes()
    researcher = UserFactory(is_researcher=True)
    client.force_login(researcher)
    pages = []
    DatasetFactory(name="Taken", created_by=researcher)
    for name in ("Taken", "Moved"):
        file = SimpleUploadedFile("study.zip", content)
        with django_capture_on_commit_callbacks(execute=True):
            posted = client.post(reverse("import-new"), {"dataset_name": name, "manifest": file})
        work_off()
        pages.append(client.get(posted["Location"]).content.decode())
    row = Import.objects.get(dataset_name="Moved")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("import-confirm", args=[row.pk]))
    work_off()

    page = client.get(row.get_absolute_url()).content.decode()
    moved = Campaign.objects.get(dataset__name="Moved")
    assert DATASET_TAKEN() in pages[0]
    assert "Annotators</dt><dd>2" in pages[1]
    assert moved.get_absolute_url() in page
    assert not row.folder.exists()
    assert moved.protocol_digest == campaign.protocol_digest
    ours, theirs = campaign_labels(campaign), imported_labels(*moved.dataset.label_sets.all())
    for one, other in zip(ours, theirs, strict=True):
        assert replace(one, unit=other.unit) == other


@pytest.mark.parametrize("protocol", ["dubbing", "acr", "arena"])
def test_units_of_every_kind_come_in_with_their_responses_and_verdicts(tmp_path: Path, protocol: str) -> None:
    campaign = answered_campaign(protocol, ORDERS[SHIPPED[protocol].unit][0])
    run, unit = make_run(campaign, orders="both"), campaign.campaign_units.first().unit
    slots = "".join(slots_of(unit))
    verdict = Verdict.objects.create(run=run, unit=unit, order=slots, status="ok", judged_at=timezone.now())
    asked = questions(for_item(as_judged(campaign.protocol), FACTS), len(slots))
    said = {(it.aspect, slots[it.response - 1] if it.response else ""): it for it in asked}
    VerdictAnswer.objects.bulk_create(
        VerdictAnswer(
            verdict=verdict, aspect=aspect, slot=slot,
            value="Because" if it.kind.is_written else it.kind.stored(it.options[0].value, slots),
        )
        for (aspect, slot), it in said.items()
    )  # fmt: skip

    call_command("import_study", written(campaign, "hugging-face", tmp_path, text=True), dataset="Moved",
                 user=campaign.created_by.username)  # fmt: skip

    moved = Campaign.objects.get(dataset__name="Moved")
    again = Verdict.objects.get(run__campaign=moved)
    assert again.run.orders == "both"
    columns = ("aspect", "slot", "value")
    assert [*again.answers.order_by("pk").values_list(*columns)] == [
        *verdict.answers.order_by("pk").values_list(*columns)
    ]
    for ours, theirs in zip(campaign.campaign_units.all(), moved.campaign_units.all(), strict=True):
        assert (ours.unit.key, ours.unit.item.facts) == (theirs.unit.key, theirs.unit.item.facts)
        assert [*slots_of(ours.unit)] == [*slots_of(theirs.unit)]


def test_criteria_come_in_as_they_were_frozen(tmp_path: Path) -> None:
    campaign = rubric_campaign(units=1)
    owner = campaign.created_by
    for row, verb in zip(drafted(campaign, texts=("A?", "B?", "C?")), ("accept", "drop", "accept"), strict=True):
        decide(campaign, row.pk, verb, by=owner)
    freeze_rubric(campaign)
    file = written(campaign, "hugging-face", tmp_path)

    call_command("import_study", file, dataset="Moved", user=owner.username)

    moved = FrozenCriterion.objects.filter(rubric__campaign__dataset__name="Moved")
    assert list(moved.values_list("number", "text")) == [(1, "A?"), (3, "C?")]
    assert Criterion.objects.filter(item__dataset__name="Moved").count() == 2


@each(
    "change, said",
    [
        ({PROTOCOL: None}, "protocol.yaml is missing"),
        ({ABOUT: b'{"format": 2}'}, "not of form 1"),
        ({ABOUT: b'{"format": 1, "protocol_digest": "other"}'}, "is not what was asked"),
        ({ITEMS: b"PAR1"}, "is not Parquet"),
    ],
    undo=True,
)
def test_study_that_was_changed_is_refused(tmp_path: Path, change: dict[str, bytes | None], said: str) -> None:
    campaign = answered_campaign("hcot", "ab")
    whole, half = written(campaign, "hugging-face", tmp_path), tmp_path / "half.zip"
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(half, "w") as changed:
        for name in archive.namelist():
            if (content := change.get(name, archive.read(name))) is not None:
                changed.writestr(name, content)

    with pytest.raises(CommandError, match=said):
        call_command("import_study", half, dataset="Moved", user=campaign.created_by.username)

    assert Campaign.objects.count() == 1


def test_nothing_is_written_where_the_last_part_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(units=1)
    file = written(campaign, "hugging-face", tmp_path)
    monkeypatch.setattr("analytics.study_imports.writing.restore_campaign", lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        call_command("import_study", file, dataset="Moved", user=campaign.created_by.username)

    assert list(Dataset.objects.all()) == [campaign.dataset]
