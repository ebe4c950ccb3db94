"""What the responses of each vote differ in, whichever their systems: length, loudness, speed, and who came first."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analytics.data.votes.table import Ballot, Subject
from campaigns.models import Campaign
from corpus.models import ResponseTurn, Unit
from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints

#: A covariate that is known of fewer votes would leave out more than it explains.
KNOWN = 0.95

SECONDS, LOUDNESS, RATE, FIRST = "seconds", "loudness", "rate", "first"
NAMES = (SECONDS, LOUDNESS, RATE, FIRST)

EQUALLY_LOUD = reasons.EQUALLY_LOUD()
UNKNOWN = reasons.FEW_VOTES_KNOWN()
WITHOUT_ORDER = reasons.FIRST_NOT_SAID()
BOTH_ORDERS = reasons.BOTH_ORDERS()
NO_VOTES = reasons.NO_VOTES()

Turn = tuple[str, float | None, float | None]


@dataclass(frozen=True, eq=False)
class Context:
    """By covariate, what the first response of each vote has more of than the second; or why it is not used."""

    columns: dict[str, Floats]
    unused: dict[str, Reason]


@dataclass(frozen=True)
class Facts:
    """Of a response: its length in seconds, loudness in LUFS, words per second, words; NaN where unknown."""

    seconds: float = math.nan
    loudness: float = math.nan
    rate: float = math.nan
    words: float = math.nan


def context_of(subject: Subject, ballot: Ballot) -> Context:
    """The covariates of a ballot's votes, in their order."""
    columns: dict[str, Floats] = {}
    unused: dict[str, Reason] = {}
    differences = _differences(subject, ballot)
    for name, column in differences.items():
        if why := _why_not(name, subject, ballot, column):
            unused[name] = why
        else:
            columns[name] = column
    return Context(columns, unused)


def facts_of(turns: Iterable[Turn]) -> Facts:
    """Of a response's turns, each with its text, seconds and loudness. Loudness is a mean over time.

    >>> facts_of([("one two", 2.0, -20.0), ("three four five", 3.0, -25.0)])
    Facts(seconds=5.0, loudness=-23.0, rate=1.0, words=5.0)
    """
    rows = list(turns)
    lengths = [seconds for _, seconds, _ in rows if seconds]
    words = [len(text.split()) for text, _, _ in rows]
    n_words = float(sum(words)) if words and all(words) else math.nan
    if not rows or len(lengths) < len(rows):
        return Facts(words=n_words)
    seconds = sum(lengths)
    levels = [level for _, _, level in rows if level is not None]
    loudness = math.nan
    if len(levels) == len(rows):
        loudness = math.fsum(map(math.prod, zip(levels, lengths, strict=True))) / seconds
    return Facts(seconds, loudness, n_words / seconds, n_words)


def response_facts(dataset: int) -> dict[int, Facts]:
    """By response of the dataset (its id), in one query."""
    turns: dict[int, list[Turn]] = defaultdict(list)
    rows = ResponseTurn.objects.filter(response__item__dataset=dataset).order_by("response", "position")
    for response, text, seconds, level in rows.values_list(
        "response", "text", "clip__seconds", "clip__integrated_lufs"
    ):
        turns[response].append((text, seconds, level))
    return {response: facts_of(said) for response, said in turns.items()}


def _differences(subject: Subject, ballot: Ballot) -> dict[str, Floats]:
    facts = response_facts(subject.dataset_id)
    pairs = Unit.objects.filter(dataset=subject.dataset_id, kind=Unit.Kind.PAIR).values_list("pk", "a", "b")
    keys = np.array([(pk, a, b) for pk, a, b in pairs], dtype=np.int64).reshape(-1, 3)
    keys = keys[np.argsort(keys[:, 0])]
    at = np.searchsorted(keys[:, 0], ballot.units)
    sign = np.where(ballot.swapped, -1.0, 1.0)
    found = {}
    for name in (SECONDS, LOUDNESS, RATE):
        a, b = (_column(facts, keys[:, side], name) for side in (1, 2))
        found[name] = sign * (a - b)[at]
    return found | {FIRST: np.ones(len(ballot.units))}


def _column(facts: dict[int, Facts], responses: Ints, name: str) -> Floats:
    nothing = Facts()
    return np.array([getattr(facts.get(int(it), nothing), name) for it in responses], dtype=np.float64)


def _why_not(name: str, subject: Subject, ballot: Ballot, column: Floats) -> Reason | None:
    if not len(ballot.units):
        return NO_VOTES
    if name == FIRST and ballot.without_order:
        return BOTH_ORDERS if ballot.judged else WITHOUT_ORDER
    if name == FIRST:
        return None
    if name == LOUDNESS and not ballot.judged and _was_equally_loud(subject):  # judges hear clips as they came
        return EQUALLY_LOUD
    return UNKNOWN if np.isnan(column).mean() > 1 - KNOWN else None


def _was_equally_loud(subject: Subject) -> bool:
    """Of imported answers, as the campaigns played it that asked the same of this dataset: theirs came with them."""
    if isinstance(subject, Campaign):
        return subject.target_lufs is not None
    asked = Campaign.objects.filter(dataset=subject.dataset_id, protocol_digest=subject.protocol_digest)
    targets = list(asked.values_list("target_lufs", flat=True)) if subject.protocol_digest else []
    return bool(targets) and None not in targets
