"""The pictures of a board as files, by the builder of the reports' figures: ratings, and who won against whom."""

from analytics.reports.output.figures import Column, Dots, Figure, Heatmap, Table
from arena.board.layout import matrix
from arena.standings.tables import Json
from infrastructure.wording.phrases import Phrase
from stats import reasons
from stats.results import Estimate, Interval

FORMS = ("svg", "png", "pdf")
RATINGS, MATRIX = "ratings", "matrix"


def pictures(table: Json) -> dict[str, Figure]:
    """By name: the ratings of each table of systems that votes connect, and the matrix; empty without votes."""
    found = {}
    connected = [island for island in table["islands"] if island["n"] > 0]
    for number, island in enumerate(connected, start=1):
        rows = island["rows"]
        estimates = [_estimate(row["rating"], island) for row in rows]
        title = Phrase("Rating and interval")
        picture = Dots(tuple(row["system"] for row in rows), {title: estimates}, form="rating", x_title=title)
        name = RATINGS if number == 1 else f"{RATINGS}-{number}"
        found[name] = _figure(name, title, picture, estimates)
    if connected:
        found[MATRIX] = _matrix(table)
    return found


def _estimate(rating: Json, island: Json) -> Estimate:
    """Raises ValueError for a rating that is undefined, of which nobody said why."""
    method, interval = island["method"], None
    if rating["low"] is not None:
        interval = Interval(rating["low"], rating["high"], 0.95, method)
    why = rating["reason"] or island["reason"] or reasons.NO_INTERVALS()
    return Estimate(rating["value"], rating["n"], method, interval, reason=None if interval else why)


def _figure(name: str, title: str, picture: Dots, estimates: list[Estimate]) -> Figure:
    columns = (Column("system", Phrase("System")), Column("rating", title, "rating"))
    return Figure(name, title, Table(columns, tuple(zip(picture.labels, estimates, strict=True))), picture)


def _matrix(table: Json) -> Figure:
    rows = matrix(table, {})
    names = tuple(row.name for row in rows)
    values = tuple(
        tuple(None if it is None or it.percent is None else it.percent / 100 for it in row.cells) for row in rows
    )
    title = Phrase("Who won against whom")
    picture = Heatmap(
        names, names, values, 0.0, 1.0, 0.5, "share", x_title=Phrase("Against"), y_title=Phrase("System")
    )
    columns = (
        Column("system", Phrase("System")),
        *(Column(f"of-{at}", name, "share") for at, name in enumerate(names)),
    )
    cells = tuple((name, *line) for name, line in zip(names, values, strict=True))
    return Figure(MATRIX, title, Table(columns, cells), picture)
