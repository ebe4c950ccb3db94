"""Whatever the interleaving of answers, exclusions, inclusions, withdrawals and arrivals, standings are the same."""

import random
from typing import Any

import pytest

from accounts.models import User
from analytics.data.inclusion import USED, WITH_EXCLUDED
from analytics.data.labels import campaign_labels
from analytics.data.rater_groups import NO_LINK
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import Assignment, Reason
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from arena.models import Board, Standing
from arena.standings.choices import Settings
from arena.standings.refresh import newest, rebuild, refresh
from campaigns.models import Arrival, Campaign, CampaignUnit, Membership
from tests.arena.voting import make_arena
from tests.factories import make_assignment, make_invitation, make_member

pytestmark = pytest.mark.django_db
BOARDS = (
    Settings("overall"),
    Settings("overall", excluded=True),
    Settings("overall", method="elo"),
    Settings("overall", by=NO_LINK),
)
RULE = Decider(rule="chance")
VALUES = ("1", "2", "both_good", "both_bad")


class Happenings:
    """What may happen to a campaign, drawn by chance."""

    def __init__(self, campaign: Campaign, rng: random.Random) -> None:
        self.campaign, self.rng = campaign, rng
        self.voters = [make_member(campaign) for _ in range(5)]
        self.keys = iter(range(10_000))
        self.link = make_invitation(campaign)

    def vote(self) -> None:
        voter = self.rng.choice(self._staying())
        done = Assignment.objects.filter(annotator=voter).values("campaign_unit")
        free = list(self.campaign.campaign_units.exclude(pk__in=done))
        if free:
            unit: CampaignUnit = self.rng.choice(free)
            order, seat = self.rng.choice(["ab", "ba"]), unit.assignments.count() + 1
            self._answer(make_assignment(self.campaign, voter, campaign_unit=unit, order=order, seat=seat))

    def change_of_mind(self) -> None:
        voter = self.rng.choice(self._staying())
        if self.campaign.assignments.filter(annotator=voter).exists():
            self._answer(take_back(self.campaign, voter))

    def exclusion(self) -> None:
        exclude_answers(self._some(excluded=False), reason=Reason.SPEED, decider=RULE)

    def inclusion(self) -> None:
        include_answers(self._some(excluded=True), decider=RULE)

    def withdrawal(self) -> None:
        if len(self._staying()) > 2:
            withdraw(self.campaign, self.rng.choice(self._staying()), identity=self.rng.random() < 0.5, answers=True)

    def arrival(self) -> None:
        """Somebody who is there already opens a link, and is of its group from then on."""
        person = self.rng.choice(self._staying())
        use = self.link.arrivals.count() + 1
        Arrival.objects.get_or_create(invitation=self.link, user=person, defaults={"use": use})

    def _answer(self, assignment: Assignment) -> None:
        clicked = {"overall": self.rng.choice(VALUES)}
        record_answers(
            assignment.pk, annotator=assignment.annotator, clicked=clicked, idempotency_key=str(next(self.keys))
        )

    def _staying(self) -> list[User]:
        here = set(Membership.objects.filter(campaign=self.campaign, ended_at=None).values_list("user", flat=True))
        return [voter for voter in self.voters if voter.pk in here]

    def _some(self, **fields: Any) -> list[Assignment]:
        rows = list(self.campaign.assignments.filter(status="answered", **fields).order_by("pk"))
        return self.rng.sample(rows, min(len(rows), 2))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(it, marks=pytest.mark.slow) for it in range(2, 8))])
def test_refreshing_all_along_gives_what_computing_from_scratch_gives(seed: int) -> None:
    rng = random.Random(seed)
    campaign = make_arena(items=3)
    happen = Happenings(campaign, rng)
    kinds = [
        happen.vote,
        happen.change_of_mind,
        happen.exclusion,
        happen.inclusion,
        happen.withdrawal,
        happen.arrival,
    ]

    for _ in range(40):
        rng.choices(kinds, weights=[8, 3, 2, 2, 0.4, 0.6])[0]()
        if rng.random() < 0.4:
            refresh(campaign, rng.choice(BOARDS))
    found = {settings: refresh(campaign, settings) for settings in BOARDS}

    for settings, standing in found.items():
        standing.refresh_from_db()
        assert rebuild(campaign, settings).equals(standing)
        use = WITH_EXCLUDED if settings.excluded else USED
        if not settings.by:
            assert standing.table["n"] == len(list(campaign_labels(campaign, use)))
    tables = {settings: standing.table for settings, standing in found.items()}
    Standing.objects.all().delete()
    Board.objects.all().delete()
    assert {settings: refresh(campaign, settings).table for settings in BOARDS} == tables
    assert newest(campaign, BOARDS[0]).serial == 1
