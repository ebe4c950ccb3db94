import numpy as np
import pytest

from stats.judges.diagnostics import counterfactual, flip_rates, winner_slices
from stats.proportions import wilson


def content_first(content, voice, manner):
    """TRACE/HCoT Algorithm 1 as printed."""
    if content in {"1", "2"}:
        return content
    return next((label for label in (manner, voice) if label in {"1", "2"}), content)


def capped(content, voice, manner):
    return "both_bad" if "both_bad" in {content, manner} else content_first(content, voice, manner)


TRIPLES = [
    ("1", "both_good", "both_good"),
    ("both_bad", "2", "both_bad"),
    ("both_good", "1", "2"),
    ("2", "1", "both_good"),
]
OVERALL = ["1", "both_bad", "2", "1"]


def test_counterfactual_says_which_dimension_resolves_the_tie():
    found = counterfactual(TRIPLES, OVERALL, content_first)
    assert {name: it.share.estimate for name, it in found.items()} == {
        "capped_both_bad": 0,
        "paralinguistics": 0.25,
        "voice_quality": 0.5,
        "tie": 0.25,
    }
    assert (found["voice_quality"].right.estimate, found["voice_quality"].right.n) == (0.5, 2)
    assert found["tie"].right.estimate == 0.0
    assert (found["capped_both_bad"].right.estimate, found["capped_both_bad"].right.reason) == (
        None,
        "it resolved none",
    )


def test_counterfactual_counts_what_the_cap_decides_before_anything_else():
    found = counterfactual(TRIPLES, OVERALL, capped)
    assert found["capped_both_bad"].share.estimate == 0.25
    assert found["capped_both_bad"].right.estimate == 1.0


def test_flip_rates_count_labels_that_change():
    found = flip_rates(TRIPLES, content_first)
    assert {name: it.estimate for name, it in found.items()} == {
        "content": 0.5,
        "voice_quality": 0.25,
        "paralinguistics": 0.25,
    }
    assert found["content"].interval == wilson(2, 4)


def test_a_fusion_that_ignores_a_dimension_never_flips_with_it():
    assert flip_rates(TRIPLES, lambda content, *_: content)["paralinguistics"].estimate == 0


def test_winner_slices_are_of_bad_pairs_and_of_pairs_with_a_winner():
    found = winner_slices(["1", "both_bad", None, "2", "1", None], ["both_bad"] * 3 + ["2", "2", "1"])
    assert (found.winner_on_bad.estimate, found.winner_on_bad.n) == (pytest.approx(1 / 3), 3)
    assert (found.winner_slice.estimate, found.winner_slice.n) == (pytest.approx(1 / 3), 3)


def test_winner_slices_take_the_stored_frame_too():
    assert winner_slices(["a", "b"], ["a", "both_bad"]).winner_on_bad.estimate == 1.0


def test_probes_of_nothing_are_undefined():
    assert counterfactual([], [], content_first)["tie"].share.reason == "no pairs"
    assert flip_rates([], content_first)["content"].reason == "no pairs"
    found = winner_slices(["1"], ["both_good"])
    assert found.winner_on_bad.reason == "no pair is bad on both sides"
    assert found.winner_slice.reason == "no pair has a winner"


def test_probes_refuse_predictions_for_another_number_of_pairs():
    with pytest.raises(ValueError, match="zip"):
        winner_slices(["1"], ["1", "2"])
    with pytest.raises(ValueError, match="zip"):
        counterfactual(TRIPLES, ["1"], content_first)


def test_probes_do_not_depend_on_the_order_of_units_and_keep_their_shares_where_all_stand_twice():
    rng = np.random.default_rng(4)
    labels = ("1", "2", "both_good", "both_bad")
    drawn = [tuple(labels[code] for code in row) for row in rng.integers(0, 4, (80, 4))]
    rule = content_first

    def probes(rows):
        triples, overall = [row[:3] for row in rows], [row[3] for row in rows]
        resolved = counterfactual(triples, overall, rule)
        found = [it for one in resolved.values() for it in (one.share, one.right)]
        return [it.estimate for it in (*found, *flip_rates(triples, rule).values())]

    assert probes(drawn[::-1]) == probes(drawn)
    assert probes(drawn * 2) == pytest.approx(probes(drawn))


def test_flips_are_those_counted_unit_by_unit():
    rng = np.random.default_rng(5)
    labels = ("1", "2", "both_good", "both_bad")
    triples = [tuple(labels[code] for code in row) for row in rng.integers(0, 4, (60, 3))]
    rule = capped
    flipped = sum(
        rule(content, "both_good", manner) != rule(content, voice, manner) for content, voice, manner in triples
    )

    assert flip_rates(triples, rule)["voice_quality"].estimate == flipped / 60
