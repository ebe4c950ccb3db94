"""The columns of the table of answers, and what one of its rows says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

TIDY_COLUMNS = (
    "campaign", "protocol", "protocol_digest", "unit", "kind", "item", "category", "system_a", "system_b", "systems",
    "responses", "annotator", "order", "aspect", "slot", "system", "value", "acceptable_a", "acceptable_b",
    "confidence", "flag", "marks", "shown_at", "recorded_at", "seconds", "revision", "coverage", "plays", "played_s",
    "switches", "hidden_s", "language", "purpose", "excluded", "excluded_by", "expected",
    "propensity",
)  # fmt: skip
#: What exports add: which judge said it, in which run and which sample, what became of it, and why it said so. Empty
#: in the rows of people.
JUDGE_COLUMNS = ("judge", "judge_version", "judge_digest", "judge_model", "run", "sample", "status", "reasoning")
#: `model_a` was heard first, `value` is in the stored frame. `unread`, in the first row of each run of a judge, has
#: the run's verdicts that are no battles, since no answer could be read: unit, order, sample and status of each.
BATTLE_COLUMNS = (
    "question_id", "model_a", "model_b", "winner", "judge", "turn", "anony", "language", "tstamp", "category",
    "rater", "judge_version", "run", "sample", "aspect", "unit", "order", "value", "response_a", "response_b", "used",
    "left_out_because", "left_out_by", "propensity", "unread",
)  # fmt: skip
#: Without these, a row does not say who said what about what.
NEEDED_COLUMNS = ("unit", "kind", "item", "systems", "annotator", "aspect", "value")
#: annotator and purpose
Rater = tuple[str, str]
#: Who can have left an answer out: a person, whom no table names, or a rule.
EXCLUDED_BY = ("person", "rule")
#: What is said of a defect; `slot` is `prompt` where it is in the prompt.
MARK = ("slot", "turn", "start", "end", "kind")


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


@dataclass(frozen=True, slots=True)
class Given:
    """What all the answers of one rater to one unit have in common; `listening` as an annotation keeps it.

    `purpose` is what the unit was there for: the study, or a check, whose `expected` has the values that pass by
    aspect. `excluded` is the reason for which the answers are left out of the analysis. `propensity` is the chance
    with which an arena drew the pair.
    """

    annotator: str
    order: str = ""
    shown_at: datetime | None = None
    recorded_at: datetime | None = None
    revision: int | None = None
    confidence: int | None = None
    flag: str = ""
    marks: tuple[Mapping[str, Any], ...] = ()
    listening: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""
    purpose: str = ""
    excluded: str = ""
    excluded_by: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    propensity: float | None = None

    @property
    def rater(self) -> Rater:
        """The same person is another rater where they answer checks: the unit may be one of the study, too."""
        return self.annotator, self.purpose

    @property
    def seconds(self) -> float | None:
        """How long the unit was before the rater."""
        if self.shown_at is None or self.recorded_at is None:
            return None
        return round((self.recorded_at - self.shown_at).total_seconds(), 3)


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
