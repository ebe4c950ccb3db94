"""Who waits for whom where pages take turns."""

import asyncio

import pytest

from config.serving.requests.request_limiter import Turns
from tests.cases import each

LONG_S = 60.0


async def page(turns: Turns, name: str, log: list[str], done: asyncio.Event | None = None) -> None:
    async with turns.one():
        log.append(f"{name} in")
        await (done.wait() if done else asyncio.sleep(0))
        log.append(f"{name} out")


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_pages_come_in_one_after_the_other_and_in_the_order_in_which_they_came() -> None:
    async def three() -> list[str]:
        turns, log = Turns(1, LONG_S), list[str]()
        await asyncio.gather(*(page(turns, name, log) for name in "abc"))
        return log

    assert asyncio.run(three()) == ["a in", "a out", "b in", "b out", "c in", "c out"]


def test_two_are_in_at_once_where_two_may_be() -> None:
    async def three() -> list[str]:
        turns, log, done = Turns(2, LONG_S), list[str](), asyncio.Event()
        pages = asyncio.gather(*(page(turns, name, log, done) for name in "abc"))
        await settle()
        before = list(log)
        done.set()
        await pages
        return before

    assert asyncio.run(three()) == ["a in", "b in"]


def test_whoever_takes_long_goes_on_while_the_next_comes_in_and_gives_no_second_turn_back() -> None:
    async def long_and_short() -> tuple[list[str], list[str]]:
        turns, log, done, other = Turns(1, 0.01), list[str](), asyncio.Event(), asyncio.Event()
        long = asyncio.create_task(page(turns, "export", log, done))
        await asyncio.wait_for(page(turns, "vote", log), 5)
        before = list(log)
        done.set()
        await long
        turns._short_s = LONG_S  # from here on nobody loses a turn early
        rest = asyncio.gather(*(page(turns, name, log, other) for name in "ab"))
        await settle()
        after = log[len(before) :]
        other.set()
        await rest
        return before, after

    before, after = asyncio.run(long_and_short())
    assert before == ["export in", "vote in", "vote out"]
    assert after == ["export out", "a in"]


@each("when", ["waiting", "inside"])
def test_turn_of_whoever_gives_up_is_free_again(when: str) -> None:
    async def given_up() -> list[str]:
        turns, log, done = Turns(1, LONG_S), list[str](), asyncio.Event()
        first = asyncio.create_task(page(turns, "first", log, done))
        second = asyncio.create_task(page(turns, "second", log, done))
        await settle()
        (second if when == "waiting" else first).cancel()
        done.set()
        await asyncio.gather(first, second, return_exceptions=True)
        await asyncio.wait_for(page(turns, "third", log), 5)
        return log

    assert asyncio.run(given_up())[-2:] == ["third in", "third out"]


def test_failing_page_ends_its_turn() -> None:
    async def failing() -> bool:
        turns = Turns(1, LONG_S)
        with pytest.raises(LookupError):
            async with turns.one():
                raise LookupError
        await asyncio.wait_for(page(turns, "next", []), 5)
        return True

    assert asyncio.run(failing())
