"""Surroundings: the softest noise that the annotator hears behind a voice, in their place and with their device."""

from random import Random
from typing import Any

from annotation.entry_gates.by_ear.trials import EarCheck
from annotation.entry_gates.tries import Verdict
from campaigns.audio.levels import gate_form
from campaigns.audio.signals.noisy_speech import noisy_speech_wav
from campaigns.audio.signals.staircase import CLEAN_DB, MOST_PAIRS, Staircase, climb
from campaigns.entry_gates.settings import settings_of
from campaigns.models import Gate, GateKind, GateTry

Outcome = GateTry.Outcome


def draw(rng: Random) -> dict[str, Any]:
    """The place of the voice with less noise in each pair."""
    return {"clean": [rng.choice([1, 2]) for _ in range(MOST_PAIRS)]}


def sound(one: GateTry, place: int) -> bytes:
    is_clean = one.drawn["clean"][len(one.said)] == place
    return noisy_speech_wav(CLEAN_DB if is_clean else _staircase(one).snr_db, gate_form(one.campaign))


def verdict(one: GateTry) -> Verdict | None:
    """Passed where noise was noticed down to what the campaign asks; no threshold at all is not passed."""
    stairs = _staircase(one)
    if not stairs.is_over:
        return None
    gate = Gate.objects.get(campaign=one.campaign_id, kind=GateKind.ENVIRONMENT)
    enough = stairs.threshold_db is not None and stairs.threshold_db >= settings_of(gate).pass_db
    details = {"turns_db": stairs.turns, "pairs": len(one.said), "right": sum(_right(one))}
    return Verdict(Outcome.PASSED if enough else Outcome.FAILED, score=stairs.threshold_db, details=details)


def _staircase(one: GateTry) -> Staircase:
    return climb(_right(one))


def _right(one: GateTry) -> list[bool]:
    return [clean == said for clean, said in zip(one.drawn["clean"], one.said, strict=False)]


ENVIRONMENT = EarCheck(places=2, most=MOST_PAIRS, draw=draw, sound=sound, verdict=verdict)
