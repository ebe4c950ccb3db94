"""Each signal against counting by hand, and what it says when there is nothing to say."""

import numpy as np
import pytest
from scipy import stats

from analytics.quality.evaluation import crossed, default_rules, evaluate
from analytics.quality.signals import SIGNALS, Measurement
from analytics.quality.signals.texts import is_short, repetitions
from tests.analytics.quality.given import VALUES, given
from tests.cases import each

DEFAULTS = default_rules()


def measure(name: str, columns: object, tolerated: float | None = None) -> list[Measurement]:
    signal = SIGNALS[name]
    return signal.measure(columns, signal.default.tolerated if tolerated is None else tolerated)


def speaks(name: str, measured: Measurement) -> bool:
    return measured.crosses(SIGNALS[name].default)


@each("name", SIGNALS)
def test_nobody_has_answered(name: str) -> None:
    assert measure(name, given([])) == []


@each("name", SIGNALS)
def test_somebody_of_whom_nothing_is_known_is_undefined_and_never_accused(name: str) -> None:
    nothing = given([1], took=[np.nan], audio=[0.0], heard=[np.nan])

    measured = measure(name, nothing)[0]

    assert (measured.value, bool(measured.reason), speaks(name, measured)) == (None, True, False)


@each("name, purpose", [("gold", "gold"), ("trap", "trap"), ("identical", "identical")])
def test_checks_count_what_failed(name: str, purpose: str) -> None:
    columns = given([0] * 4 + [1] * 2, purpose=[purpose] * 6, passed=[0, 0, 0, 1, 1, 1])

    careless, careful = measure(name, columns, 0.1)

    assert (careless.value, careless.n, careful.value) == (0.75, 4, 0.0)
    assert careless.p == pytest.approx(stats.binomtest(3, 4, 0.1, alternative="greater").pvalue)
    assert careful.p == 1.0


def test_three_failed_gold_units_are_enough_and_two_are_not() -> None:
    three, two = measure("gold", given([0] * 3 + [1] * 2, purpose=["gold"] * 5, passed=[0] * 5))

    assert (speaks("gold", three), speaks("gold", two)) == (True, False)


def test_repeats_are_compared_with_the_first_time() -> None:
    columns = given(
        [0] * 6,
        unit=[1, 2, 3, 1, 2, 3],
        purpose=["study"] * 3 + ["repeat"] * 3,
        value=["a", "b", "a", "a", "b", "b"],
    )

    [measured] = measure("repeat", columns)

    assert (measured.value, measured.n) == (pytest.approx(1 / 3), 3)
    assert str(measured.detail) == "1 of 3, κ 0.40"


def test_repeat_that_was_never_answered_before_says_nothing() -> None:
    assert measure("repeat", given([0], purpose=["repeat"]))[0].value is None


def test_checks_together_are_measured_above_what_each_kind_allows() -> None:
    columns = given(
        [0] * 5,
        unit=[1, 1, 2, 3, 4],
        purpose=["study", "repeat", "gold", "identical", "trap"],
        value=["a", "b", "a", "a", "a"],
        passed=[-1, -1, 0, 1, 0],
    )

    [measured] = measure("checks", columns)

    assert (measured.n, measured.value) == (4, pytest.approx(3 / 4 - (0.4 + 0.1 + 0.25 + 0.1) / 4))


def test_time_is_measured_by_the_sound_of_the_unit() -> None:
    [measured] = measure("fast", given([0] * 4, took=[4.9, 5.1, 9.0, np.nan], audio=[10.0, 10.0, 30.0, 10.0]))

    assert (measured.value, measured.n) == (pytest.approx(2 / 3), 3)


def test_time_is_measured_by_that_of_the_others() -> None:
    took = [3.0] * 10 + [20.0] * 10 + [30.0] * 10

    quick, usual, slow = measure("faster", given([0] * 10 + [1] * 10 + [2] * 10, took=took))

    assert (quick.value, usual.value, slow.value) == (1.0, 0.0, 0.0)
    assert speaks("faster", quick)


def test_everybody_is_quick_where_everybody_is() -> None:
    measured = measure("faster", given([0, 1, 2] * 20, took=[1.0] * 60))

    assert [one.value for one in measured] == [0.0, 0.0, 0.0]


def test_listening_counts_answers_with_a_response_hardly_heard() -> None:
    [measured] = measure("listening", given([0] * 4, heard=[0.2, 0.5, 1.0, np.nan]))

    assert (measured.value, measured.n) == (pytest.approx(1 / 3), 3)


def test_side_is_that_of_the_screen_and_ties_are_no_side() -> None:
    left = ["a", "b"] * 10
    columns = given([0] * 21, value=[*left, "both_good"], turned=[False, True] * 10 + [False])

    [measured] = measure("side", columns)

    assert (measured.value, measured.n, speaks("side", measured)) == (1.0, 20, True)
    assert measured.p == pytest.approx(2 * 0.5**20)
    assert str(measured.detail) == "1 chosen 20 times, 2 chosen 0 times"


def test_always_the_better_system_is_no_side() -> None:
    rng = np.random.default_rng(1)

    [measured] = measure("side", given([0] * 60, value=["a"] * 60, turned=rng.uniform(size=60) < 0.5))

    assert not speaks("side", measured)


def same_for_all(value: str) -> dict[str, object]:
    raters = [rater for rater in range(4) for _ in range(30)]
    return {"rater": raters, "unit": list(range(30)) * 4, "value": [value] * 120}


def test_campaign_in_which_everybody_rightly_says_both_good_accuses_nobody() -> None:
    found = evaluate(given(**same_for_all("both_good")), DEFAULTS)

    assert crossed(found, DEFAULTS) == set()


def test_campaign_in_which_everybody_rightly_prefers_one_system_accuses_nobody() -> None:
    rng = np.random.default_rng(2)
    found = evaluate(given(**same_for_all("a"), turned=rng.uniform(size=120) < 0.5), DEFAULTS)

    assert crossed(found, DEFAULTS) == set()


def test_straight_line_is_seen_where_others_vary() -> None:
    rng = np.random.default_rng(3)
    truth = [VALUES[n] for n in rng.integers(0, 4, 30)]
    columns = given(
        [rater for rater in range(4) for _ in range(30)],
        unit=list(range(30)) * 4,
        value=[*["both_good"] * 30, *truth, *truth, *truth],
    )

    straight, *others = measure("pattern", columns)

    assert speaks("pattern", straight)
    assert not any(speaks("pattern", one) for one in others)
    others_share = truth.count("both_good") / 30
    assert straight.value == pytest.approx(1 - others_share, abs=0.02)
    assert "longest run 30, 0.0 bits" in str(straight.detail)


def test_always_the_left_is_a_straight_line_on_the_screen() -> None:
    rng = np.random.default_rng(4)
    turned = rng.uniform(size=90) < 0.5
    truth = [VALUES[n] for n in rng.integers(0, 4, 30)]
    left = ["b" if t else "a" for t in turned[:30]]
    columns = given(
        [0] * 30 + [1] * 30 + [2] * 30, unit=[*range(30)] * 3, value=[*left, *truth, *truth], turned=turned
    )

    assert [speaks("pattern", one) for one in measure("pattern", columns)] == [True, False, False]


def test_streak_is_seen_though_it_is_not_the_favourite_altogether() -> None:
    """Seventy answers with care, then forty times whatever stands on the left."""
    rng = np.random.default_rng(5)
    turned = rng.uniform(size=330) < 0.5
    truth = [VALUES[n] for n in rng.integers(0, 4, 110)]
    tired = truth[:70] + ["b" if t else "a" for t in turned[70:110]]
    raters = [rater for rater in range(3) for _ in range(110)]
    columns = given(raters, unit=[*range(110)] * 3, value=[*tired, *truth, *truth], turned=turned)

    found = measure("streak", columns)

    assert [speaks("streak", one) for one in found] == [True, False, False]
    assert not speaks("pattern", measure("pattern", columns)[0])
    assert str(found[0].detail).startswith("40 times the same by now, longest run 4")


def test_streak_that_others_would_give_as_well_is_none() -> None:
    found = measure("streak", given(**same_for_all("both_bad")))

    assert [speaks("streak", one) for one in found] == [False] * 4
    assert all(one.is_within(low_is_bad=False) for one in found)


def test_streak_of_somebody_alone_is_undefined() -> None:
    [alone] = measure("streak", given([0] * 30))

    assert alone.value is None


REASONS = [
    "The first one is warmer and answers what was asked.",
    "The second voice crackles near the end of the sentence.",
    "Both skip the date, but the first keeps a friendly tone.",
]


def test_pasted_reasons_are_found_whatever_their_signs() -> None:
    assert repetitions([*REASONS, "the FIRST one is warmer, and answers what was asked"]) == [False] * 3 + [True]


def test_nearly_the_same_reason_is_the_same() -> None:
    assert repetitions(
        ["The second voice is clearer and warmer here", "The second voice is clearer and warmer there"]
    ) == [
        False,
        True,
    ]


def test_reason_in_a_script_without_blanks_is_compared_too() -> None:
    assert repetitions(["第一个声音更加自然清晰", "第一个声音更加自然清晰", "第二个听起来很机械"]) == [
        False,
        True,
        False,
    ]


def test_similarity_is_that_of_jaccard() -> None:
    one, other = "abcdefghijklmnop", "abcdefghijklmnoq"
    shingles = [{text[n : n + 4] for n in range(13)} for text in (one, other)]
    jaccard = len(shingles[0] & shingles[1]) / len(shingles[0] | shingles[1])

    assert repetitions([one, other]) == [False, jaccard >= 0.8]


def test_what_all_others_write_too_is_no_pasting() -> None:
    columns = given([0] * 10 + [1] * 10 + [2] * 10, texts=["same"] * 30)

    assert not any(speaks(name, one) for name in ("repeated-text", "short-text") for one in measure(name, columns))


def test_pasted_reasons_among_people_who_write_are_seen() -> None:
    rng = np.random.default_rng(6)
    own = ["".join(rng.choice(list("abcdefghij klmnop"), 40)) for _ in range(20)]
    columns = given([0] * 10 + [1] * 10 + [2] * 10, texts=["The second one was better."] * 10 + own)

    assert [speaks("repeated-text", one) for one in measure("repeated-text", columns)] == [True, False, False]


@each("text, short", [("ok", True), ("...........", True), ("clearer voice", False)])
def test_short_is_counted_in_letters(text: str, short: bool) -> None:
    assert is_short(text) is short


def answers_of(n_raters: int, units: int, rng: np.random.Generator, *, right: float = 0.7) -> list[str]:
    """Of each annotator for each unit: the truth with this chance, else anything."""
    truth = rng.integers(0, 4, units)
    said = np.where(rng.uniform(size=(n_raters, units)) < right, truth, rng.integers(0, 4, (n_raters, units)))
    return [VALUES[value] for value in said.ravel()]


def by_everybody(n_raters: int, units: int) -> dict[str, list[int]]:
    return {"rater": [r for r in range(n_raters) for _ in range(units)], "unit": [*range(units)] * n_raters}


def test_agreement_is_kappa_with_the_rest_over_its_median() -> None:
    rng = np.random.default_rng(7)
    said = answers_of(4, 50, rng)
    table = np.array(said).reshape(4, 50)
    kappas = []
    for rater in range(4):
        rest = np.delete(table, rater, axis=0)
        observed = np.mean([(rest[:, u] == table[rater, u]).mean() for u in range(50)])
        chance = sum((table[rater] == v).mean() * (rest == v).mean() for v in VALUES)
        kappas.append((observed - chance) / (1 - chance))

    measured = measure("agreement", given(**by_everybody(4, 50), value=said))

    assert [one.value for one in measured] == pytest.approx([k / np.median(kappas) for k in kappas])


def test_whoever_guesses_is_unlike_the_others() -> None:
    rng = np.random.default_rng(8)
    said = answers_of(5, 80, rng, right=0.85) + [VALUES[v] for v in rng.integers(0, 4, 80)]

    *honest, guessing = measure("agreement", given(**by_everybody(6, 80), value=said))

    assert speaks("agreement", guessing)
    assert not any(speaks("agreement", one) for one in honest)


def test_where_nobody_agrees_nobody_stands_out() -> None:
    rng = np.random.default_rng(9)
    said = [VALUES[v] for v in rng.integers(0, 4, 400)]

    measured = measure("agreement", given(**by_everybody(5, 80), value=said))

    assert not any(speaks("agreement", one) for one in measured)


def test_where_everybody_is_at_chance_agreement_is_undefined() -> None:
    """Two say always one thing, two always the other: nobody agrees beyond chance."""
    said = ["a"] * 20 + ["a"] * 20 + ["b"] * 20 + ["b"] * 20

    measured = measure("agreement", given(**by_everybody(4, 20), value=said))

    assert {str(one.reason) for one in measured} == {"people agree hardly more than by chance, so nobody stands out"}


def test_without_overlap_there_is_no_agreement() -> None:
    measured = measure("agreement", given([0, 0, 1, 1, 2, 2]))

    assert {str(one.reason) for one in measured} == {"nobody else has answered the same units"}


def test_answers_that_do_not_count_are_nobodys_others() -> None:
    columns = by_everybody(2, 3) | {"value": ["a"] * 6, "counts": [True] * 3 + [False] * 3}

    counted, left_out = measure("pattern", given(**columns))

    assert (str(counted.reason), left_out.value) == ("nobody else has answered", 0.0)


def test_majority_of_careless_people_is_not_the_measure_of_the_careful() -> None:
    """Ten people who guess and fail gold, three who agree: only the ten are accused, the three of nothing."""
    rng = np.random.default_rng(10)
    careful = answers_of(3, 60, rng, right=0.8)
    careless = [VALUES[v] for v in rng.integers(0, 4, 600)]
    gold = {"rater": [r for r in range(13) for _ in range(6)], "unit": [*range(60, 66)] * 13}
    study = by_everybody(13, 60)
    columns = given(
        study["rater"] + gold["rater"],
        unit=study["unit"] + gold["unit"],
        value=careful + careless + ["a"] * 78,
        purpose=["study"] * 780 + ["gold"] * 78,
        passed=[-1] * 780 + [1] * 18 + [0] * 60,
    )

    accused = {rater for _, rater in crossed(evaluate(columns, DEFAULTS), DEFAULTS)}

    assert accused == set(range(3, 13))


def test_measurement_is_a_number_or_a_reason() -> None:
    with pytest.raises(ValueError, match="nobody said why"):
        Measurement(None, 0)
    with pytest.raises(ValueError, match="neither"):
        Measurement(float("nan"), 3)
