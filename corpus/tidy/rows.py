"""The columns of the table of answers, and what one of its rows says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.tidy.columns import ANSWER, OF_JUDGES, ORIGIN, UNIT
from corpus.tidy.given import COLUMNS, Given

#: The columns as they stand in a row: who answered, and in which order, comes before the answer.
TABLE = (*ORIGIN, *UNIT, *COLUMNS[:2], *ANSWER, *COLUMNS[2:])
TIDY_COLUMNS = tuple(column.name for column in TABLE)
JUDGE_COLUMNS = tuple(column.name for column in OF_JUDGES)
#: `model_a` was heard first, `value` is in the stored frame. `unread`, in the first row of each run of a judge, has
#: the run's verdicts that are no battles, since no answer could be read: unit, order, sample and status of each.
BATTLE_COLUMNS = (
    "question_id", "model_a", "model_b", "winner", "judge", "turn", "anony", "language", "tstamp", "category",
    "rater", "judge_version", "run", "sample", "aspect", "unit", "order", "value", "response_a", "response_b", "used",
    "left_out_because", "left_out_by", "propensity", "unread",
)  # fmt: skip
#: Without these, a row does not say who said what about what.
NEEDED_COLUMNS = tuple(column.name for column in TABLE if column.imported == "needed")
#: How many characters are kept of each cell, and of each text inside a cell of JSON.
LONGEST = {column.name: column.longest for column in TABLE if column.longest}


@dataclass(frozen=True)
class Origin:
    """Where the answers were given, in the words of the table."""

    campaign: str = ""
    protocol: str = ""
    digest: str = ""


@dataclass(frozen=True)
class TidyUnit:
    """What was put before the rater: the names of the systems, and the keys of their takes, by slot.

    Without `responses` it is left open which take of a system it was.
    """

    key: str
    kind: str
    item: str
    category: str
    systems: Mapping[str, str]
    responses: Mapping[str, str]


@dataclass(frozen=True)
class TidyAnswer:
    """The answer to one aspect, of the unit or (with a slot) of one of its responses, in the stored frame."""

    aspect: str
    slot: str
    value: str
    acceptable_a: bool | None = None
    acceptable_b: bool | None = None


@dataclass(frozen=True)
class TidyRow:
    origin: Origin
    unit: TidyUnit
    given: Given
    answer: TidyAnswer


def is_table_of_answers(columns: Iterable[str]) -> bool:
    """Whether these columns are meant for answers: one or two of the needed ones may be missing, and are told."""
    return len(set(NEEDED_COLUMNS) & set(columns)) >= len(NEEDED_COLUMNS) - 2
