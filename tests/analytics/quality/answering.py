"""Answers for tests of the quality rules, stored by the real functions."""

from datetime import timedelta

from accounts.models import User
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment
from annotation.models import Annotation, Assignment
from campaigns.control_units.checks import GoldAnswer, set_gold
from campaigns.models import Campaign, CampaignUnit, Membership
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import set_rules
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign

RIGHT, WRONG = DIRECT_ANSWERS | {"overall": "both_good"}, DIRECT_ANSWERS | {"overall": "both_bad"}


def campaign_with_gold(n_gold: int = 5, *, units: int = 12, **fields: object) -> Campaign:
    """The first units are gold, too; what passes is `both_good`."""
    campaign = make_campaign(units=max(units, n_gold), status="draft", **({"answers_per_unit": 5} | fields))
    set_gold(campaign, [GoldAnswer(str(n), "overall", "both_good") for n in range(n_gold)])
    campaign.status = Campaign.Status.OPEN
    campaign.save()
    return campaign


def membership(campaign: Campaign, user: User) -> Membership:
    return campaign.memberships.select_related("user", "campaign").get(user=user)


def answer_gold(campaign: Campaign, annotator: User, *said: dict[str, str]) -> None:
    """Answer that many of the gold units that this annotator has not had."""
    had = Assignment.objects.filter(annotator=annotator).values("campaign_unit")
    units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.GOLD).exclude(pk__in=had)
    for unit, clicked in zip(units[: len(said)], said, strict=True):
        assignment = make_assignment(campaign, annotator, campaign_unit=unit, seat=annotator.pk)
        record_answers(assignment.pk, annotator=annotator, clicked=clicked, idempotency_key="k")


def answer_study(campaign: Campaign, annotator: User, n: int = 1, *, took_s: float = 30.0) -> list[Assignment]:
    """Answer the next units, each in so many seconds."""
    given = []
    for _ in range(n):
        assignment = next_assignment(campaign, annotator)
        assert assignment
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
        annotation = Annotation.objects.get(assignment=assignment, superseded_by=None)
        Annotation.objects.filter(pk=annotation.pk).update(
            shown_at=annotation.recorded_at - timedelta(seconds=took_s)
        )
        given.append(assignment)
    return given


def only_gold(campaign: Campaign, action: Action) -> None:
    """Let gold alone do something: this."""
    set_rules(campaign, rules={"gold": Rule(0.1, 3, action), **NOTHING_ELSE}, user=campaign.created_by)


NOTHING_ELSE = {name: Rule(0.5, 1, Action.NOTHING) for name in ("checks", "fast", "listening", "repeat", "trap")}
