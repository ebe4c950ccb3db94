"""The dry run of a table of answers: every row is looked at, and nothing is written."""

from dataclasses import dataclass, field

from corpus.imports import reasons
from corpus.imports.answers.bare import NOTHING_HELD, is_bare, plan_of_names, with_planned
from corpus.imports.answers.comparing import compare_labels, compare_units
from corpus.imports.answers.held import HeldLabels, held_about, held_labels
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.answers.protocol_check import check_by_protocol
from corpus.imports.checks.result import Report, of_tool, problem_report
from corpus.imports.plan import Plan, Problem
from corpus.imports.reasons import COMPARING_WITH_DATASET, COMPARING_WITH_PROTOCOL
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress


@dataclass
class CheckedAnswers:
    """A plan of answers. It may be written if no problem is an error. `bare` has what a new dataset gets."""

    plan: AnswersPlan
    bare: Plan | None = None
    new_units: int = 0
    new_annotations: int = 0
    #: what is said of the tool whose file it is
    tool: Report = field(default_factory=dict)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.plan.problems if problem.severity == "error"]

    def report(self) -> Report:
        """What the page shows: counts, and the first problems in row order."""
        plan = self.plan
        units = [planned.unit for planned in plan.units.values()]
        responses = {
            (unit.item, system, unit.responses.get(slot)) for unit in units for slot, system in unit.systems.items()
        }
        return (
            {
                "about": "answers",
                "rows": plan.rows,
                "place": plan.place,
                "items": len({unit.item for unit in units}),
                "systems": sorted({system for unit in units for system in unit.systems.values()}),
                "responses": len(responses),
                "units": len(units),
                "new_units": self.new_units,
                "annotators": len({annotator for (annotator, _), _ in plan.annotations}),
                "annotations": len(plan.annotations),
                "new_annotations": self.new_annotations,
                "labels": sum(len(said.answers) for said in plan.annotations.values()),
                "clips": 0,
            }
            | problem_report(plan.problems)
            | of_tool(self.tool)
        )


def check_answers(
    plan: AnswersPlan,
    *,
    dataset: Dataset | None,
    label_set_name: str,
    progress: ShowProgress,
    planned: Plan | None = None,
) -> CheckedAnswers:
    """Compare the plan with what `dataset` holds, and with the protocol by which was asked.

    `planned` is what comes into the dataset together with the answers.
    """
    progress(plan.rows, plan.rows, COMPARING_WITH_DATASET())
    bare = None
    if planned is None and is_bare(dataset):
        plan.warn(None, "dataset", reasons.NEW_DATASET())
        for key, unit in plan.judged.items():
            plan.units.setdefault(key, unit)
        bare = plan_of_names(plan)
    held = held_about(dataset, plan) if dataset else NOTHING_HELD
    if made := bare or planned:
        held = with_planned(held, made)
    labels = held_labels(dataset, label_set_name, plan) if dataset else HeldLabels()
    compare_units(plan, held)
    compare_labels(plan, labels, label_set_name)
    progress(plan.rows, plan.rows, COMPARING_WITH_PROTOCOL())
    check_by_protocol(plan, held.items, facts_known=bare is None)
    return CheckedAnswers(
        plan,
        bare=bare,
        new_units=len(plan.units.keys() - held.units.keys()),
        new_annotations=len(plan.annotations.keys() - labels.annotations.keys()),
    )
