"""The dry run of a study: every row and every sound is looked at, and nothing is written."""

from dataclasses import dataclass, replace
from pathlib import Path

from analytics.study_imports import reasons
from analytics.study_imports.reading import StudyPlan
from campaigns.datasets.imported_answers import check_by_protocol
from corpus.imports.answers.bare import as_held
from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.answers.comparing import compare_units
from corpus.imports.checks.check import check
from corpus.imports.checks.result import Checked, Report, problem_report
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.plan import Problem
from corpus.models import Dataset, Item
from infrastructure.background.kinds import ShowProgress


@dataclass
class CheckedStudy:
    """A study that was looked at. It may be written if no problem is an error."""

    plan: StudyPlan
    dataset: Checked
    answers: CheckedAnswers
    sounds: Path

    @property
    def problems(self) -> list[Problem]:
        """Of each table, by its name."""
        judged = self.plan.verdicts.problems if self.plan.verdicts else []
        tables = (
            ("items", self.plan.dataset.problems),
            ("judgements", self.plan.answers.problems),
            ("verdicts", judged),
        )
        return [replace(it, field=f"{table}, {it.field}") for table, problems in tables for it in problems]

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    def report(self) -> Report:
        """What the page shows: counts, and the first problems."""
        verdicts = self.plan.verdicts
        return (
            self.dataset.report()
            | {name: self.answers.report()[name] for name in ("units", "annotators", "annotations", "labels")}
            | {"about": "study", "verdicts": verdicts.n_verdicts if verdicts else 0}
            | {"runs": len(verdicts.judges) if verdicts else 0}
            | problem_report(self.problems)
        )


def check_study(plan: StudyPlan, sounds: Path, *, dataset_name: str, progress: ShowProgress) -> CheckedStudy:
    """Listen to every sound, and hold the answers against the study's own items and protocol."""
    if Dataset.objects.filter(name=dataset_name).exists():
        plan.dataset.refuse(None, "dataset", reasons.DATASET_TAKEN())
    dataset = check(plan.dataset, FolderAudio(sounds), dataset=None, label_set_name="", progress=progress)
    items = {key: Item(key=key, category=it.category, facts=it.facts) for key, it in plan.dataset.items.items()}
    compare_units(plan.answers, as_held(items, plan.dataset.responses))
    check_by_protocol(plan.answers, plan.protocol, items=items, facts=plan.facts())
    return CheckedStudy(plan, dataset, CheckedAnswers(plan.answers), sounds)
