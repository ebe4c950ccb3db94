"""A standing as the board draws it: places of dots and whiskers, cells of the matrix, a sentence for two systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from arena.board.wording import Effect, effects
from arena.models import Standing
from arena.standings.tables import Json
from charts.axes import Axis
from charts.marks import Mark, dot, dot_axis, spark, spark_axis
from infrastructure.wording.reasons import Reason
from stats import reasons

#: An interval that reaches further to either side says little: its row is preliminary.
PRELIMINARY = 100.0
#: The heat of a cell: so many steps from 0 to 100 %.
STEPS = 8


@dataclass(frozen=True)
class Row:
    """One system. `grey` says why to read it with care: it is `provisional`, `preliminary`, or has `no_interval`."""

    name: str
    rating: Json
    ranks: tuple[int, int] | None
    grey: str
    reason: Reason | None
    dot: Mark | None
    spark: Mark | None
    history: tuple[float, ...]
    alone: Json
    raw: Json | None

    @property
    def shares(self) -> list[Json]:
        """What is said of the system alone, in the order of the columns."""
        return [self.alone[name] for name in ("win_rate", "acceptable", "both_bad")]


@dataclass(frozen=True)
class Island:
    rows: tuple[Row, ...]
    n: int
    method: str
    reason: Reason | None
    tie: Json | None
    effects: tuple[Effect, ...]
    left_out: tuple[tuple[int, Reason], ...]

    @property
    def has_context(self) -> bool:
        return any(row.raw for row in self.rows)

    @property
    def without_votes(self) -> bool:
        return self.n == 0


@dataclass(frozen=True)
class Cell:
    """The row's system against the column's. `percent` is None where the two never met."""

    one: str
    other: str
    n: int
    percent: float | None
    decisive: float | None
    heat: int
    query: str


@dataclass(frozen=True)
class MatrixRow:
    name: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether one beats the other: `yes`, `no` or `unknown`, with the difference or the reason why there is none."""

    one: str
    other: str
    beats: str
    points: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Reason | None = None
    at_every_look: bool = False


def islands(table: Json, history: Sequence[Json]) -> list[Island]:
    """As the table has them; systems without any vote, each an island of its own, stand together at the end."""
    scale, alone = scale_of(table), {it["system"]: it for it in table["alone"]}
    past, scale_over_time = _past(history), scale_of_history(history)
    return [
        Island(
            tuple(
                _row(row, island, (scale, scale_over_time), past.get(row["system"], ()), alone[row["system"]])
                for row in island["rows"]
            ),
            island["n"],
            island["method"],
            island["reason"],
            island["tie"],
            tuple(effects(island)),
            tuple((n, why) for n, why in island.get("left_out", ())),
        )
        for island in _together(table["islands"])
    ]


def _together(found: Sequence[Json]) -> list[Json]:
    """
    >>> _together([{"n": 2, "rows": ["A", "B"]}, {"n": 0, "rows": ["C"]}, {"n": 0, "rows": ["D"]}])
    [{'n': 2, 'rows': ['A', 'B']}, {'n': 0, 'rows': ['C', 'D']}]
    """
    silent = [island for island in found if island["n"] == 0]
    rows = [row for island in silent for row in island["rows"]]
    with_votes = [island for island in found if island["n"] > 0]
    return [*with_votes, silent[0] | {"rows": rows}] if silent else with_votes


def scale_of(table: Json) -> Axis | None:
    """From the lowest end of an interval to the highest; None where nothing has a rating."""
    ratings = [row["rating"] for island in table["islands"] for row in island["rows"]]
    ends = [end for it in ratings for end in (it["value"], it["low"], it["high"]) if end is not None]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    return dot_axis(low, high) if high > low else dot_axis(low - 1, high + 1)


def scale_of_history(history: Sequence[Json]) -> Axis | None:
    """From the lowest rating so far to the highest; None where no system has had two."""
    past = _past(history).values()
    if not any(len(values) > 1 for values in past):
        return None
    known = [value for values in past for value in values]
    return spark_axis(min(known), max(known))


@dataclass(frozen=True)
class Past:
    """A standing of before, with each system's rating in the order of the table."""

    standing: Standing
    values: tuple[float | None, ...]


def past_rows(past: Sequence[Standing], tables: Sequence[Json]) -> list[Past]:
    """Standings with their tables as they are shown, the latest first."""
    rows = []
    for standing, table in zip(reversed(past), reversed(tables), strict=True):
        ratings = {row["system"]: row["rating"]["value"] for it in table["islands"] for row in it["rows"]}
        rows.append(Past(standing, tuple(ratings.get(system) for system in tables[-1]["systems"])))
    return rows


def matrix(table: Json, named: Mapping[str, str]) -> list[MatrixRow]:
    """Systems by the order of the board, each against each; `named` are the settings in the address of a cell."""
    order = [row["system"] for island in table["islands"] for row in island["rows"]]
    met = {}
    for pair in table["pairs"]:
        one, other, tied = pair["one"], pair["other"], pair["tied"]
        met[one, other] = (pair["one_won"], pair["other_won"], tied)
        met[other, one] = (pair["other_won"], pair["one_won"], tied)
    return [
        MatrixRow(
            one,
            tuple(None if one == other else _cell(one, other, met.get((one, other)), named) for other in order),
        )
        for one in order
    ]


def verdict(table: Json, one: str, other: str) -> Verdict:
    """What can be said of two systems of the table. Raises KeyError for one that is not there."""
    where = {row["system"]: island for island in table["islands"] for row in island["rows"]}
    if where[one] is not where[other]:
        return Verdict(one, other, "unknown", reason=reasons.NOT_CONNECTED())
    for it in where[one]["differences"]:
        if {it["of"], it["to"]} == {one, other} and one != other:
            return replace(_turned(it, one), at_every_look=bool(table.get("at_every_look")))
    return Verdict(one, other, "unknown", reason=reasons.NO_INTERVALS())


def _turned(it: Json, one: str) -> Verdict:
    turn = it["of"] != one
    beats = {"yes": "yes", "no": "no"}.get(it["beats"], "unknown")
    if turn:
        beats = {"yes": "no", "no": "yes"}.get(beats, beats)
    value, low, high = (it["value"], it["low"], it["high"])
    if turn:
        value, low, high = (None if end is None else -end for end in (value, high, low))
    other = it["of"] if turn else it["to"]
    return Verdict(one, other, beats, value, low, high, it["reason"])


def _row(
    row: Json, island: Json, scales: tuple[Axis | None, Axis | None], past: tuple[float, ...], alone: Json
) -> Row:
    rating, (scale, over_time) = row["rating"], scales
    grey, why = _grey(row, island)
    return Row(
        row["system"],
        rating,
        tuple(row["ranks"]) if row["ranks"] else None,
        grey,
        why,
        dot(scale, rating["value"], rating["low"], rating["high"], unsure=bool(grey)),
        spark(over_time, past) if over_time else None,
        past,
        alone,
        row.get("raw"),
    )


def _grey(row: Json, island: Json) -> tuple[str, Reason | None]:
    rating = row["rating"]
    if rating["value"] is None:
        return "", rating["reason"]
    if row["provisional"]:
        return "provisional", island["reason"]
    if rating["low"] is None:
        return ("no_interval", rating["reason"]) if rating["reason"] else ("", None)
    reach = max(rating["high"] - rating["value"], rating["value"] - rating["low"])
    return ("preliminary", None) if reach > PRELIMINARY else ("", None)


def _past(history: Sequence[Json]) -> dict[str, tuple[float, ...]]:
    """Each system's ratings so far, the latest last."""
    found: dict[str, list[float]] = {}
    for table in history:
        for island in table["islands"]:
            for row in island["rows"]:
                if row["rating"]["value"] is not None:
                    found.setdefault(row["system"], []).append(row["rating"]["value"])
    return {system: tuple(values) for system, values in found.items()}


def _cell(one: str, other: str, met: tuple[int, int, int] | None, named: Mapping[str, str]) -> Cell:
    if met is None:
        return Cell(one, other, 0, None, None, 0, "")
    won, lost, tied = met
    n = won + lost + tied
    share = (won + tied / 2) / n
    query = urlencode({**named, "one": one, "other": other})
    return Cell(one, other, n, 100 * share, 100 * (won + lost) / n, round(STEPS * share), query)
