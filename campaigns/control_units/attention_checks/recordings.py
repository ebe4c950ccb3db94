"""Instructions that a researcher recorded: one WAV or FLAC for each answer, alone or in a ZIP."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from django.db import transaction
from django.utils.translation import gettext as _

from campaigns.access import require_draft
from campaigns.control_units.attention_checks.making import possible_instructions
from campaigns.models import Campaign, TrapRecording
from corpus.audio.reading import UnreadableAudio
from corpus.clips.storage import ExaminedClip, drop_unused_clips, examine_clip, keep_clip
from corpus.imports.files.audio_files import ZIP_DAMAGE, sha256_of

SUFFIXES = {".wav", ".flac"}
MOST_FILES = 60
LARGEST_BYTES = 5_000_000
LONGEST_S = 10.0


class UnusableRecordings(ValueError):
    """Recordings that cannot be used. `faults` has a sentence for each file at fault."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def keep_recordings(campaign: Campaign, file: IO[bytes], *, name: str) -> list[TrapRecording]:
    """Keep a recording, or all in a ZIP, under the answers their names stand for, in place of earlier ones of these.

    Raises UnusableRecordings with everything that is wrong, ValueError once the campaign opened; nothing changes.
    """
    known = {instruction.name for instruction in possible_instructions(campaign)}
    examined: dict[str, tuple[IO[bytes], ExaminedClip]] = {}
    faults = []
    for path, content in _files(file, name):
        try:
            answer = _answer_of(path, known)
            examined[answer] = (content, _examined(content, path))
        except (UnusableRecordings, UnreadableAudio) as fault:
            faults.append(str(fault))
    if not examined and not faults:
        faults.append(_("There is no WAV or FLAC file in it."))
    if faults:
        raise UnusableRecordings(faults)
    clips = {answer: keep_clip(content, examination) for answer, (content, examination) in examined.items()}
    with transaction.atomic():
        require_draft(campaign)
        return [
            TrapRecording.objects.update_or_create(campaign=campaign, name=answer, defaults={"clip": clip})[0]
            for answer, clip in clips.items()
        ]


@transaction.atomic
def forget_recordings(campaign: Campaign) -> int:
    """Go back to the packaged voice; return how many recordings went. Raises ValueError once the campaign opened."""
    require_draft(campaign)
    hashes = list(campaign.trap_recordings.values_list("clip__sha256", flat=True))
    campaign.trap_recordings.all().delete()
    drop_unused_clips(hashes)
    return len(hashes)


def _files(file: IO[bytes], name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """What was uploaded, or what is in the ZIP, with its name. Raises UnusableRecordings."""
    if PurePosixPath(name).suffix.lower() != ".zip":
        yield name, _bounded(file, name)
        return
    try:
        with zipfile.ZipFile(file) as archive:
            sounds = [one for one in archive.infolist() if PurePosixPath(one.filename).suffix.lower() in SUFFIXES]
            for one in sounds[:MOST_FILES]:
                with archive.open(one) as content:
                    yield one.filename, _bounded(content, one.filename)
    except (*ZIP_DAMAGE, RuntimeError) as error:
        raise UnusableRecordings([_("This ZIP cannot be read.")]) from error


def _bounded(file: IO[bytes], name: str) -> IO[bytes]:
    content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise UnusableRecordings([_("%(file)s is larger than 5 MB.") % {"file": name}])
    return io.BytesIO(content)


def _answer_of(path: str, known: set[str]) -> str:
    place = PurePosixPath(path)
    if place.suffix.lower() not in SUFFIXES:
        raise UnusableRecordings([_("%(file)s is neither WAV nor FLAC.") % {"file": place.name}])
    if place.stem not in known:
        fault = _("%(file)s stands for no answer of this protocol; the names are %(names)s.")
        raise UnusableRecordings([fault % {"file": place.name, "names": ", ".join(sorted(known))}])
    return place.stem


def _examined(content: IO[bytes], path: str) -> ExaminedClip:
    """Raises UnusableRecordings for silence and for long speeches, UnreadableAudio."""
    name = PurePosixPath(path).name
    examined = examine_clip(content, name=name, sha256=sha256_of(content))
    if examined.audit.integrated_lufs is None:
        raise UnusableRecordings([_("%(file)s is silent.") % {"file": name}])
    if examined.audit.seconds > LONGEST_S:
        raise UnusableRecordings([_("%(file)s is longer than 10 s.") % {"file": name}])
    return examined
