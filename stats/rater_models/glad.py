"""The label behind what several raters say, by how able each rater and how hard each unit is (GLAD)."""

from dataclasses import dataclass

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints
from stats.rater_models.dawid_skene import Said

#: Mean of the normal priors of abilities and of log easiness, whose standard deviation is 1.
_PRIOR = 1.0
_STEPS = 2_000


@dataclass(frozen=True, eq=False)
class Glad:
    """`posterior`, shape (units, categories); `ability` of each rater, 0 is a guess; `easiness` of each unit.

    A rater is right with the probability 1 / (1 + exp(−ability · easiness)). With a `reason` nothing was fitted.
    """

    posterior: Floats
    ability: Floats
    easiness: Floats
    steps: int
    reason: Reason | None = None

    @property
    def labels(self) -> Ints:
        """The most probable label of each unit."""
        return np.asarray(self.posterior.argmax(axis=1), dtype=np.int64)


def glad(said: Said) -> Glad:
    """The maximum of the posterior of GLAD (Whitehill et al. 2009), over abilities and easiness at once.

    All labels are equally probable beforehand, and a wrong one is any of the others. Abilities and the logarithm of
    easiness have the normal prior N(1, 1) of the paper. The maximum is that of the marginal likelihood, to which the
    paper's EM climbs, found by L-BFGS from the same start. Undefined as `dawid_skene`.

    >>> units, raters = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    >>> found = glad(Said(units, raters, np.array([0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1]), 4, 3, 2))
    >>> found.labels.tolist(), bool(found.ability[0] > found.ability[2])
    ([0, 1, 0, 1], True)
    """
    n_units, n_raters, k = said.n_units, said.n_raters, said.n_categories
    reason = None
    if not len(said.units) or np.bincount(said.units).max() < 2:
        reason = reasons.NO_OVERLAP()
    elif np.ptp(said.labels) == 0:
        reason = reasons.SAME_LABEL()
    if reason is None:
        start = np.full(n_raters + n_units, _PRIOR)
        done = scipy.optimize.minimize(
            _loss, start, args=(said,), jac=True, method="L-BFGS-B",
            options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "ftol": 1e-13, "gtol": 1e-6, "maxcor": 20},
        )  # fmt: skip
        if done.success:
            logs, *_ = _logs(done.x, said)
            posterior = scipy.special.softmax(logs, axis=1)
            return Glad(posterior, done.x[:n_raters], np.exp(done.x[n_raters:]), int(done.nit))
        reason = reasons.MODEL_UNSETTLED(n=_STEPS)
    empty = np.full((n_units, k), np.nan)
    return Glad(empty, np.full(n_raters, np.nan), np.full(n_units, np.nan), 0, reason)


def _logs(at: Floats, said: Said) -> tuple[Floats, Floats, Floats, Floats]:
    """The log probability of each unit's labels under each true one; and of each label, ability, easiness, right."""
    ability, easiness = at[said.raters], np.exp(at[said.n_raters + said.units])
    product = ability * easiness
    log_right = -np.logaddexp(0, -product)
    log_wrong = -np.logaddexp(0, product) - np.log(said.n_categories - 1)
    wrong = np.bincount(said.units, weights=log_wrong, minlength=said.n_units)
    cells = said.units * said.n_categories + said.labels
    more = np.bincount(cells, weights=log_right - log_wrong, minlength=said.n_units * said.n_categories)
    logs = wrong[:, np.newaxis] + more.reshape(said.n_units, said.n_categories)
    return np.asarray(logs, dtype=np.float64), ability, np.asarray(easiness), scipy.special.expit(product)


def _loss(at: Floats, said: Said) -> tuple[float, Floats]:
    """Less the log posterior, without constants, and its slope."""
    logs, ability, easiness, right = _logs(at, said)
    of_unit = scipy.special.logsumexp(logs, axis=1)
    posterior = np.exp(logs - of_unit[:, np.newaxis])
    off = posterior[said.units, said.labels] - right
    slope = -(at - _PRIOR)
    slope[: said.n_raters] += np.bincount(said.raters, weights=off * easiness, minlength=said.n_raters)
    slope[said.n_raters :] += np.bincount(said.units, weights=off * easiness * ability, minlength=said.n_units)
    return -float(of_unit.sum() - ((at - _PRIOR) ** 2).sum() / 2), -slope
