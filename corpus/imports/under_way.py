"""Imports that are being written, by the dataset that they add to."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.models import Dataset, Import
from corpus.models.versions import PARTS
from infrastructure.models import Job


@dataclass(frozen=True)
class Adding:
    """An import that is being written, with its job: how far it is."""

    upload: Import
    job: Job | None

    @property
    def parts(self) -> list[str]:
        """What the check found that it brings, in words; what is there already is not counted."""
        report = self.upload.report
        brings = {
            "pairs": report.get("new_units", report.get("units", 0) - report.get("units_there", 0)),
            "labels": report.get("new_annotations", report.get("labels", 0) - report.get("labels_there", 0)),
        }
        if report.get("about") != "answers":  # these are about items that are there
            of_items = {name: report.get(name, 0) - report.get(f"{name}_there", 0) for name in ("items", "responses")}
            brings = of_items | brings
        return [PARTS[name] % {"n": n} for name, n in brings.items() if n > 0]


def imports_into(datasets: Iterable[Dataset]) -> dict[int, list[Adding]]:
    """By the id of the dataset, in two queries."""
    found: dict[int, list[Adding]] = defaultdict(list)
    rows = list(
        Import.objects.filter(dataset__in=list(datasets), status=Import.Status.IMPORTING).order_by("created_at")
    )
    kinds = {f"{row.kind}-write" for row in rows}
    jobs = Job.objects.filter(kind__in=kinds, subject__in=[str(row.pk) for row in rows]).order_by("created_at")
    latest = {job.subject: job for job in jobs}
    for row in rows:
        found[row.dataset_id or 0].append(Adding(row, latest.get(str(row.pk))))
    return found
