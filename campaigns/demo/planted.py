"""The answers that follow from what was planted in the demo's systems, so that judges can be held against them."""

from collections.abc import Iterator

from campaigns.demo.speech import DEMO_SYSTEMS, DemoSystem
from protocols.typed_ties import typed_tie

DIMENSIONS = ("content", "voice_quality", "paralinguistics")


def planted_labels(a: str, b: str) -> Iterator[tuple[str, str, bool, bool]]:
    """Aspect, label in the stored frame, and whether each is acceptable, for a pair of the demo's systems.

    A response is acceptable where nothing was planted: in that dimension, and overall in any. Raises KeyError for
    systems that are none of the demo's.

    >>> [label for _, label, _, _ in planted_labels("aurora", "breeze")]
    ['both_good', 'a', 'both_good', 'a']
    """
    systems = {system.name: system for system in DEMO_SYSTEMS}
    faults = [faulty_dimension(systems[name]) for name in (a, b)]
    for aspect in (*DIMENSIONS, "overall"):
        first, second = (fault == "" or aspect not in (fault, "overall") for fault in faults)
        label = typed_tie(acceptable_1=first, acceptable_2=second, better="both_good" if first and second else None)
        yield aspect, {"1": "a", "2": "b"}.get(label, label), first, second


def faulty_dimension(system: DemoSystem) -> str:
    """The dimension in which its fault was planted; nothing where it has none."""
    if system.reading.wrong_words:
        return "content"
    if system.snr_db is not None or system.drive_db is not None:
        return "voice_quality"
    changed = system.reading.speed != 1.0 or system.reading.pitch_spread != 1.0
    return "paralinguistics" if changed else ""
