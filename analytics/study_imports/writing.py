"""Writing a study that was checked: first the sounds, then dataset, labels, campaign and runs in one transaction."""

from dataclasses import dataclass

from analytics.study_imports.checking import CheckedStudy
from analytics.study_imports.files import Row
from campaigns.launch.lifecycle import restore_campaign
from campaigns.models import Campaign, Criterion, CriterionState
from corpus.imports.answers.writing import write_answers
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.writing import BATCH, Destination, PlanRefused, write
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress
from judges.imported.writing import write_verdicts
from judges.models import Run


@dataclass(frozen=True)
class _Study:
    """What is written once the dataset is there. `runs` are the rows of the table of judges."""

    checked: CheckedStudy
    destination: Destination
    title: str
    runs: list[Row]
    progress: ShowProgress

    def write(self, dataset: Dataset) -> None:
        plan, user = self.checked.plan, self.destination.user
        self._write_criteria(dataset)
        write_answers(self.checked.answers, self.destination, progress=self.progress, at_once=True)
        units = {unit.key: unit for unit in dataset.units.all()}
        campaign = restore_campaign(
            dataset, title=self.title, protocol=plan.protocol, units=[units[key] for key in plan.study_units],
            user=user, target_lufs=plan.about.get("target_lufs"),
        )  # fmt: skip
        if plan.verdicts:
            write_verdicts(campaign, plan.verdicts, user=user)
            self._finish_runs(campaign)

    def _write_criteria(self, dataset: Dataset) -> None:
        items = {item.key: item for item in dataset.items.all()}
        Criterion.objects.bulk_create(
            [
                Criterion(
                    item=items[key], number=number, text=text, drafted_text=text, state=CriterionState.ACCEPTED,
                    source=Criterion.Source.CSV, created_by=self.destination.user,
                )
                for key, criteria in self.checked.plan.criteria.items()
                for number, text in criteria.items()
            ],
            BATCH,
        )  # fmt: skip

    def _finish_runs(self, campaign: Campaign) -> None:
        """In which orders and how often was asked, whether or not everything was answered."""
        asked = {str(row["run"]): row for row in self.runs}
        for run in campaign.runs.select_related("judge"):
            row = asked.get(run.judge.settings.get("run", ""))
            if row and row["orders"] in Run.Orders.values:
                run.orders, run.samples = row["orders"], row["samples"]
                run.status = Run.Status.DONE if row["status"] == Run.Status.DONE else Run.Status.CANCELLED
                run.save(update_fields=["orders", "samples", "status"])


def write_study(
    checked: CheckedStudy, destination: Destination, *, title: str, runs: list[Row], progress: ShowProgress
) -> Dataset:
    """Write what was checked, all of it or nothing.

    Raises PlanRefused where the check found errors or the name was taken since, MissingAudio where a sound is gone.
    """
    if checked.errors:
        raise PlanRefused(checked.errors[0].message)
    study = _Study(checked, destination, title, runs, progress)
    return write(checked.dataset, FolderAudio(checked.sounds), destination, progress=progress, then=study.write)
