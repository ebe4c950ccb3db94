"""Everything a board shows, as plain data: votes in, a table out that is the same whenever the votes are.

People look at a board while votes arrive, so its intervals hold at every look, and what it says of pairs and ranks
holds of all of them at once. Imported labels do not grow: their boards have intervals for one look.
Points are rounded to eight digits behind the point, so that a library that adds in another order changes nothing.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from analytics.data.votes.covariates import Context
from analytics.data.votes.table import Ballot
from arena.standings.choices import SHUFFLED, WITHOUT, Settings
from infrastructure.wording.reasons import Reason, as_json
from stats.arrays import Bools, Floats, Ints
from stats.ratings.acceptability import Clustered, acceptability, decisive_share, meetings, win_rates
from stats.ratings.connectivity import islands
from stats.ratings.contextual import rate_in_context
from stats.ratings.davidson import rate_with_ties
from stats.ratings.elo import POINTS, online_elo, shuffled_elo
from stats.ratings.errors import Errors, OverClusters, OverVotes
from stats.ratings.resampling import ClusterBootstrap, MultinomialBootstrap
from stats.ratings.table import RatingTable, rate
from stats.ratings.votes import TIE, Counts, Votes, count_votes
from stats.results import Estimate

#: Of the arithmetic and of the shape of the table. A new one makes every board anew.
VERSION = "5"
SEED = 20_240_601
Json = dict[str, Any]


def board_table(
    ballot: Ballot, settings: Settings, context: Context | None = None, order: Ints | None = None
) -> Json:
    """Rate the systems of a ballot as the settings say; what is said of a system alone is always of all votes.

    The `context` of the votes is for ratings at equal context, beside which stand those without it. `order` has the
    places of the votes in the order in which Elo takes them, where it is not theirs.
    """
    if order is not None:
        ballot = _where(ballot, order)
    if settings.ties in WITHOUT:
        kept = _counted(ballot, settings)
        ballot, context = _where(ballot, kept), _context_where(context, kept)
    counts, among = count_votes(ballot.votes), Clustered(ballot.votes, _clusters(ballot, settings))
    return {
        "systems": list(counts.systems),
        "n": counts.n - counts.n_against_itself,
        "against_itself": counts.n_against_itself,
        "ties": counts.ties,
        "voters": len(np.unique(ballot.voters)),
        "items": len(np.unique(ballot.items)),
        "without_order": ballot.without_order,
        "signed": ballot.signed,
        "errors_over": errors_over(ballot) if settings.errors == "clusters" else settings.errors,
        "decisive": _written(decisive_share(counts, among=among)),
        "alone": _alone(counts, among),
        "pairs": _pairs(counts),
        "at_every_look": ballot.grows,
        "islands": _islands(ballot, settings, context),
    } | ({"judged": ballot.judged.document()} if ballot.judged else {})


def rated_votes(ballot: Ballot, settings: Settings) -> Ballot:
    """Those of the votes that ratings are made of: the settings may leave ties out."""
    kept = _counted(ballot, settings)
    rated = _rated(ballot, settings)
    return _where(ballot, kept if rated is None else kept & rated)


def errors_over(ballot: Ballot) -> str:
    """What the errors are clustered by: one voter alone, or one item alone, cannot tell how others would vary."""
    voters, items = (len(np.unique(column)) > 1 for column in (ballot.voters, ballot.items))
    if voters and items:
        return "voters and items"
    return "voters" if voters else "items" if items else "votes"


def _islands(ballot: Ballot, settings: Settings, context: Context | None) -> list[Json]:
    """The tables of the systems that votes connect, the largest first."""
    kept = _rated(ballot, settings)
    rated = ballot if kept is None else _where(ballot, kept)
    if settings.method == "elo":
        found = _elo(rated.votes, settings)
    elif settings.method == "contextual" and context is not None:
        columns = {name: it if kept is None else it[kept] for name, it in context.columns.items()}
        found = _in_context(rated, settings, columns, context.unused)
    elif settings.ties == "davidson":
        found = [
            _island(it.table) | {"tie": _written(it.tie)}
            for it in rate_with_ties(rated.votes, *_clusters(rated, settings), watched=rated.grows)
        ]
    else:
        tables = rate(count_votes(rated.votes), errors=_errors(rated, settings))
        found = [_island(table) for table in tables]
    return sorted(found, key=lambda island: -len(island["rows"]))


def _counted(ballot: Ballot, settings: Settings) -> Bools:
    """Which votes the board counts at all: without one kind of ties, where that was asked for."""
    return np.asarray(ballot.votes.outcome != WITHOUT.get(settings.ties, -1))


def _rated(ballot: Ballot, settings: Settings) -> Bools | None:
    """Which votes ratings are made of; None for all."""
    return ballot.votes.outcome < TIE if settings.ties == "decisive" else None


def _where(ballot: Ballot, kept: Bools | Ints) -> Ballot:
    """Those of the votes, or all of them in this order."""
    return replace(ballot, votes=ballot.votes.where(kept), voters=ballot.voters[kept], items=ballot.items[kept])


def _context_where(context: Context | None, kept: Bools) -> Context | None:
    return context and replace(context, columns={name: column[kept] for name, column in context.columns.items()})


def _in_context(
    rated: Ballot, settings: Settings, columns: dict[str, Floats], unused: dict[str, Reason]
) -> list[Json]:
    """Ratings at equal context, with each system's rating and ranks without it, and what the context does."""
    raw = {
        it.system: {"rating": _written(it.rating), "ranks": list(it.ranks) if it.ranks else None}
        for table in rate(count_votes(rated.votes), errors=_errors(rated, settings))
        for it in table.ratings
    }
    found = []
    for it in rate_in_context(rated.votes, columns, *_clusters(rated, settings), watched=rated.grows):
        island = _island(it.table)
        rows = [row | {"raw": raw[row["system"]]} for row in island["rows"]]
        effects = [{"name": name} | _written(_in_points(effect)) for name, effect in it.effects.items()]
        effects += [{"name": name} | _written(_unused(why)) for name, why in unused.items()]
        left_out = [[it.n, it.why.as_json()] for it in next(iter(it.effects.values())).excluded] if it.effects else []
        found.append(island | {"rows": rows, "effects": effects, "left_out": left_out})
    return found


def _in_points(effect: Estimate) -> Estimate:
    if effect.estimate is None:
        return effect
    interval = effect.interval
    if interval is not None:
        interval = replace(interval, low=interval.low * POINTS, high=interval.high * POINTS)
    return replace(effect, estimate=effect.estimate * POINTS, interval=interval)


def _unused(why: Reason) -> Estimate:
    return Estimate(None, 0, "contextual Bradley–Terry", reason=why)


def _clusters(ballot: Ballot, settings: Settings) -> tuple[Ints, ...]:
    if settings.errors != "clusters":
        return ()
    over = errors_over(ballot)
    columns = {"voters": ballot.voters, "items": ballot.items}
    return tuple(column for name, column in columns.items() if name in over)


def _errors(ballot: Ballot, settings: Settings) -> Errors:
    if settings.errors == "bootstrap":
        return MultinomialBootstrap(np.random.default_rng(SEED), watched=ballot.grows)
    if settings.errors == "cluster_bootstrap":
        return ClusterBootstrap(ballot.votes, ballot.voters, np.random.default_rng(SEED), watched=ballot.grows)
    clusters = _clusters(ballot, settings)
    return (
        OverClusters(ballot.votes, *clusters, watched=ballot.grows) if clusters else OverVotes(watched=ballot.grows)
    )


def _island(table: RatingTable) -> Json:
    rows = [
        {"system": it.system, "ranks": list(it.ranks) if it.ranks else None, "provisional": it.provisional}
        | {"established": it.established, "rating": _written(it.rating)}
        for it in table.ratings
    ]
    return {
        "n": table.n,
        "method": table.method,
        "reason": as_json(table.reason),
        "rows": sorted(rows, key=_best_first),
        "differences": _differences(table),
        "tie": None,
    }


def _elo(votes: Votes, settings: Settings) -> list[Json]:
    """Elo's ratings have no interval of what other votes would say, so there are no ranks and no differences."""
    counts = count_votes(votes)
    if settings.order == SHUFFLED:
        ratings = shuffled_elo(votes, k=settings.k, rng=np.random.default_rng(SEED))
    else:
        ratings = online_elo(votes, k=settings.k)
    return [
        {
            "n": (between := counts.between(places)).n - between.n_against_itself,
            "method": ratings[places[0]].method,
            "reason": None,
            "rows": sorted((_elo_row(counts.systems[at], ratings[at]) for at in places), key=_best_first),
            "differences": [],
            "tie": None,
        }
        for places in islands(counts.scores())
    ]


def _elo_row(system: str, rating: Estimate) -> Json:
    row = {"system": system, "ranks": None, "provisional": False, "established": bool(rating.n)}
    return row | {"rating": _written(rating)}


def _best_first(row: Json) -> tuple[float, str]:
    value = row["rating"]["value"]
    return (-value if value is not None else np.inf, row["system"])


def _differences(table: RatingTable) -> list[Json]:
    names = [it.system for it in table.ratings if it.rating.estimate is not None]
    return [
        {"of": one, "to": other, "beats": table.beats(one, other)} | _written(table.difference(one, other))
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    ]


def _alone(counts: Counts, among: Clustered) -> list[Json]:
    return [
        {
            "system": rate_.system,
            "win_rate": _written(rate_.rate),
            "acceptable": _written(good.acceptable),
            "both_bad": _written(good.both_bad),
        }
        for rate_, good in zip(win_rates(counts, among=among), acceptability(counts, among=among), strict=True)
    ]


def _pairs(counts: Counts) -> list[Json]:
    """The pairs that met: how often each of the two won, and how often they tied."""
    wins, ties, met = counts.wins(), counts.tied(), meetings(counts)
    return [
        {
            "one": counts.systems[i],
            "other": counts.systems[j],
            "one_won": int(wins[i, j]),
            "other_won": int(wins[j, i]),
            "tied": int(ties[i, j]),
        }
        for i, j in zip(*np.nonzero(np.triu(met, 1)), strict=True)
    ]


def _written(estimate: Estimate) -> Json:
    interval = estimate.interval
    return {
        "value": _rounded(estimate.estimate),
        "low": _rounded(interval.low) if interval else None,
        "high": _rounded(interval.high) if interval else None,
        "n": estimate.n,
        "reason": as_json(estimate.reason),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(float(number), 8)
