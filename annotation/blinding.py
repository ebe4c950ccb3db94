"""The one place where the screen's frame (places 1, 2, …) and the stored frame (slots a, b, …) meet.

The arithmetic is that of `protocols.kinds.frames`, because tables of answers are checked by it, too.
"""

from typing import Any

from protocols.answers import ScreenAnswer
from protocols.kinds.frames import in_store, slot_at
from protocols.protocol import Protocol

__all__ = ["in_store", "in_stored_frame", "slot_at"]


def in_stored_frame(said: ScreenAnswer, protocol: Protocol, order: str) -> dict[str, Any]:
    """What was answered on a screen with this order, as the columns of an answer."""
    acceptable_a, acceptable_b = in_store(said.acceptable_1, said.acceptable_2, order)
    return {
        "aspect": said.aspect,
        "slot": slot_at(said.response, order) if said.response else "",
        "value": protocol.aspect(said.aspect).scale.kind.stored(said.value, order),
        "acceptable_a": acceptable_a,
        "acceptable_b": acceptable_b,
    }
