"""Votes of somebody who does not listen are left out by rule, with the reason, and nothing of them is lost."""

from datetime import timedelta
from itertools import cycle

import pytest
from django.db.models import F

from accounts.models import User
from analytics.models import QualityFlag
from analytics.quality.evaluate import look_at
from analytics.quality.rules import rules_of
from annotation.models import Annotation, Assignment, UseDecision
from annotation.review.exclusions import Decider, include_answers
from arena.models import ArenaSettings
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import set_rules
from tests.arena.arenas import draw_and_vote, make_open_arena
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
VOTES = 20


@pytest.fixture
def arena() -> ArenaSettings:
    return make_open_arena(items=10)


@pytest.fixture
def careful(arena: ArenaSettings) -> User:
    return voter_of(arena, "1", "2", "both_good")


@pytest.fixture
def careless(arena: ArenaSettings) -> User:
    return voter_of(arena, "1")


def voter_of(arena: ArenaSettings, *said: str, seconds: int = 60) -> User:
    """Somebody who says these in turn, each after so long, whatever is heard."""
    voter = make_member(arena.campaign)
    saying = cycle(said)
    for _ in range(VOTES):
        draw_and_vote(arena, voter, next(saying))
    theirs = Annotation.objects.filter(assignment__annotator=voter)
    theirs.update(shown_at=F("recorded_at") - timedelta(seconds=seconds))
    return voter


def votes_of(voter: User, *, used: bool) -> int:
    return Assignment.objects.filter(annotator=voter, excluded=not used).count()


@pytest.mark.databases
def test_votes_for_one_side_are_left_out_with_the_reason_and_nobody_elses(
    arena: ArenaSettings, careful: User, careless: User
) -> None:
    look_at(arena.campaign)

    assert (votes_of(careless, used=True), votes_of(careless, used=False)) == (0, VOTES)
    assert (votes_of(careful, used=True), votes_of(careful, used=False)) == (VOTES, 0)
    reasons = UseDecision.objects.values_list("assignment__annotator", "reason", "by")
    assert set(reasons) <= {(careless.pk, reason, None) for reason in ("side", "pattern")}


def test_votes_for_which_nothing_can_have_been_heard_are_left_out(arena: ArenaSettings) -> None:
    hasty = voter_of(arena, "1", "2", "both_good", seconds=0)

    look_at(arena.campaign)

    assert votes_of(hasty, used=False) == VOTES
    assert set(UseDecision.objects.values_list("reason", flat=True)) == {"speed"}


def test_a_person_takes_them_in_again_and_the_rule_leaves_them_there(
    arena: ArenaSettings, careful: User, careless: User
) -> None:
    look_at(arena.campaign)
    someone = UserFactory()
    theirs = Assignment.objects.filter(annotator=careless)
    include_answers(theirs, reason="other", decider=Decider(someone))

    draw_and_vote(arena, careful)
    look_at(arena.campaign)

    assert votes_of(careless, used=True) == VOTES


@pytest.mark.databases
def test_rule_that_somebody_chose_holds_in_an_arena_too(arena: ArenaSettings, careless: User) -> None:
    warn = {name: Rule(0.65, 8, Action.WARN) for name in ("side", "pattern", "streak")}
    set_rules(arena.campaign, rules=warn, user=UserFactory())

    look_at(arena.campaign)

    assert QualityFlag.objects.filter(signal="side", action="warn").exists()
    assert votes_of(careless, used=False) == 0


def test_where_work_is_paid_the_same_rules_only_warn() -> None:
    rules = rules_of(make_campaign())

    assert {rules[name].action for name in ("fast", "side", "pattern", "streak")} == {Action.WARN}
