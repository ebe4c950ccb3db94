"""What a draw goes by is what a count of every answer gives, whether or not the votes are folded into kept counts."""

from collections import Counter
from itertools import cycle

import numpy as np
import pytest

from analytics.data.votes.counts import folded
from analytics.models import VoteCount
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import Answer, VoteChange
from annotation.review.exclusions import Decider, exclude_answers
from annotation.withdrawal.withdraw import withdraw
from arena.models import ArenaSettings
from arena.pairing.snapshots import Snapshot, fold_open_arenas, make_snapshot
from tests.arena.arenas import draw_and_vote, make_open_arena
from tests.factories import UserFactory, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
SAID = ("1", "1", "2", "both_good", "both_bad")
MORE = {"reason": "It answers."}


def scores_of(snapshot: Snapshot, dimension: str = "") -> Counter[tuple[int, int]]:
    """How often two systems met, by their ids, in both directions."""
    systems, votes = snapshot.pool.systems, snapshot.fields[dimension].votes
    return Counter({(systems[i], systems[j]): int(votes[i, j]) for i, j in zip(*np.nonzero(votes), strict=True)})


def counted(arena: ArenaSettings, *, left_out: set[object]) -> Counter[tuple[int, int]]:
    """The same, one answer after the other."""
    found: Counter[tuple[int, int]] = Counter()
    answers = Answer.objects.filter(aspect="overall", annotation__assignment__campaign=arena.campaign)
    for answer in answers.filter(annotation__superseded_by=None):
        assignment = answer.annotation.assignment
        unit = assignment.campaign_unit.unit
        assert unit.a
        assert unit.b
        if assignment.pk not in left_out:
            found[unit.a.system_id, unit.b.system_id] += 1
            found[unit.b.system_id, unit.a.system_id] += 1
    return found


def test_snapshot_is_what_a_count_from_the_answers_gives() -> None:
    arena = make_open_arena(protocol="arena_typed_ties", items=4)
    said, owner = cycle(SAID), UserFactory()
    voters = [make_member(arena.campaign) for _ in range(4)]
    given = [[draw_and_vote(arena, voter, next(said), **MORE) for _ in range(5)] for voter in voters]
    folded(arena.campaign)
    left_out = {row.pk for row in given[0][:2]} | {row.pk for row in given[1]}
    exclude_answers(given[0][:2], reason="other", decider=Decider(owner))
    withdraw(arena.campaign, voters[1], identity=False, answers=True)
    reopened = take_back(arena.campaign, voters[2])
    changed = {"overall": "2"} | MORE
    record_answers(reopened.pk, annotator=voters[2], clicked=changed, idempotency_key="changed")
    while is_level(make_snapshot(arena)):  # which the drawn pairs may leave it, once in a while
        draw_and_vote(arena, voters[3], next(said), **MORE)
    assert VoteChange.objects.filter(fold=None).exists()

    snapshot = make_snapshot(arena)
    arena.rule = ArenaSettings.Rule.CLOSEST_ELO  # counts every answer, and finds no dimension here
    anew = make_snapshot(arena)

    assert scores_of(snapshot) == counted(arena, left_out=left_out)
    assert scores_of(anew) == scores_of(snapshot)
    assert np.array_equal(snapshot.fields[""].fit.log_odds, anew.fields[""].fit.log_odds)


def is_level(snapshot: Snapshot) -> bool:
    """Whether all systems have the same rating, so that equal ratings would say nothing."""
    return len(set(snapshot.fields[""].fit.log_odds.round(6))) == 1


def test_snapshot_is_the_same_after_a_fold() -> None:
    arena = make_open_arena()
    for said in ("1", "2", "1"):
        draw_and_vote(arena, said=said)
    before = make_snapshot(arena)

    assert fold_open_arenas() == 1

    assert not VoteChange.objects.filter(fold=None).exists()
    assert VoteCount.objects.exists()
    assert np.array_equal(make_snapshot(arena).fields[""].fit.log_odds, before.fields[""].fit.log_odds)


def test_only_open_arenas_are_folded() -> None:
    arena = make_open_arena()
    draw_and_vote(arena)
    type(arena.campaign).objects.update(status="paused")

    assert fold_open_arenas() == 0
    assert VoteChange.objects.filter(fold=None).exists()
