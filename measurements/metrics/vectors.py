"""Comparing embeddings, probabilities and phonemes that a model gave (COMPASS App. B.2 to B.5)."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from measurements.metrics.contract import Floats, Undefined


def cosine(one: Floats, other: Floats) -> float:
    """The cosine of the angle between two vectors, from −1 to 1.

    >>> cosine(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    1.0
    """
    if np.shape(one) != np.shape(other):
        raise Undefined("the embeddings have different lengths")
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    if norm == 0:
        raise Undefined("an embedding is zero")
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


def phoneme_similarity(response: Sequence[str], source: Sequence[str]) -> float:
    """1 − JSD of how often each phoneme comes."""
    return probability_similarity(Counter(response), Counter(source))


def phoneme_f1(response: Sequence[str], source: Sequence[str]) -> float:
    """F1 of the two bags of phonemes.

    >>> phoneme_f1(["a", "b", "b"], ["a", "b", "c"])
    0.6666666666666666
    """
    if not response or not source:
        raise Undefined("a clip has no phonemes")
    return 2 * (Counter(response) & Counter(source)).total() / (len(response) + len(source))


def phoneme_error_rate(response: Sequence[str], source: Sequence[str]) -> float:
    """Edits between the phonemes per phoneme of the source.

    >>> phoneme_error_rate(["a", "b"], ["a", "c", "d"])
    0.6666666666666666
    """
    if not source:
        raise Undefined("the source has no phonemes")
    return Levenshtein.distance(list(response), list(source)) / len(source)


def phoneme_perplexity(posteriors: Floats) -> float:
    """exp of the mean entropy (nats) of the frames' distributions, which are rows that add up to 1.

    >>> round(phoneme_perplexity(np.full((3, 4), 0.25)), 6)
    4.0
    """
    posteriors = np.asarray(posteriors, dtype=np.float64)
    if posteriors.ndim != 2 or not posteriors.size:
        raise Undefined("there are no frames")
    logarithms = np.log(posteriors, where=posteriors > 0, out=np.zeros_like(posteriors))
    return float(np.exp(-(posteriors * logarithms).sum(axis=1).mean()))


def _top(probabilities: Mapping[str, float]) -> str:
    if not probabilities:
        raise Undefined("there are no probabilities")
    return max(sorted(probabilities), key=lambda name: probabilities[name])


def _shares(weights: Sequence[float]) -> Floats:
    values = np.array(weights, dtype=np.float64)
    if not values.sum() > 0:
        raise Undefined("a distribution is empty")
    return np.asarray(values / values.sum())


def _divergence(one: Floats, other: Floats) -> float:
    there = one > 0
    return float((one[there] * np.log2(one[there] / other[there])).sum())
