"""A unit as it is put before a judge: without a name of any system, in one order, perturbed where a probe says so."""

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from campaigns.models import Campaign
from campaigns.rubrics.asking import facts_asked
from corpus.audio.blocks import gathered, mixed_down
from corpus.audio.reading import open_sound
from corpus.datasets.units import slots_of
from corpus.models import Clip, ResponseTurn, Turn, Unit
from judges.kinds.contract import Case, Sound, Spoken
from judges.sounds.perturbations import Perturbation
from protocols import Protocol, for_item

#: The words that are heard in a clip. Raises Unperturbable where there are none to be had.
Recognise = Callable[[Clip], str]


def case_of(
    campaign: Campaign,
    unit: Unit,
    *,
    order: str,
    sample: int = 0,
    perturbation: Perturbation | None = None,
    recognise: Recognise | None = None,
) -> Case:
    """The case that a judge is given. `order` names the slots as they are heard.

    A probe that leaves the words alone has them recognised where the import gave none. Raises Unperturbable.
    """
    slots = slots_of(unit)
    prompt = Turn.objects.filter(item=unit.item_id).select_related("clip").order_by("position")
    said = _turns_by_response(slots.values())
    facts = facts_asked(campaign, unit.item)
    protocol = for_item(campaign.protocol, facts)
    return Case(
        protocol=protocol,
        prompt=tuple(_spoken(turn, perturbation, recognise) for turn in prompt),
        responses=tuple(
            tuple(_spoken(turn, perturbation, recognise) for turn in said.get(slots[slot], [])) for slot in order
        ),
        facts=shown_facts(protocol, unit.item.facts),
        item=unit.item.key,
        sample=sample,
        seed=seed_of(unit.key, order, sample),
    )


def shown_facts(protocol: Protocol, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of the item that raters see, and no other data of the dataset."""
    return {name: facts[name] for name in protocol.shows if facts.get(name)}


def seed_of(key: str, order: str, sample: int) -> int:
    """The same in every installation for the same unit, order and sample.

    >>> seed_of("1 | x | y", "ab", 0)
    2695821133
    """
    said = json.dumps([key, order, sample]).encode()
    return int.from_bytes(hashlib.sha256(said).digest()[:4], "big")


def sound_of(clip: Clip, perturbation: Perturbation | None = None) -> Sound:
    """The clip as it was imported, as mono, or as the perturbation changes it, under a hash of its own."""

    def read() -> tuple[NDArray[np.float64], int]:
        with open_sound(clip.path, name="", max_seconds=settings.MAX_CLIP_SECONDS) as stream:
            samples = gathered(mixed_down(stream.blocks()), channels=1, dtype=np.float64)[:, 0]
        changed = perturbation.apply(samples, stream.rate) if perturbation else samples
        return changed.astype(np.float64, copy=False), stream.rate

    if perturbation is None:
        return Sound(clip.sha256, clip.seconds, read)
    said = f"{clip.sha256} {json.dumps(perturbation.to_json(), sort_keys=True)}"
    return Sound(hashlib.sha256(said.encode()).hexdigest(), seconds_after(perturbation, clip.seconds), read)


def seconds_after(perturbation: Perturbation, seconds: float) -> float:
    """How long a clip is once it is perturbed.

    >>> seconds_after(Perturbation("speed", 25.0), 10.0), seconds_after(Perturbation("trailing_silence", 2.0), 10.0)
    (8.0, 12.0)
    """
    if perturbation.name == "speed":
        return seconds / (1 + perturbation.value / 100)
    return seconds + perturbation.value if perturbation.name == "trailing_silence" else seconds


def _turns_by_response(responses: Iterable[int]) -> dict[int, list[ResponseTurn]]:
    found: dict[int, list[ResponseTurn]] = {}
    rows = ResponseTurn.objects.filter(response__in=list(responses)).select_related("clip")
    for turn in rows.order_by("response", "position"):
        found.setdefault(turn.response_id, []).append(turn)
    return found


def _spoken(turn: Turn | ResponseTurn, perturbation: Perturbation | None, recognise: Recognise | None) -> Spoken:
    if turn.clip is None:
        return Spoken(turn.text)
    if perturbation is not None and perturbation.name == "transcript_only":
        return Spoken(turn.text if turn.text.strip() or recognise is None else recognise(turn.clip))
    changed = perturbation if perturbation and perturbation.changes_audio else None
    return Spoken(turn.text, sound_of(turn.clip, changed))
