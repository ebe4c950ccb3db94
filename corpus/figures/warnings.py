"""What a person should look at: faulty clips, what is out of line with the system's others, the same sound twice."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corpus.figures.distributions import BY_SYSTEM, Limited
from corpus.figures.sounds import Heard
from corpus.models import ItemWarning

Kind = ItemWarning.Kind
OF_FAULTS = {"silent": Kind.SILENT, "clipped": Kind.CLIPPED, "loud": Kind.LOUD}


class Warned(NamedTuple):
    """A row of warnings: the item and system by their ids."""

    item: int
    system: int | None
    kind: str
    same_as: str = ""


def warnings_of(prompts: Iterable[Heard], responses: list[Heard], limited: Limited) -> set[Warned]:
    found = set(_same(prompts, responses))
    for heard in (*prompts, *responses):
        found.update(Warned(heard.item, heard.system, OF_FAULTS[fault]) for fault in heard.faults)
    with_audio = {heard.system for heard in responses if heard.sounds}
    for heard in responses:
        found.update(Warned(heard.item, heard.system, kind) for kind in _out_of_line(heard, limited))
        if heard.system in with_audio and not heard.sounds:
            found.add(Warned(heard.item, heard.system, Kind.NO_AUDIO))
    return found


def _out_of_line(heard: Heard, limited: Limited) -> Iterator[Kind]:
    """Silent clips are warned of as such alone."""
    if "silent" in heard.faults:
        return
    for measure in BY_SYSTEM:
        value, found = getattr(heard, measure.name), limited.get((heard.system, measure.name))
        if value is None or found is None:
            continue
        if value < found.low and measure.below:
            yield measure.below
        elif value > found.high and measure.above:
            yield measure.above


def _same(prompts: Iterable[Heard], responses: list[Heard]) -> Iterator[Warned]:
    """The same sound in two places, and the same words of two systems for one item where nothing sounds."""
    by_sound: dict[str, set[tuple[int, int | None, int]]] = defaultdict(set)
    for n, heard in enumerate((*prompts, *responses)):
        for sound in heard.sounds:
            by_sound[sound.content].add((heard.item, heard.system, n))
    for content, places in by_sound.items():
        if len(places) > 1:
            yield from (Warned(item, system, Kind.SAME_SOUND, content[:16]) for item, system, _ in places)
    by_text: dict[tuple[int, str], set[int | None]] = defaultdict(set)
    for heard in responses:
        words = " ".join(" ".join(heard.texts).split())
        if words and not heard.sounds:
            by_text[heard.item, words].add(heard.system)
    for (item, _words), systems in by_text.items():
        if len(systems) > 1:
            yield from (Warned(item, system, Kind.SAME_TEXT) for system in systems)
