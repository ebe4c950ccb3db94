"""Many from one address are seen together, and those apart in time or place are not."""

from datetime import date

import pytest

from analytics.quality.columns import read_given
from analytics.quality.evaluation import default_rules
from analytics.quality.signals.origins import from_one_address
from annotation.answers.origins import forget_keys, origin_of
from annotation.models import Annotation, DayKey
from tests.analytics.quality.given import given
from tests.arena.arenas import draw_and_vote, make_open_arena

pytestmark = pytest.mark.databases

RULE = default_rules()["origin"]


def shares(rater: list[int], *, at: list[float], origin: list[int]) -> list[float | None]:
    return [it.value for it in from_one_address(given(rater, at=at, origin=origin), RULE.tolerated)]


def test_four_at_once_from_one_address_are_a_crowd() -> None:
    assert shares([0, 1, 2, 3, 4], at=[0, 60, 120, 180, 200], origin=[7, 7, 7, 7, 8]) == [1, 1, 1, 1, 0]


def test_three_or_four_hours_apart_are_none() -> None:
    assert shares([0, 1, 2], at=[0, 60, 120], origin=[7, 7, 7]) == [0, 0, 0]
    assert shares([0, 1, 2, 3], at=[0, 3600, 7200, 10800], origin=[7] * 4) == [0, 0, 0, 0]


def test_without_addresses_nothing_is_said() -> None:
    measured = from_one_address(given([0, 1]), RULE.tolerated)

    assert [it.value for it in measured] == [None, None]


def test_accounts_of_one_voter_cross_the_rule_and_an_honest_one_does_not() -> None:
    rater = [0, 1, 2, 3] * 5 + [4] * 5
    data = given(rater, at=[float(n) for n in range(25)], origin=[1] * 20 + [2] * 5)

    assert [it.crosses(RULE) for it in from_one_address(data, RULE.tolerated)] == [True] * 4 + [False]


@pytest.mark.django_db
def test_origins_of_votes_reach_the_signal() -> None:
    arena = make_open_arena(is_public=True)
    for origin in ("one", "one", "other", ""):
        draw_and_vote(arena, origin=origin)

    assert read_given(arena.campaign).given.origin.tolist() == [0, 0, 1, -1]


@pytest.mark.django_db
def test_origin_is_the_same_for_a_day_and_a_household_and_tells_no_address() -> None:
    first = origin_of("203.0.113.9")

    assert first == origin_of("203.0.113.9") == origin_of("::ffff:203.0.113.9")
    assert len({first, origin_of("203.0.113.10"), origin_of("2001:db8:1:1::1")}) == 3
    assert origin_of("2001:db8:1:1::1") == origin_of("2001:db8:1:1:ffff::2") != origin_of("2001:db8:1:2::1")
    assert origin_of("testserver") == ""
    assert len(first) == 16
    DayKey.objects.update(day=date(2020, 1, 1))
    assert origin_of("203.0.113.9") != first
    assert forget_keys() == 1
    assert not Annotation.objects.exists()
