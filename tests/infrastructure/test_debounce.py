"""What has been so for a while, by a clock that may be moved."""

from datetime import timedelta

import pytest

from infrastructure.background.debounce import STEP, WHILE, has_lasted, is_no_more
from tests.campaigns.webhooks.clocks import Clock, clock

__all__ = ["clock"]


def looks(clock: Clock, *steps: timedelta) -> list[bool]:
    found = [has_lasted("it", 1)]
    for step in steps:
        clock.at += step
        found.append(has_lasted("it", 1))
    return found


def test_what_was_so_at_every_look_has_lasted_after_a_while(clock: Clock) -> None:
    minute = timedelta(minutes=1)
    n = int(WHILE / minute)

    assert looks(clock, *[minute] * (n + 1)) == [False] * n + [True, True]


@pytest.mark.parametrize("jump", [WHILE, timedelta(days=400), timedelta(seconds=-1), timedelta(days=-400)])
def test_jump_of_the_clock_begins_the_while_anew(clock: Clock, jump: timedelta) -> None:
    steps = [STEP] * (WHILE // STEP + 1)

    assert looks(clock, *steps[:-1], jump, *steps[:-1]) == [False] * (2 * len(steps))


def test_another_state_begins_the_while_anew_and_other_names_are_others(clock: Clock) -> None:
    steps = [STEP] * (WHILE // STEP + 1)
    before = looks(clock, *steps)[-1]

    assert before
    assert not has_lasted("it", 2)
    assert not has_lasted("another", 1)


def test_what_is_no_more_begins_anew(clock: Clock) -> None:
    looks(clock, *[STEP] * (WHILE // STEP + 1))
    is_no_more("it")

    assert not has_lasted("it", 1)
