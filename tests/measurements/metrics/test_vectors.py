import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from measurements.metrics import vectors
from measurements.metrics.contract import Undefined
from tests.cases import each


def test_cosine_knows_direction_and_not_length() -> None:
    one, other = np.array([1.0, 2.0, 3.0]), np.array([3.0, -1.0, 0.5])

    assert vectors.cosine(one, 5 * one) == pytest.approx(1)
    assert vectors.cosine(one, -one) == pytest.approx(-1)
    assert vectors.cosine(one, other) == pytest.approx(vectors.cosine(other, one))


@each("other, reason", [([0.0, 0.0], "zero"), ([1.0, 2.0, 3.0], "lengths")])
def test_cosine_of_what_has_none_is_undefined(other: list, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        vectors.cosine(np.array([1.0, 2.0]), np.array(other))


def test_similarity_of_distributions_is_scipys() -> None:
    one, other = {"a": 0.2, "b": 0.5, "c": 0.3}, {"a": 0.6, "c": 0.1, "d": 0.3}
    columns = [[weights.get(name, 0) for name in "abcd"] for weights in (one, other)]

    value = vectors.probability_similarity(one, other)

    assert value == pytest.approx(1 - jensenshannon(*columns, base=2) ** 2)
    assert value == pytest.approx(vectors.probability_similarity(other, one))


def test_emotions_match_by_the_most_probable() -> None:
    assert vectors.emotion_match({"happy": 0.6, "sad": 0.4}, {"happy": 0.5, "angry": 0.3}) == 1
    assert vectors.emotion_match({"happy": 0.6}, {"sad": 0.9}) == 0


def test_nothing_has_no_score() -> None:
    with pytest.raises(Undefined):
        vectors.emotion_match({}, {"sad": 1})
