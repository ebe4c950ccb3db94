"""The label behind what several raters say, and how each rater confuses labels (Dawid & Skene 1979)."""

from dataclasses import dataclass

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, Ints
from stats.rater_models.rated import groups
from stats.results import Estimate, Interval

#: As small as a probability gets, so that what was never seen is not impossible.
_LEAST = 1e-10
_STEPS = 2_000
#: The steps have settled when the likelihood per label grows by less.
_SETTLED = 1e-9
_GROUPS = 20
_METHOD = "Dawid–Skene"


@dataclass(frozen=True, eq=False)
class Said:
    """An entry per label: the numbers of its unit and rater, and the place of the label among the categories.

    A rater may have labelled a unit more than once.
    """

    units: Ints
    raters: Ints
    labels: Ints
    n_units: int
    n_raters: int
    n_categories: int


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """`posterior`, shape (units, categories), is how probable each label is of each unit.

    `prevalence` is the share of each label, and `confusion`, shape (raters, categories, categories), how often a
    rater says the second where the first is true. With a `reason` nothing was fitted.
    """

    posterior: Floats
    prevalence: Floats
    confusion: Floats
    log_likelihood: float
    steps: int
    reason: Reason | None = None

    @property
    def labels(self) -> Ints:
        """The most probable label of each unit."""
        return np.asarray(self.posterior.argmax(axis=1), dtype=np.int64)

    @property
    def accuracy(self) -> Floats:
        """How probably each rater says what is true, over all units."""
        return np.asarray(np.einsum("k,rkk->r", self.prevalence, self.confusion))


def said_of(table: LabelTable) -> Said:
    """The labels of a table, one by one."""
    units, raters = np.nonzero(table.codes >= 0)
    labels = table.codes[units, raters]
    n_units, n_raters = table.codes.shape
    return Said(units.astype(np.int64), raters.astype(np.int64), labels, n_units, n_raters, len(table.categories))


def dawid_skene(said: Said) -> DawidSkene:
    """Maximum likelihood by EM, from the shares of labels that each unit got (Dawid & Skene 1979).

    Labels of a unit are taken as independent, given the true one. Units without labels have the prevalence as their
    posterior. Undefined where no unit has two labels, where all are the same, and where EM does not settle.

    >>> from stats.agreement.labels import label_table
    >>> found = dawid_skene(said_of(label_table([["a", "b", "a", "b"], ["a", "b", "a", "b"], ["b", "a", "a", "b"]])))
    >>> found.labels.tolist(), found.accuracy.round(2).tolist()
    ([0, 1, 0, 1], [1.0, 1.0, 0.5])
    """
    reason = _why_not(said)
    if reason is None:
        found = _fit(said, np.ones(said.n_units), None)
        if found.steps < _STEPS:
            return found
        reason = reasons.MODEL_UNSETTLED(n=_STEPS)
    shape = said.n_raters, said.n_categories, said.n_categories
    empty = np.full((said.n_units, said.n_categories), np.nan)
    return DawidSkene(empty, np.full(shape[1], np.nan), np.full(shape, np.nan), np.nan, 0, reason)


@dataclass(frozen=True)
class WithIntervals:
    """The share of each label and the accuracy of each rater."""

    prevalence: tuple[Estimate, ...]
    accuracy: tuple[Estimate, ...]


def with_intervals(said: Said, found: DawidSkene, clusters: Ints, *, level: float = 0.95) -> WithIntervals:
    """Prevalence and accuracy with intervals over clusters of units (items): twenty groups, each left out in turn.

    The delete-a-group jackknife (Kott 2001), on the logit, with Student's t; groups hold whole clusters, dealt out in
    their order. No interval for fewer than twenty clusters, nor where a share is 0 or 1.
    """
    n = len(said.units)
    n_of = np.bincount(said.raters, minlength=said.n_raters)
    if found.reason:
        nothing = [Estimate(None, int(it), _METHOD, reason=found.reason) for it in (*[n] * said.n_categories, *n_of)]
        return WithIntervals(tuple(nothing[: said.n_categories]), tuple(nothing[said.n_categories :]))
    cluster = groups(clusters)
    without: list[Floats] = []
    if int(cluster.max()) + 1 >= _GROUPS:
        for group in range(_GROUPS):
            kept = (cluster % _GROUPS != group).astype(np.float64)
            refit = _fit(said, kept, found)
            without.append(np.concatenate([refit.prevalence, refit.accuracy]))
    whole = np.concatenate([found.prevalence, found.accuracy])
    sizes = [*[n] * said.n_categories, *n_of.tolist()]
    estimates = [
        _share(float(whole[at]), sizes[at], [float(it[at]) for it in without], level) for at in range(len(whole))
    ]
    return WithIntervals(tuple(estimates[: said.n_categories]), tuple(estimates[said.n_categories :]))


def _share(share: float, n: int, without: list[float], level: float) -> Estimate:
    if not n:
        return Estimate(None, 0, _METHOD, reason=reasons.NO_LABEL())
    share = min(1.0, max(0.0, share))
    if not without:
        return Estimate(share, n, _METHOD, reason=reasons.FEW_CLUSTERS(least=_GROUPS))
    middle, *others = scipy.special.logit(np.clip([share, *without], 1e-9, 1 - 1e-9))
    if not 1e-6 < share < 1 - 1e-6:
        return Estimate(share, n, _METHOD, reason=reasons.SAME_VALUES())
    error = np.sqrt((_GROUPS - 1) / _GROUPS * float(((np.array(others) - middle) ** 2).sum()))
    if not error:
        return Estimate(share, n, _METHOD, reason=reasons.ALIKE_CLUSTERS())
    reach = error * float(scipy.stats.t.isf((1 - level) / 2, _GROUPS - 1))
    low, high = (float(scipy.special.expit(middle + side * reach)) for side in (-1, 1))
    return Estimate(share, n, _METHOD, Interval(low, high, level, "delete-a-group jackknife, on the logit"))


def _why_not(said: Said) -> Reason | None:
    if not len(said.units) or np.bincount(said.units).max() < 2:
        return reasons.NO_OVERLAP()
    return reasons.SAME_LABEL() if np.ptp(said.labels) == 0 else None


def _fit(said: Said, weights: Floats, start: DawidSkene | None) -> DawidSkene:
    """EM over units that count as often as `weights` says, from `start` or from the shares of labels."""
    k, n_raters = said.n_categories, said.n_raters
    ones = np.ones(len(said.units))
    given = scipy.sparse.csr_array(
        (ones, (said.units, said.raters * k + said.labels)), shape=(said.n_units, n_raters * k)
    )
    # The same with units and columns the other way round, kept for the other step.
    by_label = scipy.sparse.csr_array(given.T)
    total = float(weights @ np.bincount(said.units, minlength=said.n_units))
    labelled = weights * (np.bincount(said.units, minlength=said.n_units) > 0)
    if start is None:
        shares = np.zeros((said.n_units, k))
        np.add.at(shares, (said.units, said.labels), 1)
        posterior = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1)
    else:
        posterior = start.posterior
    last, step = -np.inf, 0
    while step < _STEPS:
        step += 1
        prevalence = np.maximum(labelled @ posterior / labelled.sum(), _LEAST)
        counts = np.maximum((by_label @ (posterior * weights[:, np.newaxis])).reshape(n_raters, k, k), _LEAST)
        errors = counts / counts.sum(axis=1, keepdims=True)  # (rater, said, true)
        logs = given @ np.log(errors).reshape(n_raters * k, k) + np.log(prevalence)
        of_unit = scipy.special.logsumexp(logs, axis=1)
        posterior = np.exp(logs - of_unit[:, np.newaxis])
        likelihood = float(labelled @ of_unit)
        if likelihood - last < _SETTLED * total:
            break
        last = likelihood
    return DawidSkene(posterior, prevalence, errors.transpose(0, 2, 1), likelihood, step)
