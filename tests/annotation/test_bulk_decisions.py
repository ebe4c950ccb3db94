"""Answers to many units are left out at once, taken in again, and both is undone; many answers are a job's work."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, User
from annotation.answers.submit import record_answers
from annotation.assignment.seat_counts import wrong_counts
from annotation.models import Assignment, BulkDecision, UseDecision
from annotation.review import bulk
from annotation.review.adjudication import NotForReview
from annotation.review.bulk import carry_out, decide_in_bulk, last_bulk, stop_bulk, undo_bulk
from annotation.review.exclusions import Decider, include_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, CampaignUnit, Role
from infrastructure.background.jobs import JobTaken, cancel_job, run_again, run_job
from infrastructure.models import Job
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Three units, each answered by two people."""
    campaign = make_campaign(units=3, answers_per_unit=2)
    for seat in (1, 2):
        person = make_member(campaign)
        for unit in campaign.campaign_units.all():
            say(unit, person, seat)
    return campaign


@pytest.fixture
def reviewer(campaign: Campaign) -> User:
    return make_member(campaign, Role.REVIEWER)


@pytest.fixture
def in_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything above two answers is many."""
    monkeypatch.setattr(bulk, "AT_ONCE", 2)


def say(unit: CampaignUnit, annotator: User, seat: int) -> None:
    assignment = make_assignment(unit.campaign, annotator, campaign_unit=unit, seat=seat)
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")


def units(campaign: Campaign, n: int = 3) -> list[int]:
    return list(campaign.campaign_units.order_by("position").values_list("pk", flat=True)[:n])


def left_out(campaign: Campaign) -> list[int]:
    """How many answers to each unit are left out."""
    rows = campaign.campaign_units.order_by("position")
    return [unit.assignments.filter(excluded=True).count() for unit in rows]


def show_nothing(_done: int, _total: int, _note: object) -> None: ...


@pytest.mark.databases
def test_answers_to_the_chosen_units_are_left_out_with_the_reason(campaign: Campaign, reviewer: User) -> None:
    row = decide_in_bulk(
        campaign, units(campaign, 2), reviewer=reviewer, use=False, reason="technical", comment="hum"
    )

    assert (left_out(campaign), row.n_answers, wrong_counts(campaign)) == ([2, 2, 0], 4, [])
    said = UseDecision.objects.values_list("use", "reason", "comment", "by", "bulk")
    assert set(said) == {(False, "technical", "hum", reviewer.pk, row.pk)}
    entry = AuditEntry.objects.get(event="answers_left_out")
    assert (entry.by, entry.params) == (reviewer, {"units": 2, "reason": "technical"})
    assert not Job.objects.exists()


@pytest.mark.databases
def test_answers_of_one_annotator_alone_are_left_out(campaign: Campaign, reviewer: User) -> None:
    person = Assignment.objects.filter(seat=2).first().annotator

    decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="speed", annotator=person)

    assert left_out(campaign) == [1, 1, 1]
    assert set(Assignment.objects.filter(excluded=True).values_list("annotator", flat=True)) == {person.pk}


@pytest.mark.databases
def test_decision_is_undone_and_done_again_except_where_somebody_decided_since(
    campaign: Campaign, reviewer: User
) -> None:
    first = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")
    again = Assignment.objects.filter(excluded=True).order_by("campaign_unit").first()
    include_answers([again], decider=Decider(person=reviewer))

    second = undo_bulk(first, reviewer=reviewer)
    assert (left_out(campaign), second.n_answers, wrong_counts(campaign)) == ([0, 0, 0], 5, [])
    assert undo_bulk(first, reviewer=reviewer) == second
    assert last_bulk(campaign, reviewer) == second

    undo_bulk(second, reviewer=reviewer)
    assert (left_out(campaign), wrong_counts(campaign)) == ([1, 2, 2], [])
    assert AuditEntry.objects.filter(event="bulk_decision_undone").count() == 2


@pytest.mark.databases
def test_answer_taken_in_again_gets_a_seat_of_its_own(campaign: Campaign, reviewer: User) -> None:
    decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")
    person = make_member(campaign)
    for unit in campaign.campaign_units.all():
        say(unit, person, 1)

    decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=True, reason="other")

    seats = [sorted(unit.assignments.values_list("seat", flat=True)) for unit in campaign.campaign_units.all()]
    assert seats == [[1, 2, 3]] * 3
    assert wrong_counts(campaign) == []


def test_withdrawn_answers_stay_out(campaign: Campaign, reviewer: User) -> None:
    person = campaign.memberships.filter(role=Role.ANNOTATOR).first().user
    withdraw(campaign, person, identity=False, answers=True)

    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=True, reason="other")

    assert (left_out(campaign), row.n_answers) == ([1, 1, 1], 0)


@pytest.mark.databases
def test_control_units_and_those_of_other_campaigns_are_passed_over(campaign: Campaign, reviewer: User) -> None:
    first, second, third = units(campaign)
    CampaignUnit.objects.filter(pk=second).update(purpose="gold")
    other = make_campaign(units=1)

    row = decide_in_bulk(campaign, [second, third, *units(other)], reviewer=reviewer, use=False, reason="technical")

    assert row.units == [third]
    assert left_out(campaign) == [0, 0, 2]
    assert first not in row.units


@pytest.mark.databases
def test_reviewers_who_label_decide_about_units_that_they_answered(campaign: Campaign) -> None:
    both = make_member(campaign, Role.REVIEWER)
    campaign.memberships.create(user=both, role=Role.ANNOTATOR, pseudonym="A99")
    unit = campaign.campaign_units.order_by("position").last()
    say(unit, both, 3)

    row = decide_in_bulk(campaign, units(campaign), reviewer=both, use=False, reason="technical")

    assert row.units == [unit.pk]


@pytest.mark.databases
@pytest.mark.usefixtures("in_a_job")
def test_many_answers_are_decided_by_a_job_that_goes_on_after_a_server_ended(
    campaign: Campaign, reviewer: User
) -> None:
    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")
    assert (left_out(campaign), row.n_answers) == ([0, 0, 0], None)
    assert list(Job.objects.values_list("kind", "subject")) == [("bulk-decision", str(row.pk))]
    with pytest.raises(NotForReview):
        undo_bulk(row, reviewer=reviewer)

    def ends_at_once(done: int, _total: int, _note: object) -> None:
        if done:
            raise JobTaken

    with pytest.raises(JobTaken):
        carry_out(str(row.pk), ends_at_once)
    assert sum(left_out(campaign)) == 2

    seen: list[tuple[int, int]] = []
    carry_out(str(row.pk), lambda done, total, _note: seen.append((done, total)))
    carry_out(str(row.pk), show_nothing)

    assert seen == [(0, 4), (2, 4), (4, 4)]
    assert (left_out(campaign), UseDecision.objects.count()) == ([2, 2, 2], 6)
    assert BulkDecision.objects.get().n_answers == 6


@pytest.mark.databases
@pytest.mark.usefixtures("in_a_job")
def test_undoing_many_is_a_job_too(campaign: Campaign, reviewer: User) -> None:
    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")
    carry_out(str(row.pk), show_nothing)
    row.refresh_from_db()

    back = undo_bulk(row, reviewer=reviewer)
    assert Job.objects.filter(subject=back.pk).exists()
    carry_out(str(back.pk), show_nothing)

    assert (left_out(campaign), wrong_counts(campaign)) == ([0, 0, 0], [])


@pytest.mark.databases
@pytest.mark.usefixtures("in_a_job")
def test_decision_is_stopped_between_two_steps_and_what_was_done_is_undone(
    campaign: Campaign, reviewer: User
) -> None:
    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")

    def stop_after_first(done: int, _total: int, _note: object) -> None:
        if done:
            stop_bulk(row, reviewer=reviewer)

    carry_out(str(row.pk), stop_after_first)
    carry_out(str(row.pk), show_nothing)
    stop_bulk(row, reviewer=reviewer)

    assert (sum(left_out(campaign)), row.n_answers, wrong_counts(campaign)) == (2, 2, [])
    assert AuditEntry.objects.get(event="bulk_decision_stopped").params == {"answers": 2}
    undo_bulk(row, reviewer=reviewer)
    assert left_out(campaign) == [0, 0, 0]


@pytest.mark.databases
@pytest.mark.usefixtures("in_a_job")
def test_cancelled_job_leaves_a_decision_that_goes_on_when_it_is_run_again(
    campaign: Campaign, reviewer: User
) -> None:
    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")
    admin = User.objects.create_superuser("root")

    cancel_job(Job.objects.get(), by=admin)
    row.refresh_from_db()
    assert (sum(left_out(campaign)), row.n_answers) == (0, 0)

    again = run_again(Job.objects.get(), by=admin)
    run_job(again.pk)
    row.refresh_from_db()
    assert (left_out(campaign), row.n_answers) == ([2, 2, 2], 6)


def test_units_beyond_those_of_one_query_are_decided_about(
    campaign: Campaign, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "UNITS_AT_ONCE", 2)

    row = decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="technical")

    assert (left_out(campaign), row.n_answers) == ([2, 2, 2], 6)


@pytest.mark.databases
def test_unknown_reason_is_refused(campaign: Campaign, reviewer: User) -> None:
    with pytest.raises(ValueError, match="is no reason"):
        decide_in_bulk(campaign, units(campaign), reviewer=reviewer, use=False, reason="mood")

    assert not BulkDecision.objects.exists()


def test_more_answers_per_unit_take_no_more_queries(campaign: Campaign, reviewer: User) -> None:
    def n_queries(annotator: User | None) -> int:
        with CaptureQueriesContext(connection) as queries:
            row = decide_in_bulk(
                campaign, units(campaign), reviewer=reviewer, use=False, reason="other", annotator=annotator
            )
        undo_bulk(row, reviewer=reviewer)
        return len(queries)

    assert n_queries(None) == n_queries(Assignment.objects.first().annotator)
