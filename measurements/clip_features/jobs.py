"""Extracting the features of a dataset in the background."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from accounts.models import User
from corpus.models import Clip, Dataset, ResponseTurn
from infrastructure.background.jobs import JobFailed, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.clip_features.rows import ensure_features, sources
from measurements.features.contract import Extractor
from measurements.features.registry import DEFAULT, extractors
from measurements.models import ClipFeature

KIND = "extract-features"


@dataclass(frozen=True)
class Extracted:
    """How far an extractor is with some clips."""

    extractor: Extractor
    missing: Reason | None
    ok: int
    undefined: int
    failed: int


def dataset_clips(dataset: Dataset) -> QuerySet[Clip]:
    """The clips of all responses of a dataset, every turn's."""
    turns = ResponseTurn.objects.filter(response__item__dataset=dataset, clip__isnull=False)
    return Clip.objects.filter(pk__in=turns.values("clip")).order_by("pk")


def start_extracting(dataset: Dataset, *, user: User) -> Job:
    """Queue the extraction, or return the job that is already at it."""
    return start_job(KIND, subject=dataset.pk, started_by=user)


def extracting_job(dataset: Dataset) -> Job | None:
    return latest_job(KIND, dataset.pk)


def extract_features_of(subject: str, progress: ShowProgress) -> None:
    """Extract what is missing, and try again what failed; taken up again, it repeats nothing that is there."""
    clips = list(dataset_clips(Dataset.objects.get(pk=int(subject))))
    ensure_features(clips, DEFAULT, progress, retry=True)
    if clips and not ClipFeature.objects.filter(clip__in=clips, status=ClipFeature.Status.OK).exists():
        raise JobFailed(reasons.NO_FEATURE_AT_ALL())


def how_far(clips: QuerySet[Clip]) -> list[Extracted]:
    """Each extractor with how many clips it has done, in one query."""
    rows = ClipFeature.objects.filter(clip__in=clips).values("name", "version", "status").annotate(n=Count("pk"))
    counted = {(row["name"], row["version"], row["status"]): row["n"] for row in rows.order_by()}

    def count(extractor: Extractor, status: str) -> int:
        return int(counted.get((extractor.name, extractor.version, status), 0))

    return [
        Extracted(it, it.available(), *(count(it, status) for status in ("ok", "undefined", "failed")))
        for it in extractors(sources()).values()
        if it.name in DEFAULT
    ]
