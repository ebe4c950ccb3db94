"""How often the alarm is raised for nothing, and how soon for something, by simulation; its test beside SciPy's."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from stats.arrays import Bools
from stats.jumps import JumpRule, Shares, fisher_greater, has_jumped, window_of
from tests.cases import each

RULE = JumpRule()


def first_alarm(events: Bools, every: int = 1) -> int | None:
    """After how many events the alarm is first raised, looking after every so many."""
    sums = np.concatenate([[0], np.cumsum(events)])
    for n in range(RULE.fewest, len(events) + 1, every):
        last = window_of(n, RULE)
        before = int(sums[n - last])
        if has_jumped(Shares(int(sums[n]) - before, last, before, n - last), RULE):
            return n
    return None


@each("shares", [Shares(3, 20, 1, 40), Shares(0, 20, 5, 30), Shares(20, 20, 0, 7), Shares(5, 9, 5, 9)])
def test_fisher_is_scipys(shares: Shares) -> None:
    table = [
        [shares.recent, shares.of_recent - shares.recent],
        [shares.before, shares.of_before - shares.before],
    ]

    assert fisher_greater(shares) == pytest.approx(fisher_exact(table, alternative="greater").pvalue)


@each("rate", [0.02, 0.1])
def test_steady_rate_raises_hardly_an_alarm_in_a_thousand_answers(rate: float) -> None:
    """Looked at after every fifth answer: at most 3 in 100 campaigns of this length."""
    rng = np.random.default_rng(11)

    raised = sum(first_alarm(rng.random(1000) < rate, every=5) is not None for _ in range(100))

    assert raised <= 3


def test_jump_from_three_to_forty_per_cent_is_found_within_sixty_answers() -> None:
    rng = np.random.default_rng(12)

    found = [first_alarm(np.concatenate([rng.random(300) < 0.03, rng.random(60) < 0.4])) for _ in range(50)]

    assert sum(n is not None and n > 300 for n in found) >= 48


@each("before, after", [(300, 10), (0, 20)])
def test_outage_that_leaves_out_everything_is_found_at_once(before: int, after: int) -> None:
    events = np.concatenate([np.zeros(before, dtype=bool), np.ones(100, dtype=bool)])

    found = first_alarm(events)

    assert found is not None
    assert found <= before + after


def test_outage_that_lasts_stays_an_alarm_when_there_is_nothing_else_left_to_compare_with() -> None:
    """For three months everything was left out, and the share was steady."""
    assert has_jumped(Shares(100, 100, 4900, 4950), RULE, already=True)


def test_alarm_that_stands_ends_only_when_all_is_calm() -> None:
    between = Shares(12, 100, 12, 300)

    assert (has_jumped(between, RULE), has_jumped(between, RULE, already=True)) == (False, True)
    assert not has_jumped(Shares(5, 100, 12, 300), RULE, already=True)


def test_too_few_events_say_nothing() -> None:
    assert not has_jumped(Shares(0, 0, 19, 19), RULE)
