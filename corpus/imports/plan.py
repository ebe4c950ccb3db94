"""What an import is going to make, before anything is made."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from corpus.imports import reasons
from corpus.imports.manifest.columns import Candidate, Unused
from corpus.imports.manifest.items import Clash, Repeated
from infrastructure.wording.reasons import Reason

#: item key, system name, take
ResponseKey = tuple[str, str, str]


@dataclass(frozen=True)
class Problem:
    """Something wrong with one row (by the number that `read_rows` gives it), or with the whole upload (row None).

    `choice` names what can be chosen to settle it, where the file need not be mended.
    """

    row: int | None
    field: str
    message: Reason
    severity: Literal["error", "warning"] = "error"
    choice: str = ""

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
    #: what the numbers of rows count: lines of the file, or rows where it has no lines of its own
    place: Literal["line", "row"] = "row"
    unused: list[Unused] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    label_columns: list[Candidate] = field(default_factory=list)
    item_columns: list[Candidate] = field(default_factory=list)
    #: the rows of prompts without words
    wordless: list[int] = field(default_factory=list)

    def refuse(self, row: int | None, field_name: str, message: Reason, *, choice: str = "") -> None:
        self.problems.append(Problem(row, field_name, message, choice=choice))

    def warn(self, row: int | None, field_name: str, message: Reason) -> None:
        self.problems.append(Problem(row, field_name, message, "warning"))

    def warn_of_wordless(self) -> None:
        if self.wordless:
            prompts, where = counted(len(self.wordless), "prompt"), self.places(self.wordless)
            self.warn(min(self.wordless), "prompt_text", reasons.WITHOUT_WORDS(prompts=prompts, where=where))

    def places(self, rows: Iterable[int], *, most: int = 5) -> Reason:
        """Where these rows are, some of them by number.

        >>> Plan(place="line").places([2, 3, 5, 8, 9, 12, 15])
        'lines 2, 3, 5, 8, 9 and 2 more'
        """
        numbers = sorted(set(rows))
        some, n_more = ", ".join(map(str, numbers[:most])), len(numbers) - most
        one, several, more = reasons.PLACES[self.place]
        return more(numbers=some, n=n_more) if n_more > 0 else (several if len(numbers) > 1 else one)(numbers=some)

    @property
    def is_refused_whole(self) -> bool:
        """Whether something is wrong that no single row can mend, so that its files need not be looked at yet."""
        return any(it.severity == "error" and (it.row is None or it.choice) for it in self.problems)

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


def counted(n: int, noun: str) -> Reason:
    """The noun with its number.

    >>> counted(1, "pair"), counted(2, "pair")
    ('1 pair', '2 pairs')
    """
    return reasons.COUNTED[noun][n != 1](n=n)
