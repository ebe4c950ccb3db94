"""Searching a dataset's texts for responses that name their system. Annotators never see the results."""

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from corpus.datasets.units import paired_responses
from corpus.models import Dataset, Response, ResponseTurn
from infrastructure.background.jobs import latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from measurements import reasons
from measurements.identity_leaks.words import WELL_KNOWN, identity_hits
from measurements.models import IdentityHit, IdentityScan, ScannedResponse
from measurements.scores.evidence import READERS, FeaturesOf

KIND = "scan-identity"
BATCH = 200
MOST_CHARACTERS = 300


def proposed_names(dataset: Dataset) -> list[str]:
    """The terms of the last search; before that the dataset's systems, and well-known assistants."""
    if scan := latest_scan(dataset):
        return list(scan.names)
    return list(dict.fromkeys([*dataset.systems.values_list("name", flat=True), *WELL_KNOWN]))


@transaction.atomic
def start_scan(dataset: Dataset, *, names: Iterable[str], user: User) -> Job:
    """Have every text of the dataset's responses read for these names and for introductions."""
    if (current := scan_job(dataset)) and current.is_active:
        return current
    kept = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    scan = IdentityScan.objects.create(dataset=dataset, names=kept, started_by=user)
    return start_job(KIND, subject=scan.pk, started_by=user)


def scan_job(dataset: Dataset) -> Job | None:
    scan = IdentityScan.objects.filter(dataset=dataset).last()
    return latest_job(KIND, scan.pk) if scan else None


def latest_scan(dataset: Dataset) -> IdentityScan | None:
    """The latest scan that came to its end."""
    return IdentityScan.objects.filter(dataset=dataset, ended_at__isnull=False).last()


def run_scan(subject: str, progress: ShowProgress) -> None:
    """The job: responses that a worker that died has read are not read again."""
    scan_identity(IdentityScan.objects.select_related("dataset").get(pk=int(subject)), progress=progress)


def scan_identity(
    scan: IdentityScan, *, progress: ShowProgress, features_of: FeaturesOf = READERS.features_of
) -> None:
    """Read the texts of every response, imported and transcribed, and store those that name their system."""
    all_of_them = Response.objects.filter(item__dataset=scan.dataset)
    left = all_of_them.exclude(pk__in=scan.responses.values("response")).order_by("pk")
    total = all_of_them.count()
    last = done = 0
    done = total - left.count()
    while batch := list(left.filter(pk__gt=last).prefetch_related("turns__clip")[:BATCH]):
        _keep(scan, batch, features_of)
        last, done = batch[-1].pk, done + len(batch)
        progress(done, total, reasons.READING_WORDS())
    IdentityScan.objects.filter(pk=scan.pk, ended_at=None).update(ended_at=timezone.now())


@transaction.atomic
def _keep(scan: IdentityScan, batch: list[Response], features_of: FeaturesOf) -> None:
    """Responses without a word are not counted as read."""
    for response in batch:
        texts = [found for turn in response.turns.all() for found in _texts(turn, features_of)]
        if not texts:
            continue
        hits = [
            IdentityHit(
                turn=turn, kind=hit.kind, matched=hit.matched[:MOST_CHARACTERS], start=hit.start,
                of_transcript=of_transcript,
            )
            for turn, text, of_transcript in texts
            for hit in identity_hits(text, scan.names)
        ]  # fmt: skip
        scanned = ScannedResponse.objects.create(scan=scan, response=response, is_hit=bool(hits))
        for hit in hits:
            hit.scanned = scanned
        IdentityHit.objects.bulk_create(hits)


def _texts(turn: ResponseTurn, features_of: FeaturesOf) -> Iterator[tuple[ResponseTurn, str, bool]]:
    if turn.text.strip():
        yield turn, turn.text, False
    feature = features_of(turn.clip).get("transcript") if turn.clip else None
    heard = feature.value if feature else None
    text = str(heard["text"]) if heard else ""
    if text.strip() and text != turn.text:
        yield turn, text, True


def hit_responses(dataset: Dataset) -> QuerySet[Response]:
    """Responses that name their system, by the latest scan."""
    scan = latest_scan(dataset)
    return Response.objects.filter(pk__in=ScannedResponse.objects.filter(scan=scan, is_hit=True).values("response"))


def silent_pairs(dataset: Dataset) -> list[tuple[Response, Response]]:
    """Every two systems on every item without an identity leak on either side, for “Pairs from a file”."""
    leaky = set(hit_responses(dataset).values_list("pk", flat=True))
    return [(a, b) for a, b in paired_responses(dataset) if not leaky & {a.pk, b.pk}]
