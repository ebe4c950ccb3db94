"""Whatever happens to assignments, a unit says of itself how many of its seats are taken."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from annotation.answers.revise import leave_as_it_was, take_back
from annotation.answers.submit import record_answers
from annotation.assignment.expiry import release_overdue
from annotation.assignment.next_unit import TooMuchAtOnce, give_back, next_assignment, plan_next
from annotation.assignment.seat_counts import WrongCount, add_to_counts, wrong_counts
from annotation.assignment.seats import CANDIDATES, candidates
from annotation.models import SEATLESS, Assignment, Reason
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from arena.models import ArenaSettings
from arena.pairing.drawing import next_pair, plan_pair
from campaigns.models import Campaign, CampaignUnit
from tests.arena.arenas import make_open_arena
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
RULE = Decider(rule="chance")


class Happenings:
    """What may happen to the assignments of a campaign, drawn by chance, through the actions of the pages."""

    def __init__(
        self, campaign: Campaign, annotators: list[User], seed: int, *, arena: ArenaSettings | None = None
    ) -> None:
        self.campaign, self.annotators, self.arena = campaign, annotators, arena
        self.rng = random.Random(seed)
        self.clicked = {"overall": "1"} if arena else DIRECT_ANSWERS
        self.happened: Counter[str] = Counter()

    def reserve(self) -> None:
        self._next(self._somebody())

    def plan(self) -> None:
        who = self._somebody()
        plan_pair(self.arena, who) if self.arena else plan_next(self.campaign, who)

    def answer(self) -> None:
        who = self._somebody()
        if held := self._next(who):
            self._answer(held)

    def return_a_unit(self) -> None:
        who = self._somebody()
        if held := self._of(who, status="reserved").first():
            give_back(held.pk, annotator=who, reason="other")

    def change_of_mind(self) -> None:
        who = self._somebody()
        if self._of(who, status="answered").exists():
            reopened = take_back(self.campaign, who)
            if self.rng.random() < 0.5:
                leave_as_it_was(reopened.pk, annotator=who)
            else:
                self._answer(reopened)

    def time_passes(self) -> None:
        held = self._of(self._somebody(), status="reserved")
        held.update(expires_at=timezone.now() - timedelta(seconds=1))

    def release(self) -> None:
        release_overdue(self.campaign)

    def exclusion(self) -> None:
        exclude_answers(self._some(excluded=False), reason=Reason.SPEED, decider=RULE)

    def inclusion(self) -> None:
        include_answers(self._some(excluded=True), decider=RULE)

    def withdrawal(self) -> None:
        if len(self._staying()) > 2 and self.rng.random() < 0.2:
            withdraw(self.campaign, self._somebody(), identity=False, answers=self.rng.random() < 0.5)

    def step(self, without: frozenset[str] = frozenset()) -> None:
        names = [name for name in WHAT_HAPPENS if name not in without]
        name = self.rng.choice(names)
        self.happened[name] += 1
        getattr(self, name)()

    def _next(self, who: User) -> Assignment | None:
        return next_pair(self.arena, who) if self.arena else next_assignment(self.campaign, who)

    def _answer(self, held: Assignment) -> None:
        key = str(self.rng.random())
        record_answers(held.pk, annotator=held.annotator, clicked=self.clicked, idempotency_key=key)

    def _of(self, who: User, **where: Any) -> QuerySet[Assignment]:
        return Assignment.objects.filter(campaign=self.campaign, annotator=who, **where)

    def _some(self, *, excluded: bool) -> list[Assignment]:
        rows = list(Assignment.objects.filter(campaign=self.campaign, status="answered", excluded=excluded))
        return self.rng.sample(rows, min(len(rows), self.rng.randint(0, 3)))

    def _staying(self) -> list[User]:
        left = set(self.campaign.memberships.exclude(ended_at=None).values_list("user", flat=True))
        return [who for who in self.annotators if who.pk not in left]

    def _somebody(self) -> User:
        return self.rng.choice(self._staying())


WHAT_HAPPENS = (
    "reserve", "plan", "answer", "return_a_unit", "change_of_mind", "time_passes", "release", "exclusion",
    "inclusion", "withdrawal",
)  # fmt: skip


def assert_nobody_twice(campaign: Campaign) -> None:
    live = Assignment.objects.filter(campaign=campaign).exclude(status__in=SEATLESS)
    had = Counter(live.values_list("campaign_unit", "annotator"))
    assert set(had.values()) <= {1}


@each("seed", range(6), undo=True)
def test_counts_are_right_after_whatever_happened(seed: int) -> None:
    campaign = make_campaign(units=8, answers_per_unit=3)
    happenings = Happenings(campaign, [make_member(campaign) for _ in range(5)], seed)

    for _ in range(70):
        happenings.step()
        assert wrong_counts() == []

    assert_nobody_twice(campaign)
    assert len(happenings.happened) == len(WHAT_HAPPENS)


@pytest.mark.parametrize("seed", range(2))
def test_counts_are_right_in_an_arena_where_units_are_made_as_people_come(seed: int) -> None:
    arena = make_open_arena()
    voters = [make_member(arena.campaign) for _ in range(4)]
    happenings = Happenings(arena.campaign, voters, seed, arena=arena)

    for _ in range(60):
        happenings.step()
        assert wrong_counts(arena.campaign) == []


@pytest.mark.django_db(transaction=True)
def test_counts_are_right_after_much_happened_at_once() -> None:
    """Each thread is a few annotators of its own, and leaves answers of everybody out."""
    campaign = make_campaign(units=12, answers_per_unit=3)
    threads = 4
    crews = [[make_member(campaign) for _ in range(3)] for _ in range(threads)]

    def work(seed: int) -> None:
        happenings = Happenings(campaign, crews[seed], seed)
        try:
            for _ in range(25):
                try:
                    happenings.step(without=frozenset({"inclusion"}))
                except TooMuchAtOnce:
                    continue
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))

    assert wrong_counts() == []
    assert max(CampaignUnit.objects.values_list("seats_taken", flat=True)) <= 3
    assert_nobody_twice(campaign)


def test_count_that_is_wrong_is_found_and_counted_again() -> None:
    campaign = make_campaign(units=2, answers_per_unit=2)
    first, second = campaign.campaign_units.order_by("position")
    make_assignment(campaign, make_member(campaign), campaign_unit=first, status="answered")
    make_assignment(campaign, make_member(campaign), campaign_unit=first, seat=2, status="answered", excluded=True)
    CampaignUnit.objects.filter(pk=first.pk).update(seats_taken=2)
    CampaignUnit.objects.filter(pk=second.pk).update(seats_taken=1)
    said = StringIO()

    with pytest.raises(CommandError, match="seats of 2 units are counted wrongly"):
        call_command("check_seats", stdout=said)
    found = wrong_counts()
    call_command("check_seats", repair=True, stdout=said)
    call_command("check_seats", stdout=said)

    assert found == [WrongCount(first.pk, 2, 1), WrongCount(second.pk, 1, 0)]
    assert wrong_counts() == []
    assert said.getvalue().splitlines()[-2:] == ["Counted again: 2 units.", "All seats are counted right."]


def test_no_seat_is_freed_that_nobody_had() -> None:
    campaign = make_campaign(units=1)

    with pytest.raises(IntegrityError), transaction.atomic():
        add_to_counts({campaign.campaign_units.get().pk: -1})


def test_seat_of_a_reservation_that_could_not_be_made_is_not_counted() -> None:
    campaign = make_campaign(units=1)
    annotator = make_member(campaign)

    def reserve_and_die() -> None:
        with transaction.atomic():
            next_assignment(campaign, annotator)
            raise RuntimeError("the server went away")

    with pytest.raises(RuntimeError, match="went away"):
        reserve_and_die()

    assert campaign.campaign_units.get().seats_taken == 0


def test_candidates_are_those_that_nobody_plans_however_many_are_planned() -> None:
    campaign = make_campaign(units=2 * CANDIDATES + 5, answers_per_unit=2)
    units = list(campaign.campaign_units.order_by("position"))
    for unit in units[: CANDIDATES + 3]:
        make_assignment(campaign, make_member(campaign), campaign_unit=unit, seat=0, status="planned")
    make_assignment(campaign, make_member(campaign), campaign_unit=units[-1], status="answered")

    found = candidates(campaign, make_member(campaign))

    assert found == [unit.pk for unit in units[CANDIDATES + 3 : 2 * CANDIDATES + 3]]


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL reads small tables whole, whatever their indexes"
)
def test_units_are_read_in_the_order_of_their_index_and_no_answer_is() -> None:
    campaign = make_campaign(units=3)

    with CaptureQueriesContext(connection) as asked:
        candidates(campaign, campaign.created_by)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked[-1]['sql']}")
        steps = [row[3] for row in cursor.fetchall()]

    assert "units_by_seats_taken" in steps[0], steps
    assert not [step for step in steps if "ORDER BY" in step], steps
    assert [step for step in steps if "annotation_assignment" in step and "assignment_of_annotator" not in step] == []
