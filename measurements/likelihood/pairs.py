"""How often the positive sequence of a pair is the likelier one (Eq. 2)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from infrastructure.wording.reasons import Reason
from measurements.likelihood.nll import (
    DELTA,
    TokenSequence,
    Undefined,
    nll_global,
    nll_localized,
    nll_normalized,
    nll_windowed,
)

Likelihood = Callable[[TokenSequence], float]


@dataclass(frozen=True)
class Preferred:
    """Of so many pairs the positive was likelier, as likely, or less likely; others had no likelihood, and why."""

    right: int = 0
    equal: int = 0
    wrong: int = 0
    undefined: dict[Reason, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Pairs that were decided. Equally likely ones count as not preferred: Eq. 2 is strict."""
        return self.right + self.equal + self.wrong

    @property
    def accuracy(self) -> float | None:
        return self.right / self.n if self.n else None


def likelihoods(delta: int = DELTA) -> dict[str, Likelihood]:
    """The kinds of likelihood by name, with this window."""
    return {
        "global": nll_global,
        "localized": partial(nll_localized, delta=delta),
        "normalized": nll_normalized,
        "normalized localized": partial(nll_normalized, delta=delta),
        "windowed": partial(nll_windowed, delta=delta),
    }


def preferred(pairs: Iterable[tuple[TokenSequence, TokenSequence]], nll: Likelihood) -> Preferred:
    """Count over (positive, negative) pairs for which the positive has the smaller `nll`.

    >>> import numpy as np
    >>> sure, unsure = TokenSequence(np.array([-0.1])), TokenSequence(np.array([-2.0]))
    >>> preferred([(sure, unsure), (unsure, sure), (sure, sure)], nll_global).accuracy
    0.3333333333333333
    """
    right = equal = wrong = 0
    undefined: dict[Reason, int] = {}
    for positive, negative in pairs:
        try:
            difference = nll(positive) - nll(negative)
        except Undefined as why:
            undefined[why.reason] = undefined.get(why.reason, 0) + 1
            continue
        right += difference < 0
        equal += difference == 0
        wrong += difference > 0
    return Preferred(right, equal, wrong, undefined)
