"""What a draw goes by: who can meet, and what the votes so far say. Counted anew every few seconds.

A process keeps what it counted for a moment. Nothing is lost with it, and a propensity is that of the counts by which
the pair was drawn, however old they were.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Count, QuerySet

from analytics.data.votes.counts import cells, folded
from analytics.data.votes.table import Question, questions
from annotation.models import Answer
from arena.models import ArenaSettings
from arena.pairing.policy import Field, NoPair, pair_chances
from arena.pairing.pool import Pool, pool_of
from arena.settings.setup import PAGE
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships
from stats.arrays import Floats
from stats.ratings.elo import online_elo
from stats.ratings.votes import FIRST, SECOND, Votes

#: Counts are reused for so long (s), and for this multiple of the time that counting took.
FRESH_S, REUSE_FACTOR = 5.0, 20
#: A process that counts for longer than this (s) has died.
LEASE_S = 60
KEPT_S = 3600
_UNIT = "annotation__assignment__campaign_unit__unit"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """`fields` and `chances` are by dimension; the probabilities are those of a voter who has not voted yet."""

    pool: Pool
    rule: str
    fields: dict[str, Field]
    chances: dict[str, Floats]


def snapshot_of(arena: ArenaSettings) -> Snapshot:
    """Recent counts. While another process counts again, the previous ones."""
    key = f"arena-snapshot-{arena.campaign_id}-{arena.rule}"
    kept: tuple[Snapshot, float] | None = cache.get(key)
    if kept and time.time() < kept[1]:
        return kept[0]
    if not cache.add(f"{key}-lease", True, LEASE_S) and kept:
        return kept[0]
    began = time.monotonic()
    made = make_snapshot(arena)
    good_for = max(FRESH_S, REUSE_FACTOR * (time.monotonic() - began))
    cache.set(key, (made, time.time() + good_for), KEPT_S)
    cache.delete(f"{key}-lease")
    return made


def make_snapshot(arena: ArenaSettings) -> Snapshot:
    """From the votes of this moment."""
    by_dimension = arena.rule == ArenaSettings.Rule.CLOSEST_ELO
    pool = pool_of(arena.campaign, by_dimension=by_dimension)
    question = next(iter(questions(arena.campaign).values()))
    scores = _scores(arena.campaign, question, pool) if by_dimension else _kept_scores(arena.campaign, question, pool)
    initial = np.full(len(pool.systems), 1000.0)
    elo = _elo(arena.campaign, question, pool) if by_dimension else {}
    fields = {name: Field.of(scores[name], elo.get(name, initial)) for name in scores}
    chances = {}
    for name, field in fields.items():
        try:
            chances[name] = pair_chances(field, pool.common[name] > 0, rule=arena.rule)
        except NoPair:
            continue
    return Snapshot(pool, arena.rule, fields, chances)


def fold_open_arenas() -> int:
    """Bring the kept counts of every open arena up to date, so that draws find few votes to add; return how many."""
    arenas = Campaign.objects.filter(status=Campaign.Status.OPEN, label_page=PAGE)
    for campaign in arenas:
        folded(campaign)
    return len(arenas)


def _kept_scores(campaign: Campaign, question: Question, pool: Pool) -> dict[str, Floats]:
    """What the system of the row took from that of the column, on whatever item, from the kept counts."""
    size, place = len(pool.systems), pool.place_of_system
    scores = np.zeros((size, size))
    for cell in cells(campaign, question.aspect):
        if cell.a in place and cell.b in place:
            _count(scores, place[cell.a], place[cell.b], question.preferences.outcome(cell.value, "ab"), cell.n)
    return dict.fromkeys(pool.common, scores)


def _scores(campaign: Campaign, question: Question, pool: Pool) -> dict[str, Floats]:
    """The same by dimension. Kept counts know no items, so every answer is counted anew."""
    size = len(pool.systems)
    found = {name: np.zeros((size, size)) for name in pool.common}
    for row in _votes(campaign, question).annotate(n=Count("pk")).order_by().iterator(chunk_size=20_000):
        if seen := _seen(row, pool):
            one, other, dimension = seen
            _count(found[dimension], one, other, question.preferences.outcome(row["value"], "ab"), row["n"])
    return found


def _count(scores: Floats, one: int, other: int, outcome: int, n: int) -> None:
    taken = {FIRST: 1.0, SECOND: 0.0}.get(outcome, 0.5)
    scores[one, other] += taken * n
    scores[other, one] += (1 - taken) * n


def _elo(campaign: Campaign, question: Question, pool: Pool) -> dict[str, Floats]:
    """Online Elo ratings by dimension; they depend on the order of the votes."""
    votes: dict[str, list[tuple[int, int, int]]] = {name: [] for name in pool.common}
    for row in _votes(campaign, question, "pk").order_by("pk").iterator(chunk_size=20_000):
        if seen := _seen(row, pool):
            votes[seen[2]].append((*seen[:2], question.preferences.outcome(row["value"], "ab")))
    names = tuple(map(str, pool.systems))
    rated = {}
    for name, rows in votes.items():
        columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        ratings = online_elo(Votes(columns[0], columns[1], columns[2], names, question.preferences.ties))
        rated[name] = np.array([1000.0 if it.estimate is None else it.estimate for it in ratings])
    return rated


def _votes(campaign: Campaign, question: Question, *more: str) -> QuerySet[Any, dict[str, Any]]:
    """The answers that are used, by the systems and the item of their unit."""
    rows = Answer.objects.filter(
        aspect=question.aspect,
        slot="",
        annotation__superseded_by=None,
        annotation__assignment__campaign=campaign,
        annotation__assignment__excluded=False,
        annotation__assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY,
    ).exclude(annotation__assignment__annotator__in=withdrawn_memberships().filter(campaign=campaign).values("user"))
    columns = (f"{_UNIT}__a__system", f"{_UNIT}__b__system", f"{_UNIT}__item", "value", *more)
    found: QuerySet[Any, dict[str, Any]] = rows.values(*columns)
    return found


def _seen(row: dict[str, Any], pool: Pool) -> tuple[int, int, str] | None:
    """The places of a and b, and the dimension of the item; None for what is in the pool no more."""
    one, other = (pool.place_of_system.get(row[f"{_UNIT}__{slot}__system"]) for slot in "ab")
    item = pool.place_of_item.get(row[f"{_UNIT}__item"])
    return None if one is None or other is None or item is None else (one, other, pool.dimensions[item])
