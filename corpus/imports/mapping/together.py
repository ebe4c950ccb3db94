"""Responses and the answers to them in one table: checked as two plans, and written together."""

from dataclasses import dataclass, field

from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.answers.writing import add_answers, answers_portions, size_of_answers
from corpus.imports.checks.result import Checked, Report, of_tool, problem_report
from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.files.rows import Row
from corpus.imports.mapping.known import Known
from corpus.imports.plan import Plan, Problem
from corpus.imports.portions import is_much, size_of
from corpus.imports.writing import Destination, PlanRefused, write, write_large
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress

#: The take of a response where the table names none.
ONLY_TAKE = "1"


@dataclass
class CheckedTogether:
    """Responses, and answers to them and to what is there. Both may be written if no problem is an error."""

    responses: Checked
    answers: CheckedAnswers
    #: what is said of the tool whose file it is
    tool: Report = field(default_factory=dict)

    @property
    def problems(self) -> list[Problem]:
        return self.responses.plan.problems + self.answers.plan.problems

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    def report(self) -> Report:
        """What the page shows: counts of both, and the first problems in row order."""
        of_answers = self.answers.report()
        told = ("units", "new_units", "annotators", "annotations", "new_annotations", "labels")
        report = self.responses.report()
        return (
            report
            | {name: of_answers[name] for name in told}
            | {"about": "both", "is_new": report["is_new"] or bool(self.answers.new_annotations)}
            | problem_report(self.problems)
            | of_tool(self.tool)
        )


def write_together(
    checked: CheckedTogether, files: AudioFiles | None, destination: Destination, *, progress: ShowProgress
) -> Dataset:
    """Write both, or neither; much of it in several transactions. Raises what `write` and `write_answers` raise."""
    if checked.errors:
        raise PlanRefused(checked.errors[0].message)
    n_answers = size_of_answers(checked.answers.plan)
    if is_much(size_of(checked.responses.plan) + n_answers):
        return write_large(
            checked.responses,
            files,
            destination,
            progress=progress,
            more=answers_portions(checked.answers, destination),
            size_of_more=n_answers,
        )
    return write(
        checked.responses,
        files,
        destination,
        progress=progress,
        then=lambda _dataset: add_answers(checked.answers, destination),
    )


def add_planned(known: Known, plan: Plan) -> Known:
    """Add what the plan of a manifest makes to what a dataset holds."""
    for response, turns in plan.responses.items():
        for turn in turns.values():
            for path in turn.audio or ("",):
                known.add_response(response, path)
    return known


def add_made(known: Known, row: Row) -> None:
    """Add the response of a row of a manifest."""
    known.add_response((row["item"], row["system"], row.get("take") or ONLY_TAKE), row.get("response_audio", ""))
