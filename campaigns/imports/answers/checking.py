"""The dry run of a table of answers: every row is looked at, and nothing is written."""

from dataclasses import dataclass

from campaigns.background.jobs import ShowProgress
from campaigns.imports.answers.asking import check_by_known_protocol
from campaigns.imports.answers.bare import held_of
from campaigns.imports.answers.comparing import compare_labels, compare_units
from campaigns.imports.answers.held import Held, HeldLabels, held_in, held_labels
from campaigns.imports.answers.plan import AnswersPlan
from campaigns.imports.checked import Report, problem_report
from campaigns.imports.plan import Problem
from campaigns.models import Dataset

NEW_DATASET = (
    "There is no dataset of this name yet. One is made of what the table names: items without prompts, responses "
    "without texts and sound, which a manifest may bring later. If it was to be another dataset, stop here."
)


@dataclass
class CheckedAnswers:
    """A plan of answers. It may be written if no problem is an error. `bare` has what a new dataset gets."""

    plan: AnswersPlan
    bare: Held | None = None
    new_units: int = 0
    new_annotations: int = 0

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
        return {
            "about": "answers",
            "rows": plan.rows,
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
        } | problem_report(plan.problems)


def check_answers(
    plan: AnswersPlan, *, dataset: Dataset | None, label_set_name: str, progress: ShowProgress
) -> CheckedAnswers:
    """Compare the plan with what `dataset` holds, and with the protocol by which was asked."""
    progress(plan.rows, plan.rows, "Comparing with the dataset")
    if dataset is None:
        plan.warn(None, "dataset", NEW_DATASET)
        for key, unit in plan.judged.items():
            plan.units.setdefault(key, unit)
    held = held_in(dataset) if dataset else held_of(plan)
    labels = held_labels(dataset, label_set_name) if dataset else HeldLabels()
    compare_units(plan, held)
    compare_labels(plan, labels, label_set_name)
    progress(plan.rows, plan.rows, "Comparing with the protocol")
    check_by_known_protocol(plan, held.items, facts_known=dataset is not None)
    return CheckedAnswers(
        plan,
        bare=None if dataset else held,
        new_units=len(plan.units.keys() - held.units.keys()),
        new_annotations=len(plan.annotations.keys() - labels.annotations.keys()),
    )
