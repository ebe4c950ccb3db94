"""Whether the overall label follows from the dimensions: a multinomial logistic model that tries to tell it."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.agreement.labels import LabelTable, kinds_of
from stats.arrays import Bools, Floats, Ints
from stats.proportions import proportion
from stats.ratings.bradley_terry import damped
from stats.results import Estimate, left_out

_METHOD = "multinomial logistic regression"
_TOLERANCE = 1e-6
_MOST_STEPS = 100


@dataclass(frozen=True)
class Coherence:
    """How often the overall label was predicted: by a model that had not seen the unit, by one that had, by always
    saying the most frequent label. Shares of units; `cross_validated` is the mean over the repeats.

    `weights`, shape (dimensions, categories, overall labels), are the log-odds that a dimension's label adds to each
    overall label in the model of all units, around their mean over the overall labels; None where there is no model.
    Overall labels that never occur have NaN.
    """

    cross_validated: Estimate
    leave_one_out: Estimate
    in_sample: Estimate
    majority: Estimate
    by_repeat: tuple[float, ...]
    weights: Floats | None = None


def coherence(
    dimensions: LabelTable,
    overall: LabelTable,
    *,
    rng: np.random.Generator,
    folds: int = 5,
    repeats: int = 20,
    penalty: float = 1.0,
) -> Coherence:
    """Predict the overall label from the labels of the dimensions (TRACE/HCoT §4.1, Coherence).

    `dimensions` has a column per dimension, `overall` one; units with a label missing are left out. The model is a
    softmax of one-hot labels, with ridge `penalty` on weights and none on intercepts. Folds hold each overall label
    in like shares. Undefined with fewer complete units than folds, and where all have one overall label.

    >>> from stats.agreement.labels import label_table
    >>> dimensions, overall = label_table([["1", "2"] * 10]), label_table([["1", "2"] * 10])
    >>> coherence(dimensions, overall, rng=np.random.default_rng(0), repeats=1).cross_validated.estimate
    1.0
    """
    known = (dimensions.codes >= 0).all(axis=1) & (overall.codes[:, 0] >= 0)
    excluded = left_out(((~known).sum(), reasons.LABEL_MISSING()))
    labels = overall.codes[known, 0]
    if reason := _refusal(labels, folds):
        none = Estimate(None, int(known.sum()), _METHOD, excluded=excluded, reason=reason)
        return Coherence(none, none, none, none, ())
    kinds = kinds_of(dimensions.codes[known])
    design = _one_hot(kinds.rows, len(dimensions.categories))
    shape = (len(design), len(overall.categories))
    counts = _tally(kinds.of_unit, labels, shape)
    seen = counts.sum(axis=0) > 0
    weights = np.zeros((design.shape[1], len(seen)))
    weights[:, seen] = _fitted(design, counts[:, seen], penalty, weights[:, seen])
    model = _Model(design, penalty, weights)
    by_repeat = tuple(_cross_validated(model, kinds.of_unit, labels, shape, rng, folds) for _ in range(repeats))
    n = len(labels)

    def share(right: float, how: str) -> Estimate:
        found = proportion(right, n, method=f"{_METHOD}, {how}")
        return replace(found, excluded=excluded)

    return Coherence(
        share(float(np.mean(by_repeat)), f"{folds}-fold cross-validation, mean of {repeats}"),
        share(_leave_one_out(model, counts), "leave-one-out"),
        share(int(counts[np.arange(len(design)), model.predicted(counts)].sum()), "in sample"),
        share(int(counts.sum(axis=0).max()), "most frequent label"),
        tuple(right / n for right in by_repeat),
        _centred(weights[:-1], seen).reshape(dimensions.n_raters, len(dimensions.categories), len(seen)),
    )


def _centred(weights: Floats, seen: Bools) -> Floats:
    """Around their mean over the labels that occur: a shift of all of them changes nothing."""
    centred = np.full(weights.shape, np.nan)
    centred[:, seen] = weights[:, seen] - weights[:, seen].mean(axis=1, keepdims=True)
    return centred


@dataclass(frozen=True, eq=False)
class _Model:
    """The distinct rows of dimensions, and the weights of all units, from which every other fit starts."""

    design: Floats
    penalty: float
    weights: Floats

    def predicted(self, counts: Ints) -> Ints:
        """The label predicted for each distinct row by a model of these counts, which never saw any other label."""
        seen = np.flatnonzero(counts.sum(axis=0))
        weights = _fitted(self.design, counts[:, seen], self.penalty, self.weights[:, seen])
        predicted: Ints = seen[(self.design @ weights).argmax(axis=1)]
        return predicted


def _fitted(design: Floats, counts: Ints, penalty: float, start: Floats) -> Floats:
    """The weights, shape (features, labels), with the least penalised loss, by Newton's method.

    The last feature is the intercept.
    """
    features, labels = design.shape[1], counts.shape[1]
    weights, totals = start, counts.sum(axis=1, keepdims=True)
    held = np.full((features, labels), penalty)
    held[-1] = 0
    products = (design[:, :, np.newaxis] * design[:, np.newaxis, :]).reshape(len(design), -1).T
    for _ in range(_MOST_STEPS):
        chance = scipy.special.softmax(design @ weights, axis=1)
        slope = design.T @ (counts - totals * chance) - held * weights
        spread = chance[:, :, np.newaxis] * (np.eye(labels) - chance[:, np.newaxis, :]) * totals[:, :, np.newaxis]
        curvature = (products @ spread.reshape(len(design), -1)).reshape(features, features, labels, labels)
        curvature[-1, -1] += 1  # a shift of all intercepts changes nothing, so it may cost something
        matrix = curvature.transpose(0, 2, 1, 3).reshape(held.size, held.size) + np.diag(held.reshape(-1))
        step = np.linalg.solve(matrix, slope.reshape(-1)).reshape(features, labels)
        moved = float(np.ptp(design @ step, axis=1).max())
        weights = weights + damped(step, reach=moved)
        if moved < _TOLERANCE:
            break
    return weights


def _cross_validated(
    model: _Model, kinds: Ints, labels: Ints, shape: tuple[int, int], rng: np.random.Generator, folds: int
) -> float:
    """How many units were predicted correctly by models that had not seen them."""
    shuffled = rng.permutation(len(labels))
    by_label = shuffled[np.argsort(labels[shuffled], kind="stable")]
    right = 0.0
    for fold in range(folds):
        held_out = np.zeros(len(labels), dtype=bool)
        held_out[by_label[fold::folds]] = True
        predicted = model.predicted(_tally(kinds[~held_out], labels[~held_out], shape))
        right += float((predicted[kinds[held_out]] == labels[held_out]).sum())
    return right


def _leave_one_out(model: _Model, counts: Ints) -> float:
    """The same with a fold for each unit; units alike in all their labels need one fit together."""
    right = 0.0
    for kind, label in zip(*np.nonzero(counts), strict=True):
        others = counts.copy()
        others[kind, label] -= 1
        right += float(counts[kind, label] * (model.predicted(others)[kind] == label))
    return right


def _tally(kinds: Ints, labels: Ints, shape: tuple[int, int]) -> Ints:
    return np.bincount(kinds * shape[1] + labels, minlength=shape[0] * shape[1]).reshape(shape)


def _one_hot(rows: Ints, n_categories: int) -> Floats:
    """A column for each category of each dimension, and one of ones for the intercept."""
    hot = (rows[:, :, np.newaxis] == np.arange(n_categories)).reshape(len(rows), -1)
    return np.column_stack([hot, np.ones(len(rows))]).astype(np.float64)


def _refusal(labels: Ints, folds: int) -> Reason | None:
    if len(labels) < folds:
        return reasons.FEW_COMPLETE_UNITS(n=folds)
    if len(np.unique(labels)) < 2:
        return reasons.SAME_OVERALL()
    return None
