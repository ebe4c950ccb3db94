"""What an import is going to make, before anything is made."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

#: item key, system name, take
ResponseKey = tuple[str, str, str]


@dataclass(frozen=True)
class Problem:
    """Something wrong with one row (counted from 1 as in the file), or with the whole upload (row None)."""

    row: int | None
    field: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class PlannedTurn:
    text: str
    #: every audio path given for this turn, with the first row that gave it
    audio: dict[str, int] = field(default_factory=dict)


@dataclass
class PlannedItem:
    category: str
    turns: dict[int, PlannedTurn] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PlannedUnit:
    item: str
    a: ResponseKey
    b: ResponseKey
    source: dict[str, Any]


@dataclass(frozen=True)
class PlannedLabel:
    unit: str
    rater: str
    aspect: str
    value: str


@dataclass
class Plan:
    items: dict[str, PlannedItem] = field(default_factory=dict)
    responses: dict[ResponseKey, dict[int, PlannedTurn]] = field(default_factory=dict)
    units: dict[str, PlannedUnit] = field(default_factory=dict)
    labels: dict[tuple[str, str, str], PlannedLabel] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0

    def refuse(self, row: int | None, field_name: str, message: str) -> None:
        self.problems.append(Problem(row, field_name, message))

    def warn(self, row: int | None, field_name: str, message: str) -> None:
        self.problems.append(Problem(row, field_name, message, "warning"))

    @property
    def systems(self) -> list[str]:
        return sorted({system for _, system, _ in self.responses})

    @property
    def audio_paths(self) -> dict[str, int]:
        """Every audio path with the first row that names it."""
        turns = [turn for item in self.items.values() for turn in item.turns.values()]
        turns += [turn for response in self.responses.values() for turn in response.values()]
        paths: dict[str, int] = {}
        for turn in turns:
            for path, row in turn.audio.items():
                paths.setdefault(path, row)
        return paths
