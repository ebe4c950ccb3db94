import krippendorff
import numpy as np
import pytest

from stats.agreement.coefficients import krippendorff_alpha
from stats.agreement.coincidences import Level
from stats.agreement.disagreement import disagreement, label_distance
from stats.agreement.labels import label_table
from tests.cases import each

TYPED = ("a", "b", "both_good", "both_bad")


@each(
    "labels, expected",
    [(("a", "a"), 0.0), (("a", "b"), 1.0), (("a", "both_bad"), 0.5), (("both_good", "both_bad"), 1.0)],
)
def test_typed_ties_lie_as_far_apart_as_their_distance_says(labels: tuple[str, str], expected: float) -> None:
    counts = np.array([[labels.count(category) for category in TYPED]])

    assert disagreement(counts, label_distance(TYPED, "typed_tie", counts)) == pytest.approx([expected])


@each("level", ["nominal", "ordinal", "interval"])
def test_mean_over_units_is_what_alpha_calls_observed_disagreement(level: Level) -> None:
    """Three raters each: α = 1 − observed/expected, under the same distances, by the package."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 4, size=(3, 40))
    categories = ("1", "2", "3", "4")
    table = label_table([[categories[code] for code in rater] for rater in codes], categories=categories)
    counts = table.counts()
    distance = label_distance(categories, level, counts)

    observed = disagreement(counts, distance).mean()
    given = counts.sum(axis=0)
    expected = given @ distance @ given / (given.sum() * (given.sum() - 1))

    alpha = krippendorff.alpha(reliability_data=codes, level_of_measurement=level)
    assert 1 - observed / expected == pytest.approx(alpha)
    assert krippendorff_alpha(table, level=level).estimate == pytest.approx(alpha)


def test_one_label_disagrees_with_nobody() -> None:
    counts = np.array([[1, 0], [0, 0]])

    assert np.isnan(disagreement(counts, label_distance(("a", "b"), "nominal", counts))).all()


def test_order_of_the_categories_does_not_matter_where_they_are_names() -> None:
    counts = np.array([[2, 1, 0], [1, 1, 1]])

    one = disagreement(counts, label_distance(("x", "y", "z"), "nominal", counts))
    other = disagreement(counts[:, ::-1], label_distance(("z", "y", "x"), "nominal", counts[:, ::-1]))

    assert one == pytest.approx(other)


def test_ends_of_a_scale_are_one_apart() -> None:
    counts = np.array([[1, 0, 0, 0, 1], [1, 1, 0, 0, 0]])
    for level in ("interval", "ordinal"):
        distance = label_distance(("1", "2", "3", "4", "5"), level, counts)

        assert distance.max() == pytest.approx(1)
        assert disagreement(counts, distance)[0] == pytest.approx(1)
