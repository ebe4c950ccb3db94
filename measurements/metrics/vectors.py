"""Comparing embeddings and probabilities that a model gave (COMPASS App. B.4 and B.5)."""

from collections.abc import Mapping, Sequence

import numpy as np

from measurements import reasons
from measurements.metrics.contract import Floats, Undefined


def cosine(one: Floats, other: Floats) -> float:
    """The cosine of the angle between two vectors, from −1 to 1.

    >>> cosine(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    1.0
    """
    if np.shape(one) != np.shape(other):
        raise Undefined(reasons.EMBEDDINGS_DIFFER())
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    if norm == 0:
        raise Undefined(reasons.AN_EMBEDDING_ZERO())
    return float(np.clip(np.dot(one, other) / norm, -1, 1))


def emotion_match(response: Mapping[str, float], source: Mapping[str, float]) -> float:
    """1 where the most probable emotion is the same, else 0; the mean is the share that matches."""
    return float(_top(response) == _top(source))


def probability_similarity(response: Mapping[str, float], source: Mapping[str, float]) -> float:
    """1 − JSD of two distributions, to base 2: 1 where they are equal, 0 where they share nothing.

    >>> probability_similarity({"a": 1.0}, {"b": 1.0}), probability_similarity({"a": 3.0}, {"a": 1.0})
    (0.0, 1.0)
    """
    names = sorted({*response, *source})
    one, other = (_shares([weights.get(name, 0.0) for name in names]) for weights in (response, source))
    middle = (one + other) / 2
    return 1.0 - (_divergence(one, middle) + _divergence(other, middle)) / 2


def _top(probabilities: Mapping[str, float]) -> str:
    if not probabilities:
        raise Undefined(reasons.NO_PROBABILITIES())
    return max(sorted(probabilities), key=lambda name: probabilities[name])


def _shares(weights: Sequence[float]) -> Floats:
    values = np.array(weights, dtype=np.float64)
    if not values.sum() > 0:
        raise Undefined(reasons.DISTRIBUTION_EMPTY())
    return np.asarray(values / values.sum())


def _divergence(one: Floats, other: Floats) -> float:
    there = one > 0
    return float((one[there] * np.log2(one[there] / other[there])).sum())
