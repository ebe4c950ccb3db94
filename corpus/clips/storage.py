"""Keeping clips: once per content, with their audit, and in the form in which a campaign delivers them."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import IO

from django.conf import settings
from django.db.models import ProtectedError

from corpus.audio.audit import Audit, audit_sound
from corpus.audio.delivery import LENGTH_STEP_S, Delivered, DeliveryForm, deliver
from corpus.audio.reading import open_sound
from corpus.models import Clip, DeliveredClip, Item, ResponseTurn, Turn
from infrastructure.files.media import written_whole


@dataclass(frozen=True)
class ExaminedClip:
    """A file that can be kept: its content hash, its size and what was measured on it."""

    sha256: str
    bytes: int
    audit: Audit


def examine_clip(file: IO[bytes], *, name: str, sha256: str) -> ExaminedClip:
    """Read the whole file and measure it. Raises UnreadableAudio; writes nothing."""
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(0)
    with open_sound(file, name=name, max_seconds=settings.MAX_CLIP_SECONDS) as stream:
        return ExaminedClip(sha256, size, audit_sound(stream))


def keep_clip(file: IO[bytes], examined: ExaminedClip) -> Clip:
    """Keep the file under its hash, and its row. Keeping the same content again changes nothing."""
    clip = Clip.objects.filter(sha256=examined.sha256).first()
    if clip and clip.path.is_file():
        return clip
    clip = Clip(sha256=examined.sha256, bytes=examined.bytes, **asdict(examined.audit))
    file.seek(0)
    with written_whole(clip.path) as kept:
        shutil.copyfileobj(file, kept)
    return Clip.objects.get_or_create(
        sha256=clip.sha256, defaults={"bytes": examined.bytes, **asdict(examined.audit)}
    )[0]


def make_delivery(clip: Clip, form: DeliveryForm) -> Delivered:
    """The clip in that form, still in memory; needs no database. Raises Undeliverable, UnreadableAudio."""
    with open_sound(clip.path, name="", max_seconds=settings.MAX_CLIP_SECONDS) as stream:
        return deliver(stream, form, length_step_s=LENGTH_STEP_S)


def keep_delivery(clip: Clip, made: Delivered, *, form_name: str) -> DeliveredClip:
    """Keep a delivery under the clip and the form's name, in place of one that was there."""
    row = DeliveredClip(clip=clip, form=form_name)
    with written_whole(row.path) as kept:
        kept.write(made.wav)
    return DeliveredClip.objects.update_or_create(
        clip=clip,
        form=form_name,
        defaults={
            "gain_db": made.gain_db,
            "integrated_lufs": made.integrated_lufs,
            "true_peak_dbtp": made.true_peak_dbtp,
            "bytes": len(made.wav),
        },
    )[0]


def drop_unused_clips(sha256s: Iterable[str]) -> int:
    """Remove those of the named clips that no turn and no trap refers to; return how many went."""
    dropped = 0
    for clip in Clip.objects.filter(sha256__in=list(sha256s)):
        path = clip.path
        try:
            clip.delete()
        except ProtectedError:  # a turn or a trap refers to it
            continue
        if not Clip.objects.filter(sha256=clip.sha256).exists():  # another import may have kept it again
            path.unlink(missing_ok=True)
        dropped += 1
    return dropped


#: Of originals, by their container.
CONTENT_TYPES = {"WAV": "audio/wav", "FLAC": "audio/flac", "MP3": "audio/mpeg", "OGG": "audio/ogg"}


def clip_of_item(item: Item, pk: int) -> Clip | None:
    """The original recording, where it is of the item's prompt or of an answer to it."""
    prompt = Turn.objects.filter(item=item, clip=pk).select_related("clip").first()
    answer = ResponseTurn.objects.filter(response__item=item, clip=pk).select_related("clip").first()
    turn = prompt or answer
    return turn.clip if turn else None
