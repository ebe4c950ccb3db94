from datetime import UTC, datetime, timedelta

import pytest
from scipy import stats

from analytics.monitoring.forecast import finish_of
from tests.cases import each

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TEN = timedelta(minutes=10)


def test_finish_lies_where_the_pace_and_the_ends_of_its_interval_put_it() -> None:
    slots = [8, 12, 10, 9, 11]
    low, high = stats.t.interval(0.95, 4, loc=10, scale=stats.sem(slots))

    found = finish_of(100, slots=slots, slot=TEN, now=NOON)

    assert found.at == NOON + timedelta(minutes=100)
    assert found.earliest is not None
    assert found.latest is not None
    assert (found.earliest - NOON) / TEN == pytest.approx(100 / high)
    assert (found.latest - NOON) / TEN == pytest.approx(100 / low)
    assert (found.n, found.minutes, found.per_hour) == (50, 50, 60.0)


def test_uneven_answers_name_no_latest_time() -> None:
    found = finish_of(100, slots=[0, 0, 0, 60], slot=TEN, now=NOON)

    assert found.at == NOON + TEN * (100 / 15)
    assert found.latest is None


@each(
    "missing, slots, reason",
    [(0, [], "done"), (5, [9, 9], "too_new"), (5, [3, 3, 3], "too_few"), (5, [0, 0, 0], "too_few")],
)
def test_finish_that_cannot_be_said_says_why(missing: int, slots: list[int], reason: str) -> None:
    found = finish_of(missing, slots=slots, slot=TEN, now=NOON)

    assert (found.at, found.reason) == (None, reason)
