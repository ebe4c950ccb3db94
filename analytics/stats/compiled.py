"""Compiled passes, for whoever has installed numba. Without them everything works, more slowly.

Each function here compiles on its first call and keeps the machine code on disk, beside this file or in
NUMBA_CACHE_DIR. Call it when a worker or a command starts, never while a request waits.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

import numpy as np

from analytics.stats.arrays import Floats, Ints
from analytics.stats.ratings import resampling
from analytics.stats.ratings.elo import POINTS, Pass
from analytics.stats.ratings.resampling import Draw
from analytics.stats.ratings.votes import Integers

F = TypeVar("F", bound=Callable[..., object])
Tables = tuple[Ints, Ints, Floats, Integers]

#: With fewer votes numpy's own multinomials are quick, and a Poisson total too uncertain.
_FEWEST_VOTES = 10_000
#: Poisson totals are aimed this many standard deviations below the number of votes.
_MARGIN = 3.5
#: Beyond this many standard deviations, and twelve, a Poisson count has no chance that a float can hold.
_REACH = 9.0
_RESAMPLES_AT_ONCE = 64


@cache
def elo_pass() -> Pass:
    """Compile what `elo.elo_pass` does, which is then some ten times as fast. Raises ImportError without numba."""
    loop = _compiled(_elo_loop)

    def run(first: Integers, second: Integers, scores: Floats, ratings: Floats, k: float) -> None:
        loop(first.astype(np.int64), second.astype(np.int64), scores, ratings, k)

    run(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 4.0)
    return run


@cache
def multinomials() -> Draw:
    """Compile what `resampling.multinomials` does: exact multinomial draws. Raises ImportError without numba.

    Given their total, independent Poisson counts are multinomial. So each cell's count is drawn from a Poisson table
    of its own, with a total a little below the number of votes, and single votes, drawn one by one, make it whole.
    """
    alias, prepare = _compiled(_alias), _compiled(_poisson_tables)
    fill, complete = _compiled(_fill), _compiled(_complete)

    def draw(cells: Ints, rng: np.random.Generator, resamples: int) -> Iterator[Integers]:
        n = int(cells.sum())
        if n < _FEWEST_VOTES:
            yield from resampling.multinomials(cells, rng, resamples)
            return
        seen = np.flatnonzero(cells)
        single: Floats = cells[seen] / n
        tables = prepare(single * (n - _MARGIN * math.sqrt(n)), alias)
        other = np.zeros(len(seen), dtype=np.int32)
        alias(single, other)
        for start in range(0, resamples, _RESAMPLES_AT_ONCE):
            drawn = np.zeros((min(_RESAMPLES_AT_ONCE, resamples - start), len(cells)), dtype=np.int32)
            fill(drawn, seen, tables, rng)
            while (over := drawn.sum(axis=1) > n).any():  # one row in some thousands
                again = drawn[over]
                fill(again, seen, tables, rng)
                drawn[over] = again
            complete(drawn, seen, n - drawn.sum(axis=1), single, other, rng)
            yield drawn

    list(draw(np.full(4, _FEWEST_VOTES), np.random.default_rng(0), 1))
    return draw


def _compiled(function: F) -> F:
    from numba import njit  # noqa: PLC0415 — heavy, and not everybody has it

    compiled: F = njit(function, cache=True)
    return compiled


def _elo_loop(first: Ints, second: Ints, scores: Floats, ratings: Floats, k: float) -> None:
    for vote in range(len(first)):
        one, other = first[vote], second[vote]
        mine, theirs = ratings[one], ratings[other]
        change = k * (scores[vote] - 1 / (1 + math.exp((theirs - mine) / POINTS)))
        ratings[one], ratings[other] = mine + change, theirs - change


def _alias(weights: Floats, other: Integers) -> None:
    """Turn weights, in place, into the table of Walker's alias method (Vose 1991).

    A place is drawn evenly, and kept with the chance that then stands in `weights`; else it is `other`.
    """
    size = len(weights)
    weights *= size / weights.sum()
    small, large = np.empty(size, np.int64), np.empty(size, np.int64)
    n_small = n_large = 0
    for place in range(size):
        other[place] = place
        if weights[place] < 1:
            small[n_small] = place
            n_small += 1
        else:
            large[n_large] = place
            n_large += 1
    while n_small and n_large:
        n_small -= 1
        lesser, greater = small[n_small], large[n_large - 1]
        other[lesser] = greater
        weights[greater] -= 1 - weights[lesser]
        if weights[greater] < 1:
            n_large -= 1
            small[n_small] = greater
            n_small += 1
    weights[large[:n_large]] = 1
    weights[small[:n_small]] = 1  # only rounding leaves any


def _poisson_tables(means: Floats, alias: Callable[[Floats, Integers], None]) -> Tables:
    """For each mean: its lowest count, where its table starts, and the tables of all, one after the other."""
    lowest, start = np.empty(len(means), np.int64), np.zeros(len(means) + 1, np.int64)
    for cell in range(len(means)):
        reach = _REACH * math.sqrt(means[cell]) + 12
        lowest[cell] = max(0, int(means[cell] - reach))
        start[cell + 1] = start[cell] + int(means[cell] + reach) + 1 - lowest[cell]
    weights, other = np.empty(start[-1]), np.empty(start[-1], np.int32)
    for cell in range(len(means)):
        mean, low, own = means[cell], lowest[cell], weights[start[cell] : start[cell + 1]]
        mode = int(mean) - low
        own[mode] = 1
        for place in range(mode, len(own) - 1):
            own[place + 1] = own[place] * mean / (low + place + 1)
        for place in range(mode, 0, -1):
            own[place - 1] = own[place] * (low + place) / mean
        alias(own, other[start[cell] : start[cell + 1]])
    return lowest, start, weights, other


def _fill(drawn: Integers, seen: Ints, tables: Tables, rng: np.random.Generator) -> None:
    """Draw a Poisson count for each cell of each row, in place."""
    lowest, start, weights, other = tables
    for cell in range(len(seen)):
        low, column, begin, size = lowest[cell], seen[cell], start[cell], start[cell + 1] - start[cell]
        own, otherwise = weights[begin : begin + size], other[begin : begin + size]
        for row in range(len(drawn)):
            spot = rng.random() * size
            place = int(spot)
            drawn[row, column] = low + (place if spot - place < own[place] else otherwise[place])


def _complete(
    drawn: Integers, seen: Ints, missing: Ints, single: Floats, single_other: Integers, rng: np.random.Generator
) -> None:
    """Add to each row as many single votes as are missing, in place."""
    for row in range(len(drawn)):
        for _ in range(missing[row]):
            spot = rng.random() * len(seen)
            place = int(spot)
            drawn[row, seen[place if spot - place < single[place] else single_other[place]]] += 1
