"""What was measured at import, put together for each response: the rows of turns and clips as plain values."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from corpus.audio.faults import Fault, faults_of
from corpus.models import Dataset, ResponseTurn, Turn

_SPOKEN = re.compile(r"\w")
_CLIP = (
    "pk", "seconds", "rate", "channels", "integrated_lufs", "true_peak_dbtp", "clipped_samples",
    "leading_silence_s", "trailing_silence_s", "inner_silence_s", "longest_pause_s",
    "sound_sha256", "sha256",
)  # fmt: skip


class Sound(NamedTuple):
    """A clip's facts, in the order of `_CLIP`."""

    pk: int
    seconds: float
    rate: int
    channels: int
    integrated_lufs: float | None
    true_peak_dbtp: float | None
    clipped_samples: int
    leading_silence_s: float
    trailing_silence_s: float
    inner_silence_s: float | None
    longest_pause_s: float | None
    sound_sha256: str
    sha256: str

    @property
    def silence_s(self) -> float:
        return min(self.seconds, self.leading_silence_s + self.trailing_silence_s)

    @property
    def content(self) -> str:
        """Equal for clips that sound the same; of the file where the samples were not hashed."""
        return self.sound_sha256 or self.sha256


@dataclass
class Heard:
    """A response, or a prompt (`system` is None), with its turns put together."""

    item: int
    system: int | None
    sounds: list[Sound] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        return sum(it.seconds for it in self.sounds) if self.sounds else None

    @property
    def lufs(self) -> float | None:
        """Of its loudest turn."""
        return max((it.integrated_lufs for it in self.sounds if it.integrated_lufs is not None), default=None)

    @property
    def peak(self) -> float | None:
        return max((it.true_peak_dbtp for it in self.sounds if it.true_peak_dbtp is not None), default=None)

    @property
    def silence(self) -> float | None:
        """Silence at the ends of its turns, as a share of its length."""
        return sum(it.silence_s for it in self.sounds) / self.seconds if self.seconds else None

    @property
    def inner_silence(self) -> float | None:
        """Silence inside its turns, as a share of its length; None where one was not measured."""
        known = [it.inner_silence_s for it in self.sounds if it.inner_silence_s is not None]
        return sum(known) / self.seconds if self.seconds and len(known) == len(self.sounds) else None

    @property
    def pause(self) -> float | None:
        """The longest inside a turn, in seconds; None where one was not measured."""
        known = [it.longest_pause_s for it in self.sounds if it.longest_pause_s is not None]
        return max(known) if known and len(known) == len(self.sounds) else None

    @property
    def rate(self) -> float | None:
        """Letters and digits per second between the silences, where every word was given."""
        spoken = sum(it.seconds - it.silence_s for it in self.sounds)
        if spoken <= 0 or not all(self.texts):
            return None
        letters = sum(len(_SPOKEN.findall(text)) for text in self.texts)
        return letters / spoken if letters else None

    @property
    def faults(self) -> set[Fault]:
        return {fault for sound in self.sounds for fault in faults_of(sound)}


def responses_heard(dataset: Dataset, items: Collection[int] | None = None) -> list[Heard]:
    """Every response of the dataset, or of these items, those without any turn left out."""
    of = Q() if items is None else Q(response__item__in=items)
    rows: QuerySet[Any] = ResponseTurn.objects.filter(of, response__item__dataset=dataset).order_by(
        "response", "position"
    )
    return _put_together(rows, "response", "response__item", "response__system")


def prompts_heard(dataset: Dataset, items: Collection[int] | None = None) -> list[Heard]:
    of = Q() if items is None else Q(item__in=items)
    rows: QuerySet[Any] = Turn.objects.filter(of, item__dataset=dataset).order_by("item", "position")
    return _put_together(rows, "item", "item")


def _put_together(rows: QuerySet[Any], owner: str, item: str, *system: str) -> list[Heard]:
    found: dict[int, Heard] = {}
    for pk, text, clip, item_pk, *of in _rows(rows, owner, item, *system):
        heard = found.get(pk) or found.setdefault(pk, Heard(item_pk, of[0] if of else None))
        heard.texts.append(text)
        if clip:
            heard.sounds.append(clip)
    return list(found.values())


def _rows(rows: QuerySet[Any], owner: str, *whose: str) -> Iterator[tuple[Any, ...]]:
    n = 2 + len(whose)
    for row in rows.values_list(owner, "text", *whose, *(f"clip__{name}" for name in _CLIP)).iterator(2000):
        yield row[0], row[1], Sound(*row[n:]) if row[n] is not None else None, *row[2:n]
