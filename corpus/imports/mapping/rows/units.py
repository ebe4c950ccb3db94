"""Which unit a foreign row is about: that of its key, of its item and systems, or of the files of its sides."""

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.imports.mapping.known import Known
from corpus.tidy.keys import unit_key


@dataclass(frozen=True)
class Found:
    """The unit of a row of answers; `turned` where it has the two systems the other way round."""

    key: str
    item: str
    systems: dict[str, str]
    takes: dict[str, str]
    turned: bool = False


class SameOnBothSides(ValueError):
    """A row compares a response with itself."""

    def __init__(self, item: str, system: str) -> None:
        super().__init__(f"{system} on both sides of {item}")
        self.item, self.system = item, system


def find_unit(known: Known, base: Mapping[str, str], sides: list[tuple[str, str]]) -> Found | None:
    """The unit of (system, path of its sound) for each side, as far as a row names them; None where it is of none.

    `base` may have the key of a `pair`, the `item` and the `take`. Responses that no unit has are one of their own.
    Raises SameOnBothSides.
    """
    if key := _key_there(known, base, sides):
        return _there(key, [system for system, _ in sides], known)
    item, take = base.get("item", ""), base.get("take", "")
    if not take and not any(name or path for name, path in sides) and (only := known.only_response_of(item)):
        return new_unit(item, [only[1:]], "")
    found = [one for system, path in sides if (one := known.response(item, system, path, take))]
    if len(found) < len(sides) or len({one[0] for one in found}) > 1:
        return None
    if len(set(found)) < len(found):
        raise SameOnBothSides(item or base.get("pair", ""), found[0][1])
    if key := known.unit_of(found):
        return _there(key, [system for _, system, _ in found], known)
    return new_unit(found[0][0], [(system, take) for _, system, take in found], "")


def _key_there(known: Known, base: Mapping[str, str], sides: list[tuple[str, str]]) -> str:
    """The key of the unit that is named by itself, by its item alone, or by its item and systems."""
    if (pair := base.get("pair", "")) in known.units and pair:
        return pair
    if any(path for _, path in sides) or base.get("take"):
        return ""
    item, names = base.get("item", ""), [system for system, _ in sides]
    return known.unit_of_systems(item, names) if any(names) else known.only_unit_of(item)


def new_unit_of(base: Mapping[str, str], sides: list[tuple[str, str]]) -> Found:
    """A unit of which nothing but the table is known. Of one system it has two takes, by their files.

    Raises SameOnBothSides.
    """
    item, key, names = base.get("item", ""), base.get("pair", ""), [system for system, _ in sides]
    if len(sides) < 2 or len(set(names)) > 1:
        return new_unit(item, [(system, base.get("take", "")) for system in names], key)
    if sides[0] == sides[1]:
        raise SameOnBothSides(item or key, names[0])
    return new_unit(item, sides, key or unit_key(item, *names, *(path for _, path in sides)))


def new_unit(item: str, responses: list[tuple[str, str]], key: str) -> Found:
    systems = {slot: system for slot, (system, _) in zip("ab", responses, strict=False)}
    takes = {slot: take for slot, (_, take) in zip("ab", responses, strict=False) if take}
    if len(systems) == 1:
        return Found(key or unit_key(item, systems["a"], takes.get("a") or "1"), item, systems, takes)
    return Found(key or unit_key(item, *systems.values()), item, systems, takes)


def _there(key: str, systems: list[str], known: Known) -> Found:
    unit = known.units[key]
    there = [system for _, system, _ in unit]
    turned = len(there) == 2 and any(systems) and systems[::-1] == there and systems != there
    names = {slot: system for slot, (_, system, _) in zip("ab", unit, strict=False)}
    takes = {slot: take for slot, (_, _, take) in zip("ab", unit, strict=False)}
    return Found(key, unit[0][0], names, takes, turned)
