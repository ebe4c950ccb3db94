"""Intervals of judges beside people that hold at every look: against derivatives, a jackknife by hand and studies."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from benchmarks.statistics.watched_judges import WORLDS, campaign, truth_of
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Floats, Ints
from stats.judges.judged import majority, without_each
from stats.judges.watched import (
    LEAST_PEOPLE,
    Beside,
    Influence,
    Spread,
    accuracy_influence,
    at_every_look,
    at_one_look,
    difference_spread,
    figure_spread,
    gain_influence,
    kappa_influence,
    moved,
    spread,
)
from stats.results import Estimate
from tests.cases import each

SIZE = 3


def labels(seed: int, n: int = 200) -> tuple[Ints, Ints]:
    rng = np.random.default_rng(seed)
    reference = rng.choice(SIZE, size=n, p=[0.5, 0.3, 0.2])
    own = np.where(rng.random(n) < 0.6, reference, rng.integers(0, SIZE, size=n))
    return own, reference


def alone(own: Ints, reference: Ints, units: Ints | None = None) -> Beside:
    return Beside(own, reference, np.arange(len(own)) if units is None else units, SIZE)


def kappa(cells: Floats) -> float:
    share = cells / cells.sum()
    chance = share.sum(axis=1) @ share.sum(axis=0)
    return float((np.trace(share) - chance) / (1 - chance))


def accuracy(cells: Floats) -> float:
    return float(np.trace(cells[:SIZE, :SIZE]) / cells.sum())


def half(cells: Floats) -> float:
    return float((np.trace(cells[:SIZE, :SIZE]) + cells[SIZE].sum() / 2) / cells.sum())


def gain(cells: Floats) -> float:
    return accuracy(cells) - float(cells[:, 1].sum() / cells.sum())


@each(
    "figure, influence",
    [
        (kappa, kappa_influence),
        (accuracy, accuracy_influence()),
        (half, accuracy_influence("half")),
        (gain, gain_influence(1)),
    ],
)
def test_influence_is_the_derivative_of_the_figure(figure: object, influence: Influence) -> None:
    own, reference = labels(1)
    own[:20] = MISSING
    cells = alone(own, reference).cells
    found = influence(cells / cells.sum())

    for cell in np.ndindex(SIZE + 1, SIZE):
        more, step = cells.copy(), 1e-4
        more[cell] += step
        moves = (figure(more) - figure(cells)) / step * cells.sum()  # type: ignore[operator]
        assert found[cell] == pytest.approx(moves, abs=1e-4)


def test_variance_of_kappa_over_units_is_that_of_statsmodels() -> None:
    own, reference = labels(2, 500)
    beside = alone(own, reference)
    expected = cohens_kappa(beside.cells[:SIZE, :SIZE]).std_kappa ** 2

    found = spread(beside, moved(beside, kappa_influence))

    assert found.variance * 499 / 500 == pytest.approx(expected, rel=1e-6)
    assert (found.units, found.people, found.freedom) == (500, None, 499)


def test_rows_of_one_unit_say_nothing_new() -> None:
    own, reference = labels(3)
    once, twice = alone(own, reference), alone(np.tile(own, 2), np.tile(reference, 2), np.tile(np.arange(200), 2))

    assert spread(twice, moved(twice, kappa_influence)) == spread(once, moved(once, kappa_influence))


def people(seed: int, n: int = 300, raters: int = 12, answers: int = 1) -> LabelTable:
    rng = np.random.default_rng(seed)
    codes = np.full((n, raters), MISSING, dtype=np.int64)
    for row in codes:
        row[rng.choice(raters, size=answers, replace=False)] = rng.integers(0, SIZE, size=answers)
    return LabelTable(codes, tuple("abc"))


def beside_people(table: LabelTable, own: Ints) -> Beside:
    return Beside(own, majority(table), np.arange(len(own)), SIZE, without_each(table))


def test_with_one_answer_to_each_unit_people_are_the_clusters() -> None:
    table = people(4)
    own = np.random.default_rng(5).integers(0, SIZE, size=300)
    beside = beside_people(table, own)
    right = own == beside.reference
    by_person = [(right[column >= 0] - right.mean()).sum() for column in table.codes.T]
    expected = np.sum(np.square(by_person)) / 300**2 * 12 / 11

    found = spread(beside, moved(beside, accuracy_influence()))

    units = right.var() / 300 * 300 / 299
    assert found.variance == pytest.approx(max(expected, units), rel=0.02)
    assert found.people == 12


def test_what_a_person_changes_is_the_figure_without_them() -> None:
    table = people(6, answers=3)
    own = np.random.default_rng(7).integers(0, SIZE, size=300)
    beside = beside_people(table, own)
    changes = moved(beside, accuracy_influence()).changes
    n, right = beside.counted.sum(), float(np.mean((own == beside.reference)[beside.counted]))

    for person in range(3):
        codes = table.codes.copy()
        codes[:, person] = MISSING
        reference = majority(LabelTable(codes, table.categories))
        there = reference >= 0
        by_hand = float((own == reference)[there].sum() - right * there.sum()) / n
        assert beside.without is not None
        assert changes[beside.without.raters == person].sum() / n == pytest.approx(by_hand)


def test_who_people_are_and_in_which_order_units_come_changes_nothing() -> None:
    table = people(8, answers=2)
    own = np.random.default_rng(9).integers(0, SIZE, size=300)
    order, names = np.random.default_rng(10).permutation(300), np.random.default_rng(11).permutation(12)
    turned = LabelTable(table.codes[order][:, names], table.categories)

    one, other = (
        figure_spread(beside, kappa_influence)
        for beside in (beside_people(table, own), beside_people(turned, own[order]))
    )

    assert one.variance == pytest.approx(other.variance)
    assert (one.units, one.people) == (other.units, other.people)


def test_few_people_are_themselves() -> None:
    table = people(12, raters=LEAST_PEOPLE - 1, answers=3)
    own = np.random.default_rng(13).integers(0, SIZE, size=300)
    beside = beside_people(table, own)

    found = figure_spread(beside, kappa_influence)

    assert found.people is None
    assert found.freedom == found.units - 1


def test_few_people_tell_their_variance_badly() -> None:
    freedoms = [Spread(1.0, 400, 8, by_people).freedom for by_people in (0.0, 0.5, 1.0, 2.0)]

    assert freedoms == sorted(freedoms, reverse=True)
    assert (freedoms[0], freedoms[-1]) == (399, 7)


def test_labels_that_always_agreed_so_far_have_an_interval_and_a_judge_of_one_word_has_none() -> None:
    _own, reference = labels(14)
    perfect, constant = alone(reference, reference), alone(np.zeros(200, dtype=np.int64), reference)

    always = at_every_look(Estimate(1.0, 200, "κ"), figure_spread(perfect, kappa_influence), low=-1, high=1)
    never = at_every_look(Estimate(0.0, 200, "κ"), figure_spread(constant, kappa_influence), low=-1, high=1)

    assert always.interval is not None
    assert (0.9 < always.interval.low < 0.99, always.interval.high) == (True, 1.0)
    assert (never.interval, never.reason) == (
        None,
        "it is the same whatever people say, so there is no interval",
    )


def test_judges_that_say_the_same_do_not_differ() -> None:
    own, reference = labels(15)
    over = difference_spread(alone(own, reference), alone(own, reference), kappa_influence)

    assert at_every_look(Estimate(0.0, 200, "difference"), over, low=-2, high=2).interval is None


def test_with_few_units_there_is_a_reason_and_more_at_once_are_wider() -> None:
    early = at_every_look(Estimate(0.5, 99, "κ"), Spread(0.01, 99), low=-1, high=1)
    one, ten = (
        at_every_look(Estimate(0.5, 400, "κ"), Spread(0.001, 400), low=-1, high=1, at_once=n) for n in (1, 10)
    )
    once = at_one_look(Estimate(0.5, 400, "κ"), Spread(0.001, 400), low=-1, high=1)

    assert (early.interval, early.reason) == (
        None,
        "an interval for every look needs 100 units; 99 so far",
    )
    assert ten.interval is not None
    assert one.interval is not None
    assert once.interval is not None
    assert ten.interval.low < one.interval.low < once.interval.low
    assert once.interval.low == pytest.approx(0.5 - 1.966 * 0.001**0.5, abs=1e-4)


@each("name", ["alike, three answers", "habits, one answer, 20 people"])
def test_studies_that_are_watched_seldom_say_what_is_false(name: str) -> None:
    """Twenty campaigns of each world; intervals for one look, read as often, are false in several of them."""
    world = next(it for it in WORLDS if it.name == name)
    truth = truth_of(world)

    found = [campaign(world, truth, seed) for seed in range(20)]

    missed, once, closer, closer_once, _width = (sum(column) for column in zip(*found, strict=True))
    assert (missed, closer) <= (1, 1)
    assert once + closer_once >= 4
