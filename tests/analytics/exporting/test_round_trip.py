"""Each shipped protocol from the click to the table, in again, and out once more: not a byte differs."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.models import User
from analytics.data.labels import campaign_labels, imported_labels
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import Annotation, Assignment, ListeningLog
from arena.models import Draw
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, CampaignUnit, Criterion, Role
from campaigns.rubrics.progress import freeze_rubric
from campaigns.rubrics.reviewing import decide
from campaigns.rubrics.tables import criteria_lines, read_criteria, take_criteria
from corpus.datasets.units import imported_pairs, pairs_of_systems, single_responses, whole_items
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset, Import, ImportedAnnotation, Label, LabelSet, Unit, UnitMember
from infrastructure.files.csv_files import csv_line, plain
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from protocols import SHIPPED, digest, for_item, to_document
from tests.annotation.test_every_protocol import CASES, FACTS, ORDERS, clicks
from tests.campaigns.rubrics import drafted, rubric_campaign
from tests.factories import UserFactory, make_assignment, make_campaign, make_member, make_unit

pytestmark = pytest.mark.django_db

NASTY = ('=1+1 and "so" on, 2 < 3', "'=not a formula\r\non two lines\rand a third", "@'\t“ü” 😀\n-", "-3", "a")
KEPT = (LabelSet, ImportedAnnotation, Label, Unit, UnitMember, Dataset)


def say(assignment: Assignment, *, seed: int, **notes: str) -> Annotation:
    """Answer at random, in words that a spreadsheet and a file of lines can trip over."""
    order = assignment.order
    protocol = for_item(assignment.campaign.protocol, FACTS)
    clicked = clicks(protocol, len(order), seed)
    written = {aspect.name for aspect in protocol.aspects if aspect.scale.kind.is_written} & clicked.keys()
    clicked |= dict.fromkeys(written, NASTY[seed % len(NASTY)])
    return record_answers(
        assignment.pk,
        annotator=assignment.annotator,
        clicked=clicked | {f"note.{name}": value for name, value in notes.items()},
        idempotency_key=f"{seed}",
        language="en",
    )


def answered_campaign(name: str, order: str) -> Campaign:
    """Two annotators on two units: one flags, marks, is sure, listens, and changes an answer; one pair was drawn."""
    campaign = make_campaign(protocol=name, units=2, facts=FACTS, answers_per_unit=2)
    campaign.protocol_document = to_document(replace(campaign.protocol, ask_confidence=True))
    campaign.protocol_digest = digest(campaign.protocol_document)
    campaign.save()
    campaign = Campaign.objects.get(pk=campaign.pk)
    ann, bob = make_member(campaign), make_member(campaign)
    first, second = campaign.campaign_units.all()
    held = make_assignment(campaign, ann, order=order, campaign_unit=first)
    if first.unit.kind == "pair":
        systems = {"one": first.unit.a.system, "other": first.unit.b.system}
        drawn = {"forth": True, "propensity": 1 / 3, "rule": "uniform", "version": "1"}
        Draw.objects.create(assignment=held, campaign=campaign, item=first.unit.item, **systems, **drawn)
    log = {"1-1": {"ranges": [[0, 1 / 3]], "plays": 2}, "0-1": {"ranges": [[0, 1]], "plays": 1}}
    ListeningLog.objects.create(assignment=held, clips=log, played_s=4 / 3, switches=1, hidden_s=0.25)
    marks = [
        {"clip": "1-1", "start": 0.25, "end": 0.5, "kind": "glitch"},
        {"clip": "0-1", "start": 0, "end": 1, "kind": "other"},
    ]
    say(held, seed=0, confidence="3", flag="'+ Hear this,\r\n“again”", marks=json.dumps(marks))
    say(make_assignment(campaign, bob, order=order[::-1], campaign_unit=first, seat=2), seed=1, confidence="1")
    say(make_assignment(campaign, ann, order=order, campaign_unit=second), seed=2)
    say(make_assignment(campaign, bob, order=order, campaign_unit=second, seat=2), seed=3)
    say(take_back(campaign, ann), seed=4)
    return campaign


@pytest.fixture
def bring_in(tmp_path: Path) -> Callable[..., Dataset]:
    """A function: check a file, against which nothing is to be said, and write it."""

    def import_file(content: str, dataset: str, user: User, *, labels: str = "Again", warnings: int = 0) -> Dataset:
        file = tmp_path / "upload"
        file.write_bytes(content.encode())
        checked = check_upload(file, None, dataset_name=dataset, label_set_name=labels, progress=quiet)
        assert checked.errors == []
        assert checked.report()["warnings"] == warnings
        return write_checked(checked, None, Destination(dataset, labels, user), progress=quiet)

    return import_file


@pytest.fixture
def fresh_copy(bring_in: Callable[..., Dataset]) -> Callable[..., Dataset]:
    """A function: a dataset into which the same items and responses were imported, last ones first, and no units."""

    def import_responses(dataset: Dataset, name: str = "Fresh") -> Dataset:
        rows = []
        for item in dataset.items.order_by("-pk"):
            facts = item.facts | {"criteria": "|".join(item.facts.get("criteria", []))}
            said = {"item": item.key, "category": item.category, "prompt_text": item.turns.get().text} | facts
            for response in item.responses.order_by("-pk"):
                rows.append(said | {"system": response.system.name, "take": response.key})
        return bring_in(json.dumps(rows), name, dataset.created_by)

    return import_responses


@pytest.fixture
def download(client: Client) -> Callable[..., str]:
    """A function: the table as it is downloaded, of a campaign or of all raters of an imported name."""

    def get(source: Campaign | Dataset, name: str = "Again") -> str:
        client.force_login(User.objects.filter(is_superuser=True).first() or UserFactory(is_superuser=True))
        if isinstance(source, Campaign):
            return client.get(reverse("campaign-tidy", args=[source.slug])).getvalue().decode()
        labels = source.label_sets.filter(name=name).first()
        return client.get(reverse("label-set-all-raters", args=[labels.pk])).getvalue().decode()

    return get


def quiet(done: int, total: int, note: str) -> None:
    pass


def kept() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in KEPT}


Table = Callable[..., str]
BringIn = Callable[..., Dataset]
FreshCopy = Callable[..., Dataset]


# -- out, in, and out again ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "order"), CASES)
def test_answers_come_out_of_both_datasets_as_they_went_in(
    download: Table, bring_in: BringIn, fresh_copy: FreshCopy, name: str, order: str
) -> None:
    campaign = answered_campaign(name, order)
    table = download(campaign)
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert {row["revision"] for row in rows} == {"1", "2"}
    assert len({(row["annotator"], row["unit"]) for row in rows}) == 4
    drawn = {(row["annotator"], row["unit"]): row["propensity"] for row in rows}
    assert sorted(drawn.values()) == ["", "", "", str(1 / 3) if SHIPPED[name].unit == "pair" else ""]

    same = bring_in(table, campaign.dataset.name, campaign.created_by)
    fresh = bring_in(table, fresh_copy(campaign.dataset).name, campaign.created_by)

    assert download(same) == table
    assert download(fresh) == table
    assert fresh != same


@pytest.mark.parametrize(("name", "order"), CASES)
def test_what_is_imported_is_what_was_stored(bring_in: BringIn, download: Table, name: str, order: str) -> None:
    """Not only the same text: the same labels, marks and listening of the same units, for whoever counts them."""
    campaign = answered_campaign(name, order)

    dataset = bring_in(download(campaign), campaign.dataset.name, campaign.created_by)

    found = list(imported_labels(*dataset.label_sets.all()))
    assert found == list(campaign_labels(campaign))


@pytest.mark.parametrize("name", ["hcot", "dubbing", "p835"])
def test_importing_twice_changes_nothing(
    bring_in: BringIn, fresh_copy: FreshCopy, download: Table, name: str
) -> None:
    campaign = answered_campaign(name, ORDERS[SHIPPED[name].unit][0])
    table, fresh = download(campaign), fresh_copy(campaign.dataset)
    bring_in(table, fresh.name, campaign.created_by)
    rows = [list(model.objects.order_by("pk").values()) for model in KEPT]

    bring_in(table, fresh.name, campaign.created_by)

    assert [list(model.objects.order_by("pk").values()) for model in KEPT] == rows


def test_table_in_two_parts_gives_what_it_gives_whole(bring_in: BringIn, download: Table) -> None:
    campaign = answered_campaign("hcot", "ba")
    table = download(campaign)
    header, *lines = records(table)

    for part in (lines[:8], lines):
        dataset = bring_in(header + "".join(part), campaign.dataset.name, campaign.created_by)

    assert download(dataset) == table


def test_each_label_set_has_the_rows_of_its_rater(client: Client, bring_in: BringIn, download: Table) -> None:
    campaign = answered_campaign("ccr", "ba")
    table = download(campaign)
    header, *lines = records(table)

    dataset = bring_in(table, campaign.dataset.name, campaign.created_by)

    raters = campaign.memberships.filter(role=Role.ANNOTATOR).values_list("pseudonym", flat=True)
    assert {row.rater for row in dataset.label_sets.all()} == set(raters)
    for row in dataset.label_sets.all():
        of_rater = [line for line in lines if f",{row.rater}," in line]
        assert client.get(reverse("label-set-tidy", args=[row.pk])).getvalue().decode() == header + "".join(of_rater)


@pytest.mark.parametrize(
    ("name", "units_of"), [("hcot", pairs_of_systems), ("acr", single_responses), ("dubbing", whole_items)]
)
def test_answers_come_to_the_units_that_a_new_campaign_takes(
    bring_in: BringIn, fresh_copy: FreshCopy, download: Table, name: str, units_of: Callable[[Dataset], list[Unit]]
) -> None:
    """So that in another installation people can be compared with people, unit by unit."""
    campaign = make_campaign(protocol=name, units=0)
    make_unit(campaign.dataset, "one").delete()
    unit = units_of(campaign.dataset)[0]
    of_campaign = CampaignUnit.objects.create(campaign=campaign, unit=unit, position=0)
    order = ORDERS[unit.kind][0]
    say(make_assignment(campaign, make_member(campaign), order=order, campaign_unit=of_campaign), seed=0)

    fresh = bring_in(download(campaign), fresh_copy(campaign.dataset).name, campaign.created_by)

    [answered] = fresh.units.all()
    assert answered in units_of(fresh)
    assert answered.key == unit.key


def test_pairs_that_came_with_answers_can_be_launched_again(
    bring_in: BringIn, fresh_copy: FreshCopy, download: Table
) -> None:
    campaign = answered_campaign("hcot", "ab")

    fresh = bring_in(download(campaign), fresh_copy(campaign.dataset).name, campaign.created_by)

    assert [unit.key for unit in imported_pairs(fresh)] == ["0", "1"]


def test_table_of_an_unknown_protocol_comes_in_with_a_warning(
    bring_in: BringIn, fresh_copy: FreshCopy, download: Table
) -> None:
    campaign = answered_campaign("hcot_guided", "ba")
    table = download(campaign)
    Campaign.objects.update(protocol_digest="another")

    fresh = bring_in(table, fresh_copy(campaign.dataset).name, campaign.created_by, warnings=1)

    assert download(fresh) == table


def test_labels_of_pairs_go_out_as_a_table_and_come_in_again(bring_in: BringIn, download: Table) -> None:
    pair = {"index": 0, "instruction_text": "Why?", "model_a": "alpha", "model_b": "beta", "annotator": "ann"}
    rows = [
        pair | {"label": {"overall": "tie", "content": "1"}},
        pair | {"annotator": "bob", "label": {"overall": "2"}},
    ]
    dataset = bring_in(json.dumps(rows), "Pairs", UserFactory(), labels="Release")
    table = download(dataset, "Release")

    again = bring_in(table, "Pairs", dataset.created_by)

    assert len(records(table)) == 4
    assert download(again) == table


def test_table_goes_through_the_page_and_back(
    client: Client,
    bring_in: BringIn,
    fresh_copy: FreshCopy,
    download: Table,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    """No ZIP, and no box to tick: upload, check, confirm, open the dataset, take all raters."""
    campaign = answered_campaign("arena", "ba")
    table, fresh = download(campaign), fresh_copy(campaign.dataset)
    upload = SimpleUploadedFile("answers.csv", table.encode())

    with django_capture_on_commit_callbacks(execute=True):
        posted = client.post(reverse("import-new"), {"dataset_name": fresh.name, "manifest": upload})
    work_off()
    page = client.get(posted["Location"]).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("import-confirm", args=[Import.objects.get().pk]))
    work_off()

    main = page[page.index("<main") : page.index("</main>")]
    facts = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", re.sub(r"</?span[^>]*>", "", main)))
    assert facts == {
        "Rows": "8", "Items": "2", "Systems": "2", "Responses": "4", "Units": "2 2 new", "Annotators": "2",
        "Annotations": "4 4 new",
    }  # fmt: skip
    assert Import.objects.get().status == Import.Status.IMPORTED
    dataset_page = client.get(fresh.get_absolute_url()).content.decode()
    link = re.search(r'href="([^"]+)" download>Labels of answers: all raters', dataset_page)
    assert client.get(link[1]).getvalue().decode() == table


def test_command_brings_answers_in_without_audio(
    fresh_copy: FreshCopy, download: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = answered_campaign("dubbing", "ba")
    table, fresh = download(campaign), fresh_copy(campaign.dataset)
    file = tmp_path / "answers.csv"
    file.write_bytes(table.encode())

    call_command("import_dataset", str(file), "--dataset", fresh.name, "--user", campaign.created_by.username)

    assert "Imported into dataset" in capsys.readouterr().out
    assert download(fresh, "Labels of answers") == table


# -- half a file -----------------------------------------------------------------------------------------------


# Every byte takes nine seconds; the ends of annotations, where a cut could pass, are looked at each time.
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_file_that_was_cut_off_anywhere_but_after_an_annotation_is_refused(
    download: Table, tmp_path: Path, step: int
) -> None:
    campaign = answered_campaign("arena_typed_ties", "ba")
    table = download(campaign)
    lines = records(table)
    whole = {len("".join(lines[:n]).encode()) for n in range(3, len(lines) + 1, 2)}
    content, file, before = table.encode(), tmp_path / "half", kept()

    taken = set()
    near = {end + aside for end in whole for aside in range(-3, 4)}
    for length in sorted({*range(1, len(content) + 1, step), *near} - {*range(len(content) + 1, len(content) + 4)}):
        file.write_bytes(content[:length])
        try:
            checked = check_upload(
                file, None, dataset_name=campaign.dataset.name, label_set_name="Half", progress=quiet
            )
        except UnreadableManifest:
            continue
        if not checked.errors:
            taken.add(length)

    assert taken == whole
    assert kept() == before


# -- what it costs ---------------------------------------------------------------------------------------------


@pytest.mark.databases
@pytest.mark.parametrize("name", ["hcot", "dubbing"])
def test_import_of_more_answers_costs_the_same_queries(
    bring_in: BringIn,
    fresh_copy: FreshCopy,
    download: Table,
    name: str,
) -> None:
    campaign = answered_campaign(name, "ab")
    table = download(campaign)
    header, *lines = records(table)
    few = header + "".join(lines[: len(lines) // 4])
    user, counted = campaign.created_by, []
    for part in (few, table):
        fresh = fresh_copy(campaign.dataset, f"Fresh {len(part)}")
        with CaptureQueriesContext(connection) as queries:
            bring_in(part, fresh.name, user)
        counted.append(len(queries))

    assert counted[0] == counted[1]
    assert counted[0] < 40


def records(table: str) -> list[str]:
    """The lines of the table, each with its end; a quoted cell may hold line ends of its own."""
    return [csv_line(plain(cell) for cell in cells) for cells in csv.reader(io.StringIO(table, newline=""))]


def work_off() -> None:
    for job in Job.objects.filter(status=Job.Status.QUEUED):
        run_job_task(str(job.pk))


def test_answers_to_criteria_keep_their_names_when_others_were_dropped(
    download: Table, bring_in: BringIn, fresh_copy: FreshCopy
) -> None:
    """In the same dataset by what the campaign froze, in another by the criteria that were brought there."""
    campaign = rubric_campaign(units=1)
    owner = campaign.created_by
    for row, verb in zip(drafted(campaign, texts=("A?", "B?", "C?")), ("accept", "drop", "accept"), strict=True):
        decide(campaign, row.pk, verb, by=owner)
    freeze_rubric(campaign)
    Campaign.objects.update(status="open")
    assignment = make_assignment(campaign, make_member(campaign), order="a")
    plain = {"intelligible": "yes", "on_topic": "no", "well_formed": "yes", "remembers": "no", "consistent": "yes"}
    clicked = plain | {"item_1": "yes", "item_3": "no"}
    record_answers(assignment.pk, annotator=assignment.annotator, clicked=clicked, idempotency_key="k")
    table = download(Campaign.objects.get())
    elsewhere = fresh_copy(campaign.dataset)
    there = create_campaign(
        elsewhere, title="There", protocol=campaign.protocol, units=single_responses(elsewhere), user=owner
    )
    take_criteria(there, read_criteria("".join(criteria_lines(campaign))), by=owner, reviewed=True)
    Criterion.objects.filter(item__dataset=campaign.dataset).update(state="dropped")  # the frozen ones count

    same = bring_in(table, campaign.dataset.name, owner)
    fresh = bring_in(table, elsewhere.name, owner)

    answers = {row["aspect"]: row["value"] for row in csv.DictReader(io.StringIO(table))}
    assert answers == clicked
    assert download(same) == download(fresh) == table
