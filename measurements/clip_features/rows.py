"""Features of clips as rows: extracted once per clip, extractor and version, and read from there by all."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import cast

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from corpus.audio.reading import StoredSound, UnreadableAudio
from corpus.models import Clip
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.features.contract import ClipSound, Extractor, Feature, Status
from measurements.features.extracting import extract_one
from measurements.features.models.sources import Sources
from measurements.features.registry import DEFAULT, extractors, with_needed
from measurements.models import ClipFeature

logger = logging.getLogger(__name__)

#: A failure is retried so often automatically; a user can request another attempt at any time.
MOST_ATTEMPTS = 3
BEAT_S = 2.0
_AT_ONCE = 500


def sources() -> Sources:
    """What this installation has beside its packages, as its settings say."""
    return Sources(
        folder=Path(settings.MODELS_FOLDER) if settings.MODELS_FOLDER else None,
        cache=Path(settings.MODELS_CACHE) if settings.MODELS_CACHE else None,
        may_download=settings.MODELS_FROM_HUB,
        whisper=settings.WHISPER_MODEL,
    )


@dataclass(frozen=True)
class Work:
    """What is to be done for one clip, and what is there for it to read."""

    clip: Clip
    todo: tuple[Extractor, ...]
    there: Mapping[str, Feature]


def features_of(clip: Clip) -> dict[str, Feature]:
    """Every feature of a clip by its extractor's name, with a value or with the reason why there is none.

    Only today's versions are read. What was not extracted yet is `unavailable`, and says so.
    """
    return features_of_clips([clip])[clip.pk]


def features_of_clips(clips: Iterable[Clip]) -> dict[int, dict[str, Feature]]:
    """The features of several clips by the clip's id, in one query for every 500."""
    clips, known = list(clips), extractors(sources()).values()
    nothing = {extractor.name: _not_there(extractor) for extractor in known}
    found = {clip.pk: dict(nothing) for clip in clips}
    for row in _rows(clips, known):
        found[row.clip_id][row.name] = _feature(row)
    return found


def ensure_features(
    clips: Iterable[Clip],
    names: Sequence[str] = DEFAULT,
    progress: ShowProgress | None = None,
    *,
    retry: bool = False,
) -> int:
    """Extract what is missing of `names` (and what they read) from each clip; return how many clips needed it.

    Done by a worker: it loads models. What is there is not done again; what failed is, up to three times or, with
    `retry`, once more. One clip that cannot be read, or breaks an extractor, is a row that says so and stops nothing.
    Two workers at the same clip do the work twice and keep it once.
    """
    clips = list(clips)
    waiting = work_to_do(clips, names, retry=retry)
    tell = progress or _no_progress
    for done, work in enumerate(waiting, start=len(clips) - len(waiting)):
        for feature, seconds in _beating(work, partial(tell, done, len(clips), reasons.EXTRACTING())):
            keep_feature(work.clip, feature, seconds=seconds)
    tell(len(clips), len(clips), reasons.EXTRACTING())
    return len(waiting)


def work_to_do(clips: Sequence[Clip], names: Sequence[str] = DEFAULT, *, retry: bool = False) -> list[Work]:
    """The clips with missing features, and which. A feature without its model here is missing until it is stored."""
    wanted = with_needed(names, sources())
    cannot = {extractor.name for extractor in wanted if extractor.available() is not None}
    rows: dict[int, dict[str, ClipFeature]] = defaultdict(dict)
    for row in _rows(clips, wanted):
        rows[row.clip_id][row.name] = row
    work = []
    for clip in clips:
        kept = rows[clip.pk]
        todo = tuple(it for it in wanted if _is_missing(kept.get(it.name), retry=retry, cannot=it.name in cannot))
        if todo:
            work.append(Work(clip, todo, {name: _feature(row) for name, row in kept.items() if row.is_final}))
    return work


def keep_feature(clip: Clip, feature: Feature, *, seconds: float) -> ClipFeature:
    """Store an extractor's result. A final row stays unchanged; a failed one is replaced, and counted."""
    key = {"clip": clip, "name": feature.name, "version": feature.version}
    said = {"status": feature.status, "value": feature.value, "reason": feature.reason, "seconds": seconds}
    row, created = ClipFeature.objects.get_or_create(**key, defaults=said)
    if created or row.is_final:
        return row
    open_row = ClipFeature.objects.filter(pk=row.pk).exclude(status__in=ClipFeature.FINAL)
    open_row.update(**said, attempts=F("attempts") + 1, made_at=timezone.now())
    row.refresh_from_db()
    return row


def _no_progress(_done: int, _of: int, _note: Reason) -> None:
    pass


def _is_missing(row: ClipFeature | None, *, retry: bool, cannot: bool) -> bool:
    if row is None:
        return True
    if row.is_final or cannot:
        return False
    return retry or row.status == ClipFeature.Status.UNAVAILABLE or row.attempts < MOST_ATTEMPTS


def _beating(work: Work, beat: Callable[[], object]) -> list[tuple[Feature, float]]:
    """Process one clip in a separate thread, so that the job's lease is renewed while a long clip takes its time."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="features") as pool:
        making = pool.submit(_extracted, work)
        while not wait([making], timeout=BEAT_S).done:
            beat()
        beat()
        return making.result()


def _extracted(work: Work) -> list[tuple[Feature, float]]:
    """Listen to the clip. Knows files and no rows: it runs in a thread of its own."""
    try:
        clip = work.clip
        heard = ClipSound(StoredSound(clip.path, clip.rate, clip.seconds, settings.MAX_CLIP_SECONDS))
        _ = heard.mono  # made now: a file that cannot be read is found before any extractor
    except (UnreadableAudio, OSError) as error:
        logger.warning("%s cannot be read: %s", work.clip, error)
        return [
            (Feature(it.name, it.version, "failed", reason=reasons.ORIGINAL_UNREADABLE()), 0.0) for it in work.todo
        ]
    found, made = dict(work.there), []
    for extractor in work.todo:
        begin = time.monotonic()
        found[extractor.name] = _attempt(work.clip, heard, extractor, found)
        made.append((found[extractor.name], time.monotonic() - begin))
    return made


def _attempt(clip: Clip, heard: ClipSound, extractor: Extractor, found: Mapping[str, Feature]) -> Feature:
    """One extractor at one clip. An error in a foreign library fails only this row."""
    try:
        return extract_one(heard, extractor, found)
    except Exception:
        logger.exception("The extractor %s broke at %s", extractor.name, clip)
        return Feature(extractor.name, extractor.version, "failed", reason=reasons.EXTRACTOR_BROKE())


def _rows(clips: Sequence[Clip], wanted: Iterable[Extractor]) -> Iterator[ClipFeature]:
    """The rows of today's versions."""
    current = reduce(or_, (Q(name=it.name, version=it.version) for it in wanted))
    for start in range(0, len(clips), _AT_ONCE):
        yield from ClipFeature.objects.filter(current, clip__in=clips[start : start + _AT_ONCE])


def _feature(row: ClipFeature) -> Feature:
    return Feature(row.name, row.version, cast(Status, row.status), row.value, row.reason)


def _not_there(extractor: Extractor) -> Feature:
    return Feature(
        extractor.name, extractor.version, "unavailable", reason=extractor.available() or reasons.NOT_EXTRACTED()
    )
