"""Which pair a voter gets next: drawn, reserved, and its propensity stored before the vote.

One pair of systems by the arena's rule, then one of the items on which they met least often, then who is heard first.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from django.db.models import Count, Q

from accounts.models import User
from annotation.assignment.next_unit import Reserve, next_assignment, plan_next, plan_unit, reserve_unit
from annotation.models import Assignment
from arena.models import ArenaSettings, Draw
from arena.pairing.policy import VERSION, NoPair, draw_item, draw_pair, draws_forth, pair_chances
from arena.pairing.pool import Pool
from arena.pairing.snapshots import Snapshot, snapshot_of
from arena.settings.limits import require_within_limits
from campaigns.models import Campaign, CampaignUnit
from corpus.datasets.units import pair_unit
from corpus.models import Response
from infrastructure.compiled_queries import Given, Prepared
from stats.arrays import Bools, Floats

Purpose = CampaignUnit.Purpose
#: No vote came of these, and none will.
NO_VOTE = (Assignment.Status.RETURNED, Assignment.Status.EXPIRED)


@dataclass(frozen=True)
class Chosen:
    """A pair on an item by places in the pool, who is heard first, and how likely the pair was."""

    one: int
    other: int
    item: int
    forth: bool
    dimension: str
    propensity: float


def next_pair(arena: ArenaSettings, voter: User, *, origin: str = "") -> Assignment | None:
    """The pair this voter is at, or another one; None once there is none that they have not had.

    Raises what `next_assignment` raises, and TooManyVotes.
    """

    def prepare(plan: Assignment | None) -> Reserve:
        if plan and plan.campaign_unit.purpose == Purpose.STUDY:
            return partial(_planned, arena, plan, origin)
        # Counting may take a while on a large arena, so it is not done while others wait for the transaction.
        return partial(_reserved, arena, snapshot_of(arena), origin)

    return next_assignment(arena.campaign, voter, prepare=prepare)


def plan_pair(arena: ArenaSettings, voter: User) -> Assignment | None:
    """What this voter gets next, drawn already, so that its clips can be fetched while they listen."""
    snapshot = snapshot_of(arena)

    def plan(_campaign: Campaign, annotator: User) -> Assignment | None:
        return _drawn(arena, annotator, snapshot, plan=True)

    kept: Reserve = plan
    return plan_next(arena.campaign, voter, plan=kept)


def choose(
    snapshot: Snapshot, *, had: set[tuple[int, int, int]], rng: np.random.Generator, met: "Met"
) -> Chosen | None:
    """Draw from all that a voter who had these pairs on these items can still get; None if there is nothing left.

    `met` looks up how often a pair met on each item and in each order, which is known only once there is a pair.
    """
    pool = snapshot.pool
    allowed = {name: _left(pool, name, had) for name in snapshot.chances}
    dimensions = [name for name in allowed if allowed[name].any()]
    if not dimensions:
        return None
    sizes = np.array([pool.of_dimension(name).sum() for name in dimensions], dtype=float)
    drawn_at = int(rng.choice(len(sizes), p=sizes / sizes.sum()))
    dimension = dimensions[drawn_at]
    pair = draw_pair(_chances(snapshot, dimension, allowed[dimension]), rng)
    both = (pool.responses[pair.one] > 0) & (pool.responses[pair.other] > 0) & pool.of_dimension(dimension)
    open_items = [int(n) for n in np.flatnonzero(both) if (pair.one, pair.other, int(n)) not in had]
    on_items, forth, back = met(pair.one, pair.other)
    item = open_items[draw_item(np.array([on_items.get(n, 0) for n in open_items]), rng)]
    propensity = pair.propensity * float(sizes[drawn_at] / sizes.sum())
    return Chosen(pair.one, pair.other, item, draws_forth(forth, back, rng), dimension, propensity)


@dataclass(frozen=True)
class Met:
    """How often two systems were drawn in this campaign: by the place of the item, and with either heard first.

    What was given back, or ran out, was not voted on, so it does not count.
    """

    campaign: Campaign
    pool: Pool

    def __call__(self, one: int, other: int) -> tuple[dict[int, int], int, int]:
        systems = {"one": self.pool.systems[one], "other": self.pool.systems[other]}
        on_items: dict[int, int] = {}
        forth = back = 0
        for item, there, again in _met.rows(campaign=self.campaign.pk, **systems):
            forth, back = forth + there, back + again
            if (place := self.pool.place_of_item.get(item)) is not None:
                on_items[place] = there + again
        return on_items, forth, back


_met: Prepared[tuple[int, int, int]] = Prepared(
    lambda: (
        Draw.objects.filter(campaign=Given("campaign"), one=Given("one"), other=Given("other"))
        .exclude(assignment__status__in=NO_VOTE)
        .order_by()
        .values("item")
        .annotate(there=Count("pk", Q(forth=True)), again=Count("pk", Q(forth=False)))
        .values_list("item", "there", "again")
    )
)


def _planned(arena: ArenaSettings, plan: Assignment, origin: str, _campaign: Campaign, voter: User) -> Assignment:
    """What was drawn ahead. Raises IntegrityError where another tab of theirs took it up meanwhile."""
    require_within_limits(arena, voter, origin=origin)
    return reserve_unit(plan.campaign_unit, voter, order=plan.order, plan=plan)


def _reserved(
    arena: ArenaSettings, snapshot: Snapshot, origin: str, _campaign: Campaign, voter: User
) -> Assignment | None:
    require_within_limits(arena, voter, origin=origin)
    return _drawn(arena, voter, snapshot, plan=False)


def _drawn(arena: ArenaSettings, voter: User, snapshot: Snapshot, *, plan: bool) -> Assignment | None:
    rng = np.random.default_rng()
    had = _had(arena.campaign, voter, snapshot.pool)
    chosen = choose(snapshot, had=had, rng=rng, met=Met(arena.campaign, snapshot.pool))
    if chosen is None:
        return None
    unit, order = _unit_of(arena.campaign, chosen, snapshot.pool)
    assignment = plan_unit(unit, voter, order=order) if plan else reserve_unit(unit, voter, order=order)
    Draw.objects.create(
        assignment=assignment,
        campaign=arena.campaign,
        one_id=snapshot.pool.systems[chosen.one],
        other_id=snapshot.pool.systems[chosen.other],
        item_id=snapshot.pool.items[chosen.item],
        forth=chosen.forth,
        dimension=chosen.dimension,
        propensity=min(1.0, chosen.propensity),
        rule=snapshot.rule,
        version=VERSION,
    )
    return assignment


def _left(pool: Pool, dimension: str, had: set[tuple[int, int, int]]) -> Bools:
    """Which pairs of systems have an item left, shape (systems, systems), symmetric."""
    common = pool.common[dimension].copy()
    for one, other, item in had:
        if pool.dimensions[item] == dimension:
            common[one, other] -= 1
            common[other, one] -= 1
    left: Bools = common > 0
    return left


def _chances(snapshot: Snapshot, dimension: str, allowed: Bools) -> Floats:
    """Those that were computed with the counts, unless this voter has used up all items of some pair."""
    if np.array_equal(allowed, snapshot.pool.common[dimension] > 0):
        return snapshot.chances[dimension]
    return pair_chances(snapshot.fields[dimension], allowed, rule=snapshot.rule)


def _had(campaign: Campaign, voter: User, pool: Pool) -> set[tuple[int, int, int]]:
    """What this voter had in hand, answered or given back; what ran out may come again."""
    rows = _pairs_had.rows(campaign=campaign.pk, voter=voter.pk)
    return {place for row in rows if (place := pool.place(*row)) is not None}


_pairs_had: Prepared[tuple[int, int, int]] = Prepared(
    lambda: (
        Assignment.objects.filter(campaign=Given("campaign"), annotator=Given("voter"))
        .exclude(status__in=[Assignment.Status.EXPIRED, Assignment.Status.PLANNED])
        .order_by()
        .values_list(*(f"campaign_unit__unit__{name}" for name in ("a__system", "b__system", "item")))
    )
)


def _unit_of(campaign: Campaign, chosen: Chosen, pool: Pool) -> tuple[CampaignUnit, str]:
    """The pair as a unit of the campaign, made if it is not one yet, and its order in the unit's frame."""
    ids = [int(pool.responses[place, chosen.item]) for place in (chosen.one, chosen.other)]
    either = Q(unit__a=ids[0], unit__b=ids[1]) | Q(unit__a=ids[1], unit__b=ids[0])
    units = campaign.campaign_units.filter(either, purpose=Purpose.STUDY).select_related("unit__item")
    unit = units.order_by("pk").first() or _new_unit(campaign, ids)
    is_forth = chosen.forth == (unit.unit.a_id == ids[0])
    return unit, "ab" if is_forth else "ba"


def _new_unit(campaign: Campaign, ids: list[int]) -> CampaignUnit:
    """The campaign's row is locked, so that two new units do not take the same position.

    Not its key: a transaction with a lock on an existing unit writes an assignment, which refers to the campaign.
    """
    responses = Response.objects.select_related("item", "system").in_bulk(ids)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    unit = pair_unit(responses[ids[0]], responses[ids[1]])
    last = row.campaign_units.order_by("-position").values_list("position", flat=True).first()
    position = 0 if last is None else last + 1
    return CampaignUnit.objects.get_or_create(
        campaign=row, unit=unit, purpose=Purpose.STUDY, defaults={"position": position}
    )[0]


__all__ = ["Chosen", "Met", "NoPair", "choose", "next_pair", "plan_pair"]
