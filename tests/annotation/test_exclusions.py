"""Exclusion as a decision: recorded, reversible, and apart from payment and from pausing somebody."""

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.inclusion import WITH_EXCLUDED
from analytics.data.labels import campaign_labels
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import AnnotatorPaused, next_assignment, plan_next
from annotation.assignment.progress import answers_by_campaign, own_progress
from annotation.models import AnnotatorDecision, Assignment, Reason, UseDecision
from annotation.review.exclusions import (
    Decider,
    decide_payment,
    exclude_answers,
    include_answers,
    pause_annotator,
    resume_annotator,
    standing_decisions,
)
from campaigns.models import Campaign
from tests.annotation.test_listening import deliver_fakes
from tests.factories import DIRECT_ANSWERS, UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
RULE = Decider(rule="gold below 0.7")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


def answered(campaign: Campaign, annotator: User | None = None) -> Assignment:
    annotator = annotator or make_member(campaign)
    assignment = next_assignment(campaign, annotator)
    assert assignment
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    return assignment


def n_used(campaign: Campaign) -> int:
    return len(list(campaign_labels(campaign)))


@pytest.mark.databases
def test_excluded_answer_is_left_out_and_nothing_is_deleted(campaign: Campaign) -> None:
    assignment = answered(campaign)

    [decision] = exclude_answers([assignment], reason=Reason.SPEED, decider=RULE, comment="2 s for 40 s of audio")

    assert n_used(campaign) == 0
    assert len(list(campaign_labels(campaign, WITH_EXCLUDED))) == 1
    assert (decision.use, decision.reason, decision.rule, decision.by) == (False, "speed", "gold below 0.7", None)
    assert answers_by_campaign([campaign])[0][1].answered == 0
    assert own_progress(campaign, assignment.annotator).answered == 1


def test_excluded_answer_comes_back(campaign: Campaign) -> None:
    assignment, person = answered(campaign), UserFactory()
    exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)

    include_answers([assignment], decider=Decider(person), comment="The clock was wrong")

    assert n_used(campaign) == 1
    assert [(row.use, row.by) for row in UseDecision.objects.all()] == [(False, None), (True, person)]


def test_deciding_the_same_twice_is_one_decision(campaign: Campaign) -> None:
    assignment = answered(campaign)

    first = exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)
    second = exclude_answers([assignment], reason=Reason.GOLD, decider=RULE)

    assert (len(first), len(second), UseDecision.objects.count()) == (1, 0, 1)


@pytest.mark.databases
def test_seat_of_an_excluded_answer_goes_to_somebody_else_but_never_back_to_its_annotator(campaign: Campaign) -> None:
    assignment = answered(campaign)
    assert next_assignment(campaign, make_member(campaign)) is None

    exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)

    assert next_assignment(campaign, assignment.annotator) is None
    replacement = answered(campaign)
    assert replacement.seat == assignment.seat
    assert n_used(campaign) == 1


@pytest.mark.databases
def test_answer_included_after_it_was_replaced_stands_beside_the_other(campaign: Campaign) -> None:
    assignment = answered(campaign)
    exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)
    answered(campaign)

    include_answers([assignment], decider=RULE)

    assert n_used(campaign) == 2
    assert sorted(Assignment.objects.values_list("seat", flat=True)) == [1, 2]
    assert next_assignment(campaign, make_member(campaign)) is None


def test_changed_answer_stays_excluded(campaign: Campaign) -> None:
    assignment = answered(campaign)
    exclude_answers([assignment], reason=Reason.SPEED, decider=RULE)
    take_back(campaign, assignment.annotator)

    record_answers(assignment.pk, annotator=assignment.annotator, clicked=DIRECT_ANSWERS, idempotency_key="x")

    assert n_used(campaign) == 0


def test_what_was_not_answered_is_not_decided_about(campaign: Campaign) -> None:
    held = next_assignment(campaign, make_member(campaign))
    assert held

    assert exclude_answers([held], reason=Reason.SPEED, decider=RULE) == []


def test_paused_annotator_finishes_what_is_in_hand_and_gets_no_more() -> None:
    campaign = make_campaign(units=3)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)

    pause_annotator(campaign, annotator, reason=Reason.GOLD, decider=RULE)

    assert next_assignment(campaign, annotator) == held
    assert plan_next(campaign, annotator) is None
    answered(campaign, annotator)
    with pytest.raises(AnnotatorPaused):
        next_assignment(campaign, annotator)
    resume_annotator(campaign, annotator, decider=Decider(UserFactory()))
    assert next_assignment(campaign, annotator)


def test_pause_holds_in_one_campaign_only() -> None:
    first, second = make_campaign(), make_campaign()
    annotator = make_member(first)
    second.memberships.create(user=annotator, role="annotator", pseudonym="A1")

    pause_annotator(first, annotator, reason=Reason.GOLD, decider=RULE)

    assert next_assignment(second, annotator)


def test_paused_annotator_reads_a_polite_page(client: Client, media_root: Path) -> None:
    campaign = make_campaign()
    deliver_fakes(campaign)
    annotator = make_member(campaign)
    pause_annotator(campaign, annotator, reason=Reason.GOLD, decider=RULE)
    client.force_login(annotator)

    page = client.get(reverse("label", args=[campaign.slug])).content.decode()

    assert "A short break" in page
    assert "gold" not in page.lower()


def test_pay_is_decided_apart_from_use(campaign: Campaign) -> None:
    assignment, person = answered(campaign), UserFactory()
    exclude_answers([assignment], reason=Reason.GOLD, decider=RULE)

    decide_payment(campaign, assignment.annotator, accept=True, reason=Reason.OTHER, decider=Decider(person))

    [pay] = standing_decisions(campaign, AnnotatorDecision.About.PAY)
    assert pay.yes
    assert n_used(campaign) == 0


def test_no_rule_declines_pay(campaign: Campaign) -> None:
    with pytest.raises(ValueError, match="Only a person"):
        decide_payment(campaign, make_member(campaign), accept=False, reason=Reason.TRAP, decider=RULE)


@pytest.mark.databases
def test_last_decision_of_a_kind_stands(campaign: Campaign) -> None:
    annotator, person = make_member(campaign), Decider(UserFactory())
    pause_annotator(campaign, annotator, reason=Reason.GOLD, decider=RULE)
    decide_payment(campaign, annotator, accept=False, reason=Reason.TRAP, decider=person)
    resume_annotator(campaign, annotator, decider=person)

    assert [row.yes for row in standing_decisions(campaign, AnnotatorDecision.About.WORK)] == [True]
    assert [row.yes for row in standing_decisions(campaign, AnnotatorDecision.About.PAY)] == [False]


@pytest.mark.parametrize(("person", "rule"), [(False, ""), (True, "gold")])
def test_decider_is_a_person_or_a_rule(person: bool, rule: str) -> None:
    with pytest.raises(ValueError, match="either"):
        Decider(UserFactory() if person else None, rule)


@pytest.mark.databases
def test_database_wants_a_person_or_a_rule(campaign: Campaign) -> None:
    assignment = answered(campaign)

    with pytest.raises(IntegrityError), transaction.atomic():
        UseDecision.objects.create(assignment=assignment, use=False, reason="speed")


@pytest.mark.databases
def test_unknown_reason_and_endless_comment_are_refused(campaign: Campaign) -> None:
    assignment = answered(campaign)

    with pytest.raises(ValueError, match="no reason"):
        exclude_answers([assignment], reason="bored", decider=RULE)
    with pytest.raises(ValueError, match="2000"):
        exclude_answers([assignment], reason="speed", decider=RULE, comment="x" * 2001)
    assert not UseDecision.objects.exists()
