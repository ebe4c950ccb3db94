"""Reasons in words: pasted again, or hardly any."""

import re
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Bools

SHINGLE = 4
#: Two texts with so many of their shingles in common are one text.
ALIKE = 0.8
#: Near-duplicates are looked for among so many texts before; exact ones among all.
BACK = 10
#: Texts of so many words are first compared by these, and shingles only where this share of them is common.
SEVERAL_WORDS, FEW_COMMON = 5, 0.5
FEWEST_LETTERS = 8
MAX_TOLERATED = 0.95
#: What this share of the others does less often is the usual.
NEARLY_ALL = 0.25


def normalised(text: str) -> str:
    """
    >>> normalised("  Clearer,   less NOISE! ")
    'clearer less noise'
    """
    return " ".join(re.findall(r"\w+", text.casefold()))


class _Text:
    """A text as its words and, once they are wanted, its shingles: every four characters in a row."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = frozenset(text.split())

    @cached_property
    def shingles(self) -> frozenset[str]:
        return frozenset(self.text[n : n + SHINGLE] for n in range(max(1, len(self.text) - SHINGLE + 1)))

    def is_like(self, other: "_Text") -> bool:
        """Nearly the same. Texts of several words with few in common are told apart by these, which is quicker."""
        if min(len(self.words), len(other.words)) >= SEVERAL_WORDS and _jaccard(self.words, other.words) < FEW_COMMON:
            return False
        return _jaccard(self.shingles, other.shingles) >= ALIKE


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def repetitions(texts: Iterable[str]) -> list[bool]:
    """Whether each text is one of those before, or nearly so (Jaccard's coefficient of shingles; Broder 1997).

    >>> repetitions(["The second is clearer.", "the second is clearer", "The first one crackles."])
    [False, True, False]
    """
    seen: set[str] = set()
    near: deque[_Text] = deque(maxlen=BACK)
    found = []
    for text in map(normalised, texts):
        again = text in seen
        if not again:
            mine = _Text(text)
            again = any(mine.is_like(earlier) for earlier in near)
            near.append(mine)
            seen.add(text)
        found.append(again)
    return found


def is_short(text: str) -> bool:
    return sum(map(str.isalnum, text)) < FEWEST_LETTERS


def repeated_reasons(given: Given, tolerated: float) -> list[Measurement]:
    """The share of reasons that repeat an earlier one."""
    return _beyond_others(given, tolerated, repetitions)


def short_reasons(given: Given, tolerated: float) -> list[Measurement]:
    """The share of reasons of fewer than eight letters."""
    return _beyond_others(given, tolerated, lambda texts: [is_short(text) for text in texts])


def _beyond_others(given: Given, tolerated: float, bad: Callable[[list[str]], list[bool]]) -> list[Measurement]:
    """The share of bad texts of each; what three of four others do, too, is tolerated on top."""
    written: Bools = np.array([bool(text) for text in given.texts], dtype=bool)
    counts = []
    for rater in range(given.n_raters):
        mine = [given.texts[row] for row in np.flatnonzero(written & (given.rater == rater))]
        counts.append((sum(bad(mine)), len(mine)))
    shares = [n_bad / n if n else np.nan for n_bad, n in counts]
    none = reasons.NO_REASON_WRITTEN()
    said = []
    for rater, (n_bad, n) in enumerate(counts):
        others = [shares[o] for o in np.flatnonzero(given.standing) if o != rater and np.isfinite(shares[o])]
        usual = float(np.quantile(others, NEARLY_ALL)) if others else 0.0
        said.append(share_of_bad(n_bad, n, min(tolerated + usual, MAX_TOLERATED), none=none))
    return said


SIGNALS = (
    Signal(
        name="repeated-text",
        place=100,
        title=Phrase("Pasted reasons"),
        meaning=Phrase("The share of written reasons that are, nearly word for word, one of those before."),
        needs=Phrase("an aspect that is answered in words"),
        reason="text",
        default=Rule(0.3, 6, Action.WARN),
        measure=repeated_reasons,
        stage=1,
    ),
    Signal(
        name="short-text",
        place=110,
        title=Phrase("Hardly a reason"),
        meaning=Phrase("The share of written reasons of fewer than eight letters."),
        needs=Phrase("an aspect that is answered in words"),
        reason="text",
        default=Rule(0.4, 6, Action.WARN),
        measure=short_reasons,
        stage=1,
    ),
)
