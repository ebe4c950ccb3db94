"""Pairs are drawn by the arena's rule, with the chance they had, and each voter gets each of them once."""

import math
import threading
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from django.db import connection
from scipy import stats

from annotation.assignment import next_unit
from annotation.assignment.next_unit import give_back, next_assignment
from annotation.models import Assignment
from arena.models import ArenaSettings, Draw
from arena.pairing.drawing import Met, choose, next_pair, plan_pair
from arena.pairing.policy import RULES, VERSION
from arena.pairing.pool import pool_of
from arena.pairing.snapshots import make_snapshot
from campaigns.models import CampaignUnit
from corpus.datasets.units import pairs_of_systems
from corpus.models import Response, ResponseTurn, System, Unit
from tests.arena.arenas import SYSTEMS, add_system, deliver, draw_and_vote, make_open_arena, vote_on
from tests.cases import each
from tests.factories import ClipFactory, make_member

pytestmark = pytest.mark.django_db


def systems_of(draw: Draw) -> tuple[str, str]:
    return draw.one.name, draw.other.name


def key(assignment: Assignment) -> tuple[int, frozenset[int]]:
    unit = assignment.campaign_unit.unit
    return unit.item_id, frozenset({unit.a_id, unit.b_id})


# -- what is drawn -------------------------------------------------------------------------------------------------


def test_pair_is_reserved_with_how_it_was_drawn() -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)

    assignment = next_pair(arena, voter)

    assert assignment
    assert (assignment.status, assignment.seat, assignment.annotator) == ("reserved", 1, voter)
    draw = assignment.draw
    assert (draw.rule, draw.version, draw.campaign, draw.dimension) == ("a_optimal", VERSION, arena.campaign, "")
    assert draw.propensity == pytest.approx(1 / 3)
    unit = assignment.campaign_unit.unit
    first = unit.a if assignment.order[0] == "a" else unit.b
    assert (first.system == draw.one) == draw.forth
    assert {unit.a.system, unit.b.system} == {draw.one, draw.other}
    assert unit.item == draw.item


def test_pair_in_hand_stays_in_hand() -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)

    assert next_pair(arena, voter) == next_pair(arena, voter)
    assert Draw.objects.count() == 1


@pytest.mark.databases
def test_units_that_are_there_are_used_in_their_own_frame() -> None:
    """An imported pair may have its systems in another order than their names."""
    arena = make_open_arena(systems=SYSTEMS[:2], items=1)
    a, b = Response.objects.order_by("system__name")
    turned = Unit.objects.create(dataset=arena.campaign.dataset, item=a.item, key="turned", a=b, b=a, imported=True)

    drawn = [next_pair(arena, make_member(arena.campaign)) for _ in range(6)]

    assert {it.campaign_unit.unit_id for it in drawn if it} == {turned.pk}
    assert all((it.order == "ba") == it.draw.forth for it in drawn if it)


def test_unit_made_for_a_draw_is_the_one_that_a_launch_would_make() -> None:
    arena = make_open_arena(items=1)
    voter = make_member(arena.campaign)
    drawn = {draw_and_vote(arena, voter).campaign_unit.unit_id for _ in range(3)}

    assert {unit.pk for unit in pairs_of_systems(arena.campaign.dataset)} == drawn


def test_voter_gets_each_pair_once_and_then_none() -> None:
    arena = make_open_arena(items=2)
    voter = make_member(arena.campaign)

    had = [key(draw_and_vote(arena, voter)) for _ in range(6)]

    assert len(set(had)) == 6
    assert next_pair(arena, voter) is None


def test_pair_given_back_does_not_come_again() -> None:
    arena = make_open_arena(items=1, systems=SYSTEMS[:2])
    voter = make_member(arena.campaign)
    assignment = next_pair(arena, voter)
    assert assignment
    give_back(assignment.pk, annotator=voter, reason="knows_voice")

    assert next_pair(arena, voter) is None


@pytest.mark.databases
def test_pair_is_voted_on_by_as_many_as_come() -> None:
    arena = make_open_arena(items=1, systems=SYSTEMS[:2])

    votes = [draw_and_vote(arena) for _ in range(5)]

    assert {it.campaign_unit_id for it in votes} == {CampaignUnit.objects.get().pk}
    assert sorted(it.seat for it in votes) == [1, 2, 3, 4, 5]


@pytest.mark.databases
def test_response_that_cannot_be_heard_is_not_drawn() -> None:
    arena = make_open_arena(items=2, turns=2)
    mute = System.objects.get(name="Binturong")
    first, second = mute.responses.order_by("item")
    second.turns.last().clip.deliveries.all().delete()
    ResponseTurn.objects.filter(response=first).delete()

    pool = pool_of(arena.campaign)

    assert [System.objects.get(pk=pk).name for pk in pool.systems] == ["Aardwolf", "Cacomistle"]
    assert pool.responses.all()


@pytest.mark.databases
def test_first_take_of_a_system_is_drawn() -> None:
    arena = make_open_arena(items=1, systems=SYSTEMS[:2])
    first = Response.objects.get(system__name="Aardwolf")
    again = Response.objects.create(item=first.item, system=first.system, key="again")
    ResponseTurn.objects.create(response=again, position=1, clip=ClipFactory())
    deliver(arena.campaign, again.turns.get().clip)

    assert draw_and_vote(arena).campaign_unit.unit.a == first


# -- chances -------------------------------------------------------------------------------------------------------


@each("rule", RULES, undo=True)
def test_drawn_frequencies_follow_the_propensities_that_would_be_stored(rule: str) -> None:
    """Each rule, after uneven votes: Pearson's test of 4,000 draws against the chance each pair was drawn with."""
    arena = make_open_arena(systems=("A", "B", "C", "D"), items=4, rule=rule)
    for said in ("1", "2", "1", "both_good", "both_bad", "1", "2", "1"):
        draw_and_vote(arena, said=said)
    snapshot = make_snapshot(arena)
    rng = np.random.default_rng(8)
    met = Met(arena.campaign, snapshot.pool)
    known = {pair: met(*pair) for pair in combinations(range(4), 2)}

    drawn = [choose(snapshot, had=set(), rng=rng, met=lambda *pair: known[pair]) for _ in range(4000)]

    chance = {(it.one, it.other): it.propensity for it in drawn if it}
    seen = Counter((it.one, it.other) for it in drawn if it)
    assert sum(chance.values()) == pytest.approx(1, abs=0.01)
    if len(chance) > 1:
        pairs = sorted(chance)
        expected = np.array([chance[pair] for pair in pairs])
        test = stats.chisquare([seen[pair] for pair in pairs], 4000 * expected / expected.sum())
        assert test.pvalue > 1e-3


def test_weights_by_stored_propensities_bring_back_the_even_share_of_each_pair() -> None:
    """Horvitz & Thompson through the product: 1 / propensity, summed over a pair's draws, estimates the draws."""
    arena = make_open_arena(systems=("A", "B", "C"), items=1)
    for n in range(150):
        draw_and_vote(arena, said="1" if n % 3 else "2")

    weights: dict[tuple[str, str], float] = Counter()
    for draw in Draw.objects.select_related("one", "other"):
        weights[systems_of(draw)] += 1 / draw.propensity

    assert all(150 / math.sqrt(2) < weight < 150 * math.sqrt(2) for weight in weights.values())
    assert len(weights) == 3


def test_propensity_is_that_among_the_pairs_the_voter_has_left() -> None:
    arena = make_open_arena(items=1)
    voter = make_member(arena.campaign)

    stored = [draw_and_vote(arena, voter).draw.propensity for _ in range(3)]

    assert stored[0] == pytest.approx(1 / 3)
    assert 0.4 < stored[1] < 0.6
    assert stored[2] == 1


def test_closest_elo_is_drawn_within_a_dimension() -> None:
    """A is far ahead on semantics alone; so there the close pair is drawn, and on ambience all pairs are as close."""
    facts = ({"dimension": "semantic"}, {"dimension": "ambient"})
    arena = make_open_arena(items=4, facts=facts, rule="uniform")
    votes = 0
    while votes < 12:
        assignment = next_pair(arena, make_member(arena.campaign))
        assert assignment
        unit = assignment.campaign_unit.unit
        if unit.item.facts["dimension"] == "semantic" and unit.a.system.name == "Aardwolf":
            vote_on(assignment, "1" if assignment.order == "ab" else "2")
            votes += 1
    arena.rule = "closest_elo"

    snapshot = make_snapshot(arena)

    rng = np.random.default_rng(1)
    drawn = [choose(snapshot, had=set(), rng=rng, met=Met(arena.campaign, snapshot.pool)) for _ in range(60)]
    semantic = {(it.one, it.other) for it in drawn if it and it.dimension == "semantic"}
    ambient = {(it.one, it.other): it.propensity for it in drawn if it and it.dimension == "ambient"}
    assert semantic == {(1, 2)}
    assert ambient == pytest.approx({(0, 1): 1 / 6, (0, 2): 1 / 6, (1, 2): 1 / 6})
    on = {snapshot.pool.dimensions[it.item] for it in drawn if it and it.dimension == "ambient"}
    assert on == {"ambient"}


def test_items_and_sides_are_balanced_within_a_pair() -> None:
    arena = make_open_arena(systems=SYSTEMS[:2], items=4)
    for _ in range(80):
        draw_and_vote(arena)

    items = Counter(Draw.objects.values_list("item", flat=True))
    forth = Counter(Draw.objects.values_list("forth", flat=True))

    assert set(items.values()) == {20}
    assert abs(forth[True] - forth[False]) <= 14  # a biased coin: the standard deviation is below 2


# -- newcomers -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
@pytest.mark.parametrize("status", ["returned", "expired"])
def test_pairs_of_which_no_vote_came_do_not_count_for_the_balance(status: str) -> None:
    arena = make_open_arena(items=3, systems=SYSTEMS[:2])
    for _ in range(3):
        draw_and_vote(arena)
    there = draw_and_vote(arena)
    before = Counter(Draw.objects.exclude(assignment=there).values_list("item", flat=True))
    Assignment.objects.filter(pk=there.pk).update(status=status)
    pool = pool_of(arena.campaign)

    on_items, forth, back = Met(arena.campaign, pool)(0, 1)

    assert on_items == {pool.place_of_item[item]: n for item, n in before.items()} == {0: 1, 1: 1, 2: 1}
    assert forth + back == 3


def test_newcomer_is_drawn_as_soon_as_its_audio_is_there() -> None:
    arena = make_open_arena(items=4)
    for _ in range(30):
        draw_and_vote(arena)
    late = add_system(arena.campaign, "Dormouse", delivered=False)

    before = [draw_and_vote(arena).draw for _ in range(10)]
    for turn in ResponseTurn.objects.filter(response__system=late):
        deliver(arena.campaign, turn.clip)
    after = [draw_and_vote(arena).draw for _ in range(10)]

    assert not any(late in (draw.one, draw.other) for draw in before)
    assert sum(late in (draw.one, draw.other) for draw in after) >= 6


@pytest.mark.databases
def test_systems_that_were_not_chosen_stay_out() -> None:
    arena = make_open_arena(items=1)
    arena.campaign.systems.set(System.objects.exclude(name="Cacomistle"))

    assert {systems_of(draw_and_vote(arena).draw) for _ in range(4)} == {("Aardwolf", "Binturong")}


# -- planning ------------------------------------------------------------------------------------------------------


def test_planned_pair_is_the_one_that_comes_with_the_propensity_it_was_drawn_with() -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)
    first = next_pair(arena, voter)
    assert first
    planned = plan_pair(arena, voter)
    assert planned
    stored = planned.draw.propensity
    assert plan_pair(arena, voter) == planned
    vote_on(first)
    draw_and_vote(arena)  # another voter changes the chances

    following = next_pair(arena, voter)

    assert following == planned
    assert (following.status, following.order) == ("reserved", planned.order)
    assert following.draw.propensity == stored
    assert key(following) != key(first)


@pytest.mark.databases
def test_plan_that_another_tab_took_up_meanwhile_is_what_both_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)
    plan = plan_pair(arena, voter)
    assert plan
    theirs = Assignment.objects.filter(pk=plan.pk)
    monkeypatch.setattr(next_unit, "is_paused", lambda *_: theirs.update(status="reserved", seat=1) < 1)

    assert next_pair(arena, voter) == plan
    assert Assignment.objects.count() == 1


@pytest.mark.databases
def test_plan_that_was_dropped_meanwhile_is_followed_by_another_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)
    plan = plan_pair(arena, voter)
    assert plan
    theirs = Assignment.objects.filter(pk=plan.pk)
    monkeypatch.setattr(next_unit, "is_paused", lambda *_: theirs.delete()[0] < 1)

    taken = next_pair(arena, voter)

    assert taken
    assert (taken.status, taken.pk == plan.pk) == ("reserved", False)


def test_plan_keeps_nobody_from_a_pair() -> None:
    arena = make_open_arena(systems=SYSTEMS[:2], items=2)
    voter, other = make_member(arena.campaign), make_member(arena.campaign)
    next_pair(arena, voter)
    planned = plan_pair(arena, voter)
    assert planned

    assert {key(draw_and_vote(arena, other)) for _ in range(2)} >= {key(planned)}


def test_nothing_is_planned_where_nothing_is_left() -> None:
    arena = make_open_arena(systems=SYSTEMS[:2], items=1)
    voter = make_member(arena.campaign)
    next_pair(arena, voter)

    assert plan_pair(arena, voter) is None


@pytest.mark.databases
def test_check_that_is_due_comes_instead_of_a_drawn_pair() -> None:
    arena = make_open_arena(items=5)
    arena.campaign.check_every = 1
    arena.campaign.save()
    voter = make_member(arena.campaign)
    first = draw_and_vote(arena, voter)
    unit = Unit.objects.exclude(pk=first.campaign_unit.unit_id).first() or first.campaign_unit.unit
    CampaignUnit.objects.create(campaign=arena.campaign, unit=unit, position=900, purpose="gold")

    assignment = next_pair(arena, voter)

    assert assignment
    assert assignment.campaign_unit.purpose == "gold"
    assert not Draw.objects.filter(assignment=assignment).exists()


def test_own_list_of_a_campaign_is_handed_out_as_ever() -> None:
    arena = make_open_arena()
    campaign = arena.campaign
    for position, unit in enumerate(pairs_of_systems(campaign.dataset)[:1]):
        CampaignUnit.objects.create(campaign=campaign, unit=unit, position=position)

    assert next_assignment(campaign, make_member(campaign))
    assert Draw.objects.count() == 0


# -- side by side --------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_voters_at_the_same_moment_get_a_pair_each_and_a_seat_each() -> None:
    arena = make_open_arena(systems=SYSTEMS[:2], items=1)
    voters = [make_member(arena.campaign) for _ in range(6)]
    errors: list[Exception] = []

    def draw(voter: object) -> None:
        try:
            next_pair(ArenaSettings.objects.select_related("campaign").get(), voter)  # type: ignore[arg-type]
        except Exception as error:  # noqa: BLE001 - told below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=draw, args=(voter,)) for voter in voters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert CampaignUnit.objects.count() == 1
    assert sorted(Assignment.objects.values_list("seat", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert Draw.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_two_tabs_of_a_voter_hold_the_same_pair() -> None:
    arena = make_open_arena()
    voter = make_member(arena.campaign)
    held: list[Assignment | None] = []

    def draw() -> None:
        held.append(next_pair(ArenaSettings.objects.select_related("campaign").get(), voter))
        connection.close()

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({it.pk for it in held if it}) == 1
    assert Assignment.objects.count() == Draw.objects.count() == 1
