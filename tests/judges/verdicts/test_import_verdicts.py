"""Tables of verdicts in, and the traps that such tables have."""

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection

from analytics.data.label_arrays import stamp_of
from campaigns.models import Campaign, Role
from corpus.models import System
from infrastructure.background.jobs import JobTaken
from infrastructure.models import Job
from judges.imported import writing
from judges.imported.columns import Columns, UnusableColumns, find_columns
from judges.imported.plan import VerdictsPlan, plan_verdicts
from judges.imported.uploads import (
    CHECKING,
    READING,
    ImportRefused,
    Options,
    begin_verdict_import,
    cancel_verdict_import,
    import_verdicts_of,
)
from judges.imported.writing import VerdictsRefused, stage_verdicts, units_by_key, write_verdicts
from judges.models import Judge, Run, Verdict, VerdictAnswer, VerdictImport
from protocols import SHIPPED
from tests.cases import each
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.databases

UNITS = {"0": {"a": "Xylo", "b": "Quokka"}, "1": {"a": "Xylo", "b": "Quokka"}}
HEADER = ("item_id", "judge", "aspect", "n_shots", "order", "verdict")


def table(*lines: str, header: tuple[str, ...] = HEADER) -> list[tuple[int, dict[str, str]]]:
    return [(n, dict(zip(header, line.split(","), strict=True))) for n, line in enumerate(lines, start=1)]


def columns_of(rows: list[tuple[int, dict[str, str]]], **options: object) -> Columns:
    return find_columns(rows, **({"named": {}, "settings": (), "judge": "", "order": ""} | options))  # type: ignore[arg-type]


def planned(*lines: str, protocol: str = "hcot", header: tuple[str, ...] = HEADER, **options: object) -> VerdictsPlan:
    rows = table(*lines, header=header)
    return plan_verdicts(rows, columns_of(rows, **options), protocol=SHIPPED[protocol], units=UNITS)


def problems(plan: VerdictsPlan) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.field) for problem in plan.problems]


def test_verdicts_by_place_are_turned_back_into_the_stored_frame() -> None:
    plan = planned("0,m,overall,0,AB,1", "0,m,overall,0,BA,1", "1,m,overall,0,BA,both_bad")

    said = plan.judges["m", (("n_shots", "0"),), None]
    assert {key: it.answers["overall", ""] for key, it in said.items()} == {
        ("0", "ab", 0): "a",
        ("0", "ba", 0): "b",
        ("1", "ba", 0): "both_bad",
    }
    assert [it.raw for it in said.values()] == [{"overall": "1"}, {"overall": "1"}, {"overall": "both_bad"}]


def test_the_aspects_of_a_unit_in_one_order_are_one_verdict_and_other_settings_another_judge() -> None:
    plan = planned("0,m,overall,0,AB,1", "0,m,content,0,AB,2", "0,m,overall,4,AB,2")

    assert {key: len(verdicts) for key, verdicts in plan.judges.items()} == {
        ("m", (("n_shots", "0"),), None): 1,
        ("m", (("n_shots", "4"),), None): 1,
    }


def test_an_empty_verdict_is_missing_and_never_a_tie() -> None:
    plan = planned("0,m,overall,0,AB,", "0,m,content,0,AB,1", "1,m,overall,0,AB,")

    first, second = plan.judges["m", (("n_shots", "0"),), None].values()
    assert (first.status, first.answers, first.missing) == ("ok", {("content", ""): "a"}, {"overall": "unparsed"})
    assert (second.status, second.answers) == ("unparsed", {})


def test_a_status_of_the_table_is_kept() -> None:
    header = (*HEADER, "status", "reasoning")
    plan = planned("0,m,overall,0,AB,,refused,", "1,m,overall,0,AB,2,repaired,It whispers", header=header)

    first, second = plan.judges["m", (("n_shots", "0"),), None].values()
    assert (first.status, second.status, second.reasoning) == ("refused", "repaired", {"overall": "It whispers"})


@each(
    "line, field",
    [
        ("0,m,overall,0,AC,1", "order"),
        ("0,m,overall,0,,1", "order"),
        ("0,m,overall,0,AB,tie", "value"),
        ("0,m,overall,0,AB,A", "value"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused_with_its_number(line: str, field: str) -> None:
    assert problems(planned("1,m,overall,0,AB,2", line)) == [(2, field)]


@each("sample", ["1000", "99999999999999999999", "-1", "1.5", "٣"])
def test_sample_is_a_small_whole_number(sample: str) -> None:
    assert problems(planned(f"0,m,overall,0,AB,2,{sample}", header=(*HEADER, "sample"))) == [(1, "sample")]


def test_a_row_that_names_other_systems_than_the_unit_is_refused() -> None:
    header = (*HEADER, "system_a", "system_b")

    plan = planned("0,m,overall,0,AB,1,Xylo,Quokka", "1,m,overall,0,AB,1,Quokka,Xylo", header=header)

    assert problems(plan) == [(2, "system_a")]


PLACED = ("item_id", "judge", "verdict", "model_a", "model_b")


def test_a_table_that_names_the_systems_as_they_were_heard_says_how_to_read_it() -> None:
    lines = ("0,m,1,Quokka,Xylo", "1,m,2,Quokka,Xylo")

    first, *others = planned(*lines, header=PLACED, order="ba").problems
    mended = planned(*lines, header=PLACED, order="ba", named={"system_a": "model_b", "system_b": "model_a"})

    assert (first.row, first.message) == (
        None,
        "2 of 2 rows name the systems the other way round than the units do. If model_a is the system that was heard "
        "first, and not the unit's a, write the columns system_a = model_b and system_b = model_a, with the order "
        "turned (b first) for the whole table.",
    )
    assert [problem.row for problem in others] == [1, 2]
    assert not mended.problems
    assert [it.answers["overall", ""] for it in mended.judges["m", (), None].values()] == ["b", "a"]


def test_order_of_each_row_is_not_turned_by_naming_the_systems_the_other_way_round() -> None:
    plan = planned("0,m,overall,0,AB,1,Quokka,Xylo", header=(*HEADER, "system_a", "system_b"))

    assert "see that the order of each row is about the units' a and b" in plan.problems[0].message


def test_the_same_answer_twice_is_refused() -> None:
    assert problems(planned("0,m,overall,0,AB,1", "0,m,overall,0,AB,1")) == [(2, "aspect")]


def test_rows_about_other_units_and_aspects_are_left_out_and_counted() -> None:
    plan = planned("0,m,overall,0,AB,1", "7,m,overall,0,AB,1", "0,m,charm,0,AB,1")

    assert [problem.message for problem in plan.problems] == [
        "1 rows are about another unit than this campaign has (7): left out.",
        "1 rows are about another aspect than this campaign has (charm): left out.",
    ]
    assert (plan.errors, plan.n_verdicts) == ([], 1)


def test_a_table_of_which_nothing_fits_is_refused() -> None:
    assert [problem.field for problem in planned("7,m,overall,0,AB,1").errors] == ["unit"]


@each(
    "header, line, options, message",
    [
        (("item_id", "judge", "order"), "0,m,AB", {}, "No column says what the value is"),
        (("item_id", "order", "verdict"), "0,AB,1", {}, "Name the judge"),
        (("item_id", "judge", "verdict"), "0,m,1", {}, "in which order"),
        (HEADER, "0,m,overall,0,AB,1", {"named": {"unit": "nowhere"}}, "no column 'nowhere'"),
        (HEADER, "0,m,overall,0,AB,1", {"named": {"colour": "order"}}, "is none of"),
        (HEADER, "0,m,overall,0,AB,1", {"settings": ("shots",)}, "no column 'shots'"),
    ],
)
def test_columns_that_are_missing_are_named(
    header: tuple[str, ...], line: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UnusableColumns, match=message):
        columns_of(table(line, header=header), **options)


def test_judge_and_order_may_be_said_for_the_whole_table() -> None:
    plan = planned("0,2", header=("unit", "label"), judge="mine", order="ba")

    assert plan.judges["mine", (), None]["0", "ba", 0].answers == {("overall", ""): "a"}


@pytest.mark.django_db
class TestWriting:
    LINES = ("0,m,overall,0,AB,1", "0,m,overall,0,BA,1", "1,m,overall,0,AB,", "1,m,content,4,AB,2")

    def plan(self, campaign: Campaign, *lines: str) -> VerdictsPlan:
        rows = table(*(lines or self.LINES))
        return plan_verdicts(rows, columns_of(rows), protocol=campaign.protocol, units=units_by_key(campaign))

    def test_every_judge_gets_a_run_that_is_done(self) -> None:
        campaign = make_campaign()

        done = write_verdicts(campaign, self.plan(campaign), user=campaign.created_by)

        assert (len(done.runs), done.new, done.there) == (2, 4, 0)
        assert list(Run.objects.order_by("pk").values_list("judge__title", "orders", "status")) == [
            ("m, n_shots 0", "both", "done"),
            ("m, n_shots 4", "ab", "done"),
        ]
        assert [
            (row.unit.key, row.order, row.status, row.said["raw"].get("overall")) for row in Verdict.objects.all()
        ] == [
            ("0", "ab", "ok", "1"),
            ("0", "ba", "ok", "1"),
            ("1", "ab", "unparsed", ""),
            ("1", "ab", "ok", None),
        ]
        assert list(VerdictAnswer.objects.order_by("pk").values_list("aspect", "value")) == [
            ("overall", "a"),
            ("overall", "b"),
            ("content", "b"),
        ]

    def test_the_same_table_again_changes_nothing(self) -> None:
        campaign = make_campaign()
        write_verdicts(campaign, self.plan(campaign), user=campaign.created_by)
        before = list(Verdict.objects.values()), list(VerdictAnswer.objects.values())

        done = write_verdicts(campaign, self.plan(campaign), user=campaign.created_by)

        assert (done.new, done.there) == (0, 4)
        assert (list(Verdict.objects.values()), list(VerdictAnswer.objects.values())) == before
        assert (Run.objects.count(), Judge.objects.count()) == (2, 2)

    def test_another_answer_than_is_there_is_refused_and_nothing_is_written(self) -> None:
        campaign = make_campaign()
        write_verdicts(campaign, self.plan(campaign), user=campaign.created_by)

        with pytest.raises(VerdictsRefused, match="another verdict on unit 0 in order ba"):
            write_verdicts(
                campaign,
                self.plan(campaign, "1,m,overall,0,BA,1", "0,m,overall,0,BA,2"),
                user=campaign.created_by,
            )

        assert Verdict.objects.count() == 4

    def test_the_other_order_may_come_later(self) -> None:
        campaign = make_campaign()
        write_verdicts(campaign, self.plan(campaign, "0,m,overall,0,AB,1"), user=campaign.created_by)
        first = campaign.runs.get().finished_at
        write_verdicts(campaign, self.plan(campaign, "0,m,overall,0,AB,1"), user=campaign.created_by)
        assert campaign.runs.get().finished_at == first
        write_verdicts(campaign, self.plan(campaign, "0,m,overall,0,BA,2"), user=campaign.created_by)
        assert campaign.runs.get().finished_at > first  # figures of the run that were kept are those of before

        assert Run.objects.get().orders == "both"

    def test_a_plan_with_errors_is_not_written(self) -> None:
        campaign = make_campaign()

        with pytest.raises(VerdictsRefused, match="none of"):
            write_verdicts(campaign, self.plan(campaign, "0,m,overall,0,AB,9"), user=campaign.created_by)

        assert Run.objects.count() == 0


class Importing:
    """The import as the page and the API begin it."""

    def begun(self, campaign: Campaign, *lines: str, options: Options | None = None) -> VerdictImport:
        text = "\n".join([",".join(HEADER), *lines, ""])
        file = SimpleUploadedFile("verdicts.csv", text.encode())
        return begin_verdict_import(campaign, file, options=options or Options(), user=campaign.created_by)

    def worked(self, row: VerdictImport) -> VerdictImport:
        import_verdicts_of(str(row.pk), quiet)
        row.refresh_from_db()
        return row

    def stopped_by(self, error: type[Exception], row: VerdictImport) -> None:
        """The job meets `error` after the third verdict, where each is written for itself."""

        def stop(done: int, _total: int, note: str) -> None:
            if (done, note) == (3, writing.WRITING()):
                raise error

        with pytest.raises(error):
            import_verdicts_of(str(row.pk), stop)


@pytest.mark.django_db
class TestJob(Importing):
    def test_job_writes_the_runs_and_reports_what_came(self) -> None:
        campaign = make_campaign()

        row = self.worked(self.begun(campaign, *TestWriting.LINES))

        assert (row.status, row.report["new"], row.report["there"], row.report["missing"]) == ("imported", 4, 0, 1)
        assert row.report["runs"] == list(Run.objects.order_by("pk").values_list("pk", flat=True))
        assert not row.folder.exists()

    def test_nothing_is_seen_before_all_is_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign()
        row, seen = self.begun(campaign, *TestWriting.LINES), []
        monkeypatch.setattr(writing, "ROWS", 1)

        def look(done: int, _total: int, _note: str) -> None:
            seen.append((Run.objects.count(), campaign.runs.count(), Run.with_importing.count(), stamp_of(campaign)))

        import_verdicts_of(str(row.pk), look)

        assert {found[:2] for found in seen} == {(0, 0)}
        assert seen[-1][2] == 2
        assert len({found[3] for found in seen}) == 1  # nor do figures that are kept count as old
        assert (Run.objects.count(), Run.with_importing.count()) == (2, 2)

    def test_cancelled_import_leaves_nothing_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign()
        row = self.begun(campaign, *TestWriting.LINES)
        monkeypatch.setattr(writing, "ROWS", 1)

        def cancel_after_two(done: int, _total: int, note: str) -> None:
            if (done, note) == (2, writing.WRITING()):
                cancel_verdict_import(row)

        import_verdicts_of(str(row.pk), cancel_after_two)

        row.refresh_from_db()
        assert row.status == "cancelled"
        assert (Run.with_importing.count(), Verdict.objects.count()) == (0, 0)
        assert not row.folder.exists()
        with pytest.raises(ImportRefused):
            cancel_verdict_import(row)

    def test_plan_is_not_searched_for_garbage_while_it_is_written(self) -> None:
        row, frozen = self.begun(make_campaign(), *TestWriting.LINES), []

        import_verdicts_of(str(row.pk), lambda _done, _total, note: frozen.append((note, gc.get_freeze_count() > 0)))

        assert set(frozen) == {(READING(), False), (CHECKING(), False), (writing.WRITING(), True)}
        assert gc.get_freeze_count() == 0

    def test_import_that_was_killed_while_writing_begins_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign()
        row = self.begun(campaign, *TestWriting.LINES)
        monkeypatch.setattr(writing, "ROWS", 1)
        self.stopped_by(JobTaken, row)
        assert Verdict.objects.count() == 3

        assert self.worked(row).status == "imported"
        assert (Run.with_importing.count(), Verdict.objects.count(), VerdictAnswer.objects.count()) == (2, 4, 3)

    def test_import_that_was_killed_while_completing_goes_on(self) -> None:
        campaign = make_campaign()
        self.worked(self.begun(campaign, "0,m,overall,0,AB,1"))
        row = self.begun(campaign, "0,m,overall,0,AB,1", "0,m,overall,0,BA,2", "1,m,overall,0,BA,2")
        plan = TestWriting().plan(campaign, "0,m,overall,0,AB,1", "0,m,overall,0,BA,2", "1,m,overall,0,BA,2")
        stage_verdicts(campaign, plan, user=campaign.created_by, verdict_import=row)
        VerdictImport.objects.filter(pk=row.pk).update(status="completing", report={"new": 2, "there": 1})
        Verdict.objects.filter(pk=Verdict.objects.last().pk).update(run=Run.objects.get())  # moved before the kill

        assert self.worked(row).status == "imported"
        assert (Run.with_importing.count(), Run.objects.get().verdicts.count()) == (1, 3)

    def test_import_that_was_cancelled_while_its_worker_was_gone_leaves_nothing_behind(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        campaign = make_campaign()
        row = self.begun(campaign, *TestWriting.LINES)
        monkeypatch.setattr(writing, "ROWS", 1)
        self.stopped_by(JobTaken, row)
        cancel_verdict_import(row)

        assert self.worked(row).status == "cancelled"
        assert (Run.with_importing.count(), Verdict.objects.count(), row.folder.exists()) == (0, 0, False)

    def test_next_import_takes_away_what_a_cancelled_one_left_whose_job_is_over(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        campaign = make_campaign()
        row = self.begun(campaign, *TestWriting.LINES)
        monkeypatch.setattr(writing, "ROWS", 1)
        self.stopped_by(JobTaken, row)
        cancel_verdict_import(row)
        Job.objects.update(status=Job.Status.FAILED)

        self.begun(campaign, "0,m,overall,0,AB,1")

        row.refresh_from_db()
        assert row.status == "cancelled"
        assert (Run.with_importing.count(), Verdict.objects.count(), row.folder.exists()) == (0, 0, False)

    def test_fault_that_nobody_expected_leaves_nothing_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        campaign = make_campaign()
        row = self.begun(campaign, *TestWriting.LINES)
        monkeypatch.setattr(writing, "ROWS", 1)
        self.stopped_by(ZeroDivisionError, row)

        row.refresh_from_db()
        assert (row.status, Run.with_importing.count(), Verdict.objects.count()) == ("failed", 0, 0)
        assert not row.folder.exists()

    def test_one_import_at_a_time_until_it_ends_or_its_job_is_over(self) -> None:
        campaign = make_campaign()
        first = self.begun(campaign, "0,m,overall,0,AB,1")

        with pytest.raises(ImportRefused, match="Wait until that ends"):
            self.begun(campaign, "0,m,overall,0,BA,1")
        Job.objects.update(status=Job.Status.FAILED)
        second = self.begun(campaign, "0,m,overall,0,BA,1")

        first.refresh_from_db()
        assert (first.status, second.status) == ("failed", "checking")

    def test_table_at_fault_is_reported_and_writes_nothing(self) -> None:
        row = self.worked(self.begun(make_campaign(), "0,m,overall,0,AB,1", "1,m,overall,0,AB,9"))

        assert (row.status, row.report["errors"], Run.with_importing.count()) == ("failed", 1, 0)
        assert (row.report["place"], row.report["problems"][0]["row"]) == ("line", 3)

    def test_contradiction_of_what_is_there_is_reported(self) -> None:
        campaign = make_campaign()
        self.worked(self.begun(campaign, "0,m,overall,0,AB,1"))

        row = self.worked(self.begun(campaign, "0,m,overall,0,AB,2"))

        assert (row.status, Verdict.objects.count()) == ("failed", 1)
        assert "another verdict on unit 0" in row.report["problems"][0]["message"]

    def test_value_that_the_scale_does_not_have_may_count_as_missing(self) -> None:
        lines, options = ("0,m,overall,0,AB,1", "1,m,overall,0,AB,0"), Options(unknown_as_missing=True)

        row = self.worked(self.begun(make_campaign(), *lines, options=options))

        assert (row.status, row.report["missing"]) == ("imported", 1)
        assert list(Verdict.objects.order_by("unit__key").values_list("status", flat=True)) == ["ok", "unparsed"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has one writer at a time")
class TestTurns(Importing):
    """Between any two transactions of the import somebody else can write, and none has more than a few rows."""

    MOST = 4
    LINES = tuple(
        f"{unit},judge {nth},{aspect},0,{order},1"
        for nth in range(2) for unit in range(2) for order in ("AB", "BA") for aspect in ("overall", "content")
    )  # fmt: skip

    @pytest.fixture
    def counts(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, ...]]]:
        """What somebody else who writes in each pause sees: verdicts and answers, and verdicts that are shown."""
        seen: list[tuple[int, ...]] = []
        rows = "SELECT (SELECT count(*) FROM judges_verdict) + (SELECT count(*) FROM judges_verdictanswer)"
        shown = "SELECT count(*) FROM judges_verdict v JOIN judges_run r ON r.id = v.run_id WHERE r.status = 'done'"
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0, isolation_level=None)) as other:

            def write(_seconds: float) -> None:
                other.execute("UPDATE campaigns_campaign SET title = title || '.'")
                seen.append((other.execute(rows).fetchone()[0], other.execute(shown).fetchone()[0]))

            monkeypatch.setattr(writing, "ROWS", self.MOST)
            monkeypatch.setattr(writing.time, "sleep", write)
            yield seen

    def steps(self, counts: list[tuple[int, ...]], column: int = 0) -> list[int]:
        """How many rows came or went between two pauses, where any did."""
        found = [after - before for before, after in pairwise([0, *(row[column] for row in counts)])]
        return [step for step in found if step]

    def test_verdicts_come_a_few_at_a_time(self, counts: list[tuple[int, ...]]) -> None:
        campaign = make_campaign()

        assert self.worked(self.begun(campaign, *self.LINES)).status == "imported"

        assert self.steps(counts) == [3] * 8
        campaign.refresh_from_db()
        assert campaign.title.endswith("." * len(counts))

    def test_verdicts_of_a_judge_that_has_a_run_are_moved_a_few_at_a_time(
        self, counts: list[tuple[int, ...]]
    ) -> None:
        campaign = make_campaign()
        self.worked(self.begun(campaign, *self.LINES[:2]))
        before = len(counts)

        self.worked(self.begun(campaign, *self.LINES[:8], *(line.replace("judge 0", "x") for line in self.LINES[:2])))

        assert max(self.steps(counts[before:], 1)) <= self.MOST
        assert Run.objects.count() == 2

    def test_what_was_cancelled_goes_a_few_at_a_time(self, counts: list[tuple[int, ...]]) -> None:
        row = self.begun(make_campaign(), *self.LINES)

        def cancel_at_last(done: int, total: int, note: str) -> None:
            if (done, note) == (total, writing.WRITING()):
                cancel_verdict_import(row)

        import_verdicts_of(str(row.pk), cancel_at_last)

        assert self.steps(counts)[8:] == [-self.MOST] * 6
        assert Verdict.objects.count() == 0


def quiet(done: int, total: int, note: str) -> None:
    """Progress that nobody watches."""


SINGLE = {"7": {"a": "Xylo"}}


@each("order", ["", "a", "A", "ab", "BA"])
def test_single_response_has_one_order_whatever_the_table_calls_it(order: str) -> None:
    rows = table(f"7,m,overall,{order},4", header=("unit", "judge", "aspect", "order", "score"))
    columns = columns_of(rows, named={"verdict": "score"})  # `verdict` and `value` are the same part

    plan = plan_verdicts(rows, columns, protocol=SHIPPED["acr"], units=SINGLE)

    assert plan.problems == []
    assert plan.judges["m", (), None]["7", "a", 0].answers == {("overall", ""): "4"}


def test_table_of_single_responses_needs_no_order() -> None:
    rows = table("7,4", header=("unit", "value"))

    plan = plan_verdicts(rows, columns_of(rows, judge="m", needs_order=False), protocol=SHIPPED["acr"], units=SINGLE)

    assert list(plan.judges["m", (), None]) == [("7", "a", 0)]
    with pytest.raises(UnusableColumns, match="Say in which"):
        columns_of(rows, judge="m")


@pytest.mark.django_db
class TestCommand:
    def run(self, path: Path, campaign: Campaign, *args: str, user: str = "") -> str:
        out = StringIO()
        who = user or campaign.created_by.username
        call_command("import_verdicts", str(path), "--campaign", campaign.slug, "--user", who, *args, stdout=out)
        return out.getvalue()

    def a_table(self, folder: Path, *lines: str) -> Path:
        path = folder / "verdicts.csv"
        path.write_text("\n".join([",".join((*HEADER, "system_a", "system_b")), *lines, ""]), encoding="utf-8")
        return path

    def a_campaign(self) -> Campaign:
        campaign = make_campaign()
        user = make_member(campaign, Role.RESEARCHER)
        Campaign.objects.filter(pk=campaign.pk).update(created_by=user)
        return Campaign.objects.get(pk=campaign.pk)

    def test_it_imports_and_says_how_many(self, tmp_path: Path) -> None:
        campaign = self.a_campaign()
        path = self.a_table(tmp_path, f"0,m,overall,0,AB,1,{RARE_A},{RARE_B}")

        assert self.run(path, campaign) == "1 runs: 1 new verdicts, 0 already there.\n"

    def test_a_dry_run_writes_nothing(self, tmp_path: Path) -> None:
        campaign = self.a_campaign()

        told = self.run(self.a_table(tmp_path, f"0,m,overall,0,AB,1,{RARE_A},{RARE_B}"), campaign, "--dry-run")

        assert told == "m, n_shots 0: 1 verdicts\n"
        assert Run.objects.count() == 0

    def test_errors_are_told_by_row_and_nothing_is_written(self, tmp_path: Path) -> None:
        campaign = self.a_campaign()
        path = self.a_table(
            tmp_path, f"0,m,overall,0,AB,1,{RARE_A},{RARE_B}", f"1,m,overall,0,AB,1,{RARE_B},{RARE_A}"
        )

        with pytest.raises(CommandError, match="1 errors: nothing was written"):
            self.run(path, campaign)

        assert Run.objects.count() == 0

    def test_who_does_not_manage_the_campaign_is_refused(self, tmp_path: Path) -> None:
        campaign = self.a_campaign()
        path = self.a_table(tmp_path, f"0,m,overall,0,AB,1,{RARE_A},{RARE_B}")
        viewer = make_member(campaign, Role.VIEWER)

        with pytest.raises(CommandError, match="does not allow"):
            self.run(path, campaign, user=viewer.username)

    def test_a_column_can_be_named(self, tmp_path: Path) -> None:
        campaign = self.a_campaign()
        path = tmp_path / "table.jsonl"
        path.write_text('{"which": 0, "said": "2", "order": "AB"}\n', encoding="utf-8")

        self.run(path, campaign, "--judge", "mine", "--column", "unit=which", "--column", "value=said")

        assert VerdictAnswer.objects.get().value == "b"


def test_units_know_the_names_of_their_systems(db: None) -> None:
    campaign = make_campaign(units=1)

    assert units_by_key(campaign) == {"0": {"a": RARE_A, "b": RARE_B}}
    assert System.objects.count() == 2
