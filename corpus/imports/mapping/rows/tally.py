"""What became of a foreign table: what of it was read, what is left out, and what is not decided."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What became of a table: how many rows there were, and what of them is left out. `undecided` has first rows."""

    rows: int = 0
    made: int = 0
    #: whether the answers came with responses, of which another tally says what is left out
    with_responses: bool = False
    undecided: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    not_turned: list[tuple[int, str, str]] = field(default_factory=list)
    #: (row, column) of lists and objects where a text is read
    no_text: list[tuple[int, str]] = field(default_factory=list)
    rows_left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    values_left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    empty: Counter[str] = field(default_factory=Counter)
    #: rows about a pair that an earlier row made, with the same answers
    repeated: int = 0
    #: numbers with a decimal comma, by column
    commas: Counter[str] = field(default_factory=Counter)
    unmatched: int = 0
    some_unmatched: list[tuple[int, str]] = field(default_factory=list)
    #: rows that have one response on both sides
    same: int = 0
    some_same: list[tuple[int, str]] = field(default_factory=list)

    def undecide(self, number: int, column: str, value: str) -> None:
        self.undecided.setdefault((column, value), [number, 0])[1] += 1
