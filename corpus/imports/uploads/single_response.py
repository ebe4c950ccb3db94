"""One response by itself: brought in as an import of one row, checked and audited as any other."""

import json
import shutil
import tempfile
import zipfile
from functools import partial
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile

from accounts.models import User
from corpus.imports import reasons
from corpus.imports.uploads.actions import begin_import
from corpus.models import Import, Item, Turn
from infrastructure.wording.reasons import Reasoned

MANIFEST = "response.json"


class NoSuchTurn(Reasoned, ValueError):
    """The item asks nothing at this turn."""


def upload_response(
    item: Item, *, system: str, take: str = "", turn: int = 1, text: str = "", audio: UploadedFile | None, user: User
) -> Import:
    """Keep what a system said at a turn of an item, queue its check, and have it written where that finds no error.

    Without `audio`, its words alone. Raises NoSuchTurn, ArchivedDataset, and PermissionDenied for somebody else's
    dataset.
    """
    if (asked := item.turns.select_related("clip").filter(position=turn).first()) is None:
        raise NoSuchTurn(reasons.ITEM_WITHOUT_TURN(item=item, turn=turn))
    row: dict[str, object] = {
        "item": item.key, "turn": turn, "prompt_text": asked.text, "system": system, "take": take,
        "response_text": text,
    }  # fmt: skip
    begin = partial(begin_import, user=user, dataset_name=item.dataset.name, writes_at_once=True)
    if audio is None:
        return begin(manifest=_manifest(row), archive=None, without_audio=True)
    row["response_audio"] = audio.name
    needs_prompt = bool(asked.clip and not asked.text)  # a row whose prompt has no words needs its sound
    if needs_prompt:
        row["prompt_audio"] = f"prompt/{asked.path}"
    with tempfile.TemporaryFile() as file:
        _pack(file, audio, {f"prompt/{asked.path}": asked} if needs_prompt else {})
        archive = UploadedFile(file, "audio.zip")
        return begin(manifest=_manifest(row), archive=archive)


def _manifest(row: dict[str, object]) -> UploadedFile:
    return UploadedFile(ContentFile(json.dumps([row]).encode()), MANIFEST)


def _pack(file: IO[bytes], audio: UploadedFile, prompts: dict[str, Turn]) -> None:
    """As it is: sound does not become smaller."""
    with zipfile.ZipFile(file, "w") as packed:
        with packed.open(str(audio.name), "w", force_zip64=True) as member:
            for chunk in audio.chunks():
                member.write(chunk)
        for name, turn in prompts.items():
            if turn.clip:
                with packed.open(name, "w", force_zip64=True) as member, turn.clip.path.open("rb") as sound:
                    shutil.copyfileobj(sound, member)
    file.seek(0)
