"""What a dataset holds, as far as foreign rows can name it: items, systems, file names, units. Plain data."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

#: item key, system name, take
Answered = tuple[str, str, str]


@dataclass
class Named:
    """What rows name: keys of items and of pairs, and paths of sound."""

    items: set[str] = field(default_factory=set)
    pairs: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)


@dataclass
class Known:
    """`by_file` has the response of each path and of each file name; None where several have this name.

    `by_stem` has them by their names without ending, which is how programs that measure clips call them.
    """

    systems: set[str] = field(default_factory=set)
    takes: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    by_file: dict[str, Answered | None] = field(default_factory=dict)
    by_stem: dict[str, Answered | None] = field(default_factory=dict)
    units: dict[str, list[Answered]] = field(default_factory=dict)
    _responses: dict[str, list[Answered]] = field(default_factory=lambda: defaultdict(list))
    _by_responses: dict[frozenset[Answered], str] = field(default_factory=dict)
    _by_item: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _by_systems: dict[tuple[str, frozenset[str]], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add_response(self, response: Answered, path: str = "") -> None:
        item, system, take = response
        self.systems.add(system)
        if take not in self.takes[item, system]:
            self.takes[item, system].append(take)
            self._responses[item].append(response)
        for name in {path, PurePosixPath(path).name} - {""}:
            there = self.by_file.setdefault(name, response)
            if there != response:
                self.by_file[name] = None
        if path and self.by_stem.setdefault(stem := PurePosixPath(path).stem, response) != response:
            self.by_stem[stem] = None

    def add_unit(self, key: str, responses: Iterable[Answered]) -> None:
        there = self.units[key] = list(responses)
        self._by_responses.setdefault(frozenset(there), key)
        self._by_item[there[0][0]].append(key)
        self._by_systems[there[0][0], frozenset(system for _, system, _ in there)].append(key)

    def unit_of(self, responses: list[Answered]) -> str:
        """The key of the unit of exactly these responses; empty where there is none."""
        return self._by_responses.get(frozenset(responses), "")

    def only_unit_of(self, item: str) -> str:
        """The key of the only pair of the item, or of its only unit; empty where it has several."""
        keys = self._by_item.get(item, [])
        pairs = [key for key in keys if len(self.units[key]) > 1] or keys
        return pairs[0] if len(pairs) == 1 else ""

    def only_response_of(self, item: str) -> Answered | None:
        """The only response of the item; None where it has several, or none."""
        found = self._responses.get(item, [])
        return found[0] if len(found) == 1 else None

    def unit_of_systems(self, item: str, systems: list[str]) -> str:
        """The key of the only unit of this item with these systems, whichever their takes; empty otherwise."""
        keys = self._by_systems.get((item, frozenset(systems)), []) if item and all(systems) else []
        alike = [key for key in keys if len(self.units[key]) == len(systems)]
        return alike[0] if len(alike) == 1 else ""

    def response(self, item: str, system: str, path: str, take: str) -> Answered | None:
        """The response that a row names by its item, its system and its file, as far as it names them."""
        if path:
            there = self.by_file.get(path) or self.by_file.get(PurePosixPath(path).name) or self.by_stem.get(path)
            if there and item in ("", there[0]) and system in ("", there[1]):
                return there
        if take and take in self.takes.get((item, system), ()):
            return (item, system, take)
        takes = self.takes.get((item, system), []) if system else []
        return (item, system, takes[0]) if len(takes) == 1 else None
