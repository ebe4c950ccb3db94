"""Headphones: in six trials, which of three tones is the softest. Through loudspeakers it seems another."""

from itertools import permutations
from random import Random
from typing import Any

from annotation.entry_gates.by_ear.trials import EarCheck
from annotation.entry_gates.tries import Verdict
from campaigns.audio.levels import gate_lufs
from campaigns.audio.signals.tones import SOFT, SOUNDS, tone_wav
from campaigns.entry_gates.settings import HEADPHONE_TRIALS, settings_of
from campaigns.models import Gate, GateKind, GateTry

Outcome = GateTry.Outcome


def draw(rng: Random) -> dict[str, Any]:
    """Every order of the three tones once, in an order of its own, so that no place is right more often."""
    orders = [list(order) for order in permutations(SOUNDS)]
    rng.shuffle(orders)
    return {"orders": orders}


def sound(one: GateTry, place: int) -> bytes:
    """A mono clip of −23 LUFS on both ears has an RMS of about −23 dBFS in each, so the numbers are the same."""
    return tone_wav(one.drawn["orders"][len(one.said)][place - 1], rms_dbfs=gate_lufs(one.campaign))


def verdict(one: GateTry) -> Verdict | None:
    if len(one.said) < HEADPHONE_TRIALS:
        return None
    chosen = [order[said - 1] for order, said in zip(one.drawn["orders"], one.said, strict=True)]
    n_right = chosen.count(SOFT)
    gate = Gate.objects.get(campaign=one.campaign_id, kind=GateKind.HEADPHONES)
    outcome = Outcome.PASSED if n_right >= settings_of(gate).pass_at else Outcome.FAILED
    return Verdict(outcome, score=n_right, details={"chosen": chosen, "of": HEADPHONE_TRIALS})


HEADPHONES = EarCheck(places=3, most=HEADPHONE_TRIALS, draw=draw, sound=sound, verdict=verdict)
