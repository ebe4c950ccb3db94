"""Files that are too much to be planned as a whole: read, checked and written some items at a time.

Each part is written in a transaction of its own, so that others can write in between. Written twice, nothing changes:
an import that was killed completes what it began.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from corpus.figures.keeping import keep_figures_of_words, keep_systems
from corpus.imports import reasons
from corpus.imports.answers.checking import CheckedAnswers, check_answers
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import AnswersTable
from corpus.imports.answers.writing import add_answers
from corpus.imports.checks.check import check
from corpus.imports.checks.result import MAX_LISTED, Checked, Report, of_tool, problem_report, to_choose
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping.holding import known_about
from corpus.imports.mapping.known import Known, Named
from corpus.imports.mapping.together import CheckedTogether, add_planned
from corpus.imports.plan import Plan, Problem
from corpus.imports.portions import Portion, write_portions
from corpus.imports.reasons import CHECKING_ROWS
from corpus.imports.tools.answers import rows_of_answers
from corpus.imports.tools.recognised import Part
from corpus.imports.versions import last_version
from corpus.imports.writing import Destination, PlanRefused, has_words, locked_dataset, write_rows
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress

#: Counts of the report that are those of the parts, added up.
COUNTS = (
    "items", "responses", "units", "new_units", "labels", "annotations", "new_annotations", "clips",
    "seconds", "items_there", "responses_there", "units_there", "labels_there", "errors", "warnings",
)  # fmt: skip
Parts = Callable[[], Iterator[Part]]


@dataclass
class CheckedInParts:
    """What the parts of a file bring. They may be written if no problem is an error."""

    parts: Parts
    place: Literal["line", "row"]
    total: int
    n_rows: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    systems: set[str] = field(default_factory=set)
    annotators: set[str] = field(default_factory=set)
    wordless: list[int] = field(default_factory=list)
    #: The first of them; `counts` has how many there are.
    problems: list[Problem] = field(default_factory=list)
    is_new: bool = False
    whole: Report = field(default_factory=dict)
    #: the last version of the dataset at the check; 0 where there was none
    against_version: int = 0
    #: what is said of the tool whose file it is
    tool: Report = field(default_factory=dict)
    #: what an earlier check of the same file found, where its parts are checked as they are written
    earlier: Report = field(default_factory=dict)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    def add(self, part: CheckedTogether, *, n_rows: int) -> None:
        """Add what a part of so many rows of the file brings."""
        report = part.report()
        self.n_rows += n_rows
        self.counts.update({name: report[name] for name in COUNTS if name in report})
        self.systems.update(report["systems"])
        self.annotators.update(rater for (rater, _), _ in part.answers.plan.annotations)
        self.wordless += part.responses.plan.wordless
        self.is_new |= report["is_new"]
        self.whole = self.whole or {
            name: report[name] for name in ("about", "place", "unused_columns", "sound_checked")
        }
        self.keep(part.problems)

    def keep(self, problems: list[Problem]) -> None:
        """Errors are kept before warnings, so that a file with an error has one."""
        self.problems = sorted([*self.problems, *problems], key=lambda it: it.severity == "warning")[:MAX_LISTED]

    def add_warnings(self, warnings: list[Problem]) -> None:
        """Add what only all parts together show."""
        self.counts["warnings"] += len(warnings)
        self.keep(warnings)

    def report(self) -> Report:
        """As of a file that was checked as a whole."""
        listed = problem_report(self.problems)
        if self.earlier:
            return self.earlier | listed
        n_problems = self.counts["errors"] + self.counts["warnings"]
        return (
            self.whole
            | {name: self.counts[name] for name in COUNTS if name in self.counts}
            | {
                "rows": self.n_rows,
                "systems": sorted(self.systems),
                "annotators": len(self.annotators),
                "is_new": self.is_new,
                "against_version": self.against_version,
                "unused_files": {"n": 0, "some": []},
                "undecided": False,
                "to_choose": to_choose(Plan()),
                "problems": listed["problems"],
                "unlisted": n_problems - len(listed["problems"]),
            }
            | of_tool(self.tool)
        )


def check_in_parts(
    parts: Parts,
    *,
    place: Literal["line", "row"],
    total: int,
    dataset: Dataset | None,
    label_set_name: str,
    progress: ShowProgress,
) -> CheckedInParts:
    """Check each part against the dataset. `total` is how many rows of the file there are."""
    checked = CheckedInParts(parts, place, total, against_version=last_version(dataset))
    for part in parts():
        checked.add(_checked(part, place, dataset, label_set_name), n_rows=part.n_rows)
        progress(checked.n_rows, total, CHECKING_ROWS())
    if checked.wordless:
        summary = Plan(place=place, wordless=checked.wordless)
        summary.warn_of_wordless()
        checked.add_warnings(summary.problems)
    return checked


def write_in_parts(checked: CheckedInParts, destination: Destination, *, progress: ShowProgress) -> Dataset:
    """Write each part by itself. What is there already stays as it is.

    Raises PlanRefused where the check found errors, or where the dataset changed since: what was written before that
    part stays.
    """
    if checked.errors:
        raise PlanRefused(reasons.PLAN_HAS_ERRORS())
    return write_portions(
        _portions(checked, destination),
        destination,
        lock=partial(locked_dataset, destination, in_parts=True),
        keep_figures=keep_systems,
        size=checked.total,
        n_rows=checked.total,
        progress=progress,
    )


def _portions(checked: CheckedInParts, destination: Destination) -> Iterator[Portion]:
    """What each part makes, found out when it is its turn."""
    for part in checked.parts():
        there = Dataset.objects.filter(name=destination.dataset_name).first()
        both = _planned(part, checked.place, there)
        yield Portion(
            part.n_rows, partial(_write_part, checked, both, destination), has_words(both.responses.plan)
        )  # fmt: skip


def _write_part(
    checked: CheckedInParts, both: CheckedTogether, destination: Destination, dataset: Dataset
) -> dict[str, int]:
    systems = both.responses.plan.systems
    added = {"systems": len(systems) - dataset.systems.filter(name__in=systems).count()}
    try:
        _write(both, destination, dataset)
    except PlanRefused:
        checked.keep(both.problems)
        raise
    return added | _added(both)


def _checked(
    part: Part, place: Literal["line", "row"], dataset: Dataset | None, label_set_name: str
) -> CheckedTogether:
    """The part against the dataset."""
    both = _planned(part, place, dataset)
    plan, name = both.responses.plan, label_set_name
    responses = check(plan, None, dataset=dataset, label_set_name=name, progress=_quiet)
    answers = check_answers(
        both.answers.plan, dataset=dataset, label_set_name=name, progress=_quiet, planned=plan
    )  # fmt: skip
    return CheckedTogether(responses, answers)


def _planned(part: Part, place: Literal["line", "row"], dataset: Dataset | None) -> CheckedTogether:
    """What the part makes; writing compares it with the dataset, under lock."""
    plan = make_plan(part.responses, without_audio=True, place=place, is_part=True)
    known = known_about(dataset, Named(items=set(plan.items))) if dataset else Known()
    add_planned(known, plan)
    rows = rows_of_answers(part.answers, known)
    answers = plan_answers(AnswersTable(rows, at_most=0, lost=None, whole=True), progress=_quiet, may_be_empty=True)
    answers.place = place
    return CheckedTogether(Checked(plan), CheckedAnswers(answers))


def _write(both: CheckedTogether, destination: Destination, dataset: Dataset) -> None:
    if both.errors:
        raise PlanRefused(both.errors[0].message)
    write_rows(both.responses, {}, destination)
    add_answers(both.answers, destination)
    items = dataset.items.filter(key__in=both.responses.plan.items)
    keep_figures_of_words(dataset, list(items.values_list("pk", flat=True)))


def _added(both: CheckedTogether) -> dict[str, int]:
    """What was new, as the names of a version's parts."""
    plan, there = both.responses.plan, both.responses.there
    return {
        "items": len(plan.items) - there["items"],
        "responses": len(plan.responses) - there["responses"],
        "pairs": both.answers.new_units,
        "labels": both.answers.new_annotations,
    }


def _quiet(done: int, total: int, note: object) -> None:
    """A part's own progress says little of the whole."""
