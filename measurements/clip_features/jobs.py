"""Extracting the features of a dataset, or of what a campaign asks about, in the background."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from campaigns.background.jobs import JobFailed, ShowProgress, latest_job, start_job
from campaigns.models import Campaign, Clip, Dataset, Job, ResponseTurn, UnitMember
from infrastructure.phrases import Phrase
from measurements.clip_features.rows import ensure_features, sources
from measurements.features.contract import Extractor
from measurements.features.registry import DEFAULT, extractors
from measurements.models import ClipFeature

KIND = "extract-features"


@dataclass(frozen=True)
class Extracted:
    """How far an extractor is with some clips."""

    extractor: Extractor
    missing: str | None
    ok: int
    undefined: int
    failed: int


def dataset_clips(dataset: Dataset) -> QuerySet[Clip]:
    """The clips of all responses of a dataset, every turn's."""
    return _clips(ResponseTurn.objects.filter(response__item__dataset=dataset))


def campaign_clips(campaign: Campaign) -> QuerySet[Clip]:
    """The clips of the responses that a campaign asks about."""
    units = campaign.campaign_units.values("unit")
    members = UnitMember.objects.filter(unit__in=units).values("response")
    sides = Q(response__in=campaign.campaign_units.values("unit__a"))
    sides |= Q(response__in=campaign.campaign_units.values("unit__b"))
    return _clips(ResponseTurn.objects.filter(sides | Q(response__in=members)))


def start_extracting(about: Dataset | Campaign, *, user: User) -> Job:
    """Queue the extraction, or return the job that is already at it."""
    return start_job(KIND, subject=_subject(about), started_by=user)


def extracting_job(about: Dataset | Campaign) -> Job | None:
    return latest_job(KIND, _subject(about))


def extract_features_of(subject: str, progress: ShowProgress) -> None:
    """Extract what is missing, and try again what failed; taken up again, it repeats nothing that is there."""
    kind, _colon, pk = subject.partition(":")
    clips = list(_CLIPS_OF[kind](int(pk)))
    ensure_features(clips, DEFAULT, progress, retry=True)
    if clips and not ClipFeature.objects.filter(clip__in=clips, status=ClipFeature.Status.OK).exists():
        raise JobFailed(Phrase("No feature could be extracted from any clip; the reasons stand with the extractors."))


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


def _clips(turns: QuerySet[ResponseTurn]) -> QuerySet[Clip]:
    return Clip.objects.filter(pk__in=turns.filter(clip__isnull=False).values("clip")).order_by("pk")


def _subject(about: Dataset | Campaign) -> str:
    return f"{'dataset' if isinstance(about, Dataset) else 'campaign'}:{about.pk}"


_CLIPS_OF: dict[str, Callable[[int], QuerySet[Clip]]] = {
    "dataset": lambda pk: dataset_clips(Dataset.objects.get(pk=pk)),
    "campaign": lambda pk: campaign_clips(Campaign.objects.get(pk=pk)),
}
