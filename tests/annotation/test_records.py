import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answers.submit import AnswerRefused, record_answers
from annotation.models import Annotation, Answer, Assignment, ListeningLog
from campaigns.models import Campaign, Membership, Role
from protocols import InvalidAnswers
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


def answered(assignment: Assignment, **changes: str) -> Annotation:
    return record_answers(
        assignment.pk,
        annotator=assignment.annotator,
        clicked=DIRECT_ANSWERS | changes,
        idempotency_key="key-1",
    )


@pytest.mark.databases
@pytest.mark.parametrize(("order", "content", "voice"), [("ab", "a", "b"), ("ba", "b", "a")])
def test_record_answers_stores_the_response_behind_the_place(order: str, content: str, voice: str) -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign), order=order)

    annotation = answered(assignment)

    stored = dict(annotation.answers.values_list("aspect", "value"))
    assert stored == {
        "content": content,
        "voice_quality": voice,
        "paralinguistics": "both_bad",
        "overall": content,
    }


@pytest.mark.databases
def test_record_answers_stores_acceptability_of_the_response_behind_the_place() -> None:
    campaign = make_campaign(protocol="hcot_guided")
    assignment = make_assignment(campaign, make_member(campaign), order="ba")
    names = [aspect.name for aspect in campaign.protocol.aspects]
    clicked = {f"{name}.acceptable_1": "yes" for name in names} | {f"{name}.acceptable_2": "no" for name in names}

    annotation = record_answers(assignment.pk, annotator=assignment.annotator, clicked=clicked, idempotency_key="k")

    stored = set(annotation.answers.values_list("value", "acceptable_a", "acceptable_b"))
    assert stored == {("b", False, True)}


def test_record_answers_closes_the_assignment() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))

    answered(assignment)

    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.ANSWERED


def test_record_answers_twice_with_the_same_key_is_one_annotation() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))

    first, second = answered(assignment), answered(assignment)

    assert first == second
    assert Annotation.objects.count() == 1


def test_record_answers_refuses_other_answers_under_a_key_that_was_used() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    answered(assignment)

    with pytest.raises(AnswerRefused, match="opens it again"):
        answered(assignment, content="2")


def test_record_answers_with_another_key_is_refused() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    answered(assignment)

    with pytest.raises(AnswerRefused, match="already answered"):
        record_answers(
            assignment.pk, annotator=assignment.annotator, clicked=DIRECT_ANSWERS, idempotency_key="another"
        )


@each("missing", sorted(DIRECT_ANSWERS), undo=True)
def test_record_answers_without_an_aspect_stores_nothing(missing: str) -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    clicked = {name: value for name, value in DIRECT_ANSWERS.items() if name != missing}

    with pytest.raises(InvalidAnswers):
        record_answers(assignment.pk, annotator=assignment.annotator, clicked=clicked, idempotency_key="k")

    assert not Annotation.objects.exists()


def test_record_answers_for_somebody_elses_assignment_is_refused() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))

    with pytest.raises(Assignment.DoesNotExist):
        record_answers(assignment.pk, annotator=make_member(campaign), clicked=DIRECT_ANSWERS, idempotency_key="k")


def test_record_answers_for_no_assignment_is_refused() -> None:
    campaign = make_campaign()

    with pytest.raises(Assignment.DoesNotExist):
        record_answers(uuid.uuid4(), annotator=make_member(campaign), clicked=DIRECT_ANSWERS, idempotency_key="k")


def test_record_answers_after_the_reservation_went_to_others_is_refused() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign), status="expired")

    with pytest.raises(AnswerRefused, match="another annotator"):
        answered(assignment)


@pytest.mark.databases
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "paused"}, "was paused or closed"),
        ({"status": "closed"}, "was closed, so"),
        ({"closes_at": timezone.now()}, "was closed, so"),
    ],
)
def test_record_answers_in_a_campaign_that_stopped_is_refused(fields: dict[str, Any], said: str) -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    Campaign.objects.filter(pk=campaign.pk).update(**fields)

    with pytest.raises(AnswerRefused, match=said):
        answered(assignment)


@pytest.mark.django_db(transaction=True)
def test_record_answers_from_many_clicks_at_once_is_one_annotation() -> None:
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))

    def click(_: int) -> int:
        try:
            return answered(assignment).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        recorded = set(pool.map(click, range(16)))

    assert len(recorded) == 1
    assert Annotation.objects.count() == 1
    assert Answer.objects.count() == 4


@pytest.fixture
def removed() -> Assignment:
    """What somebody holds who was removed from its campaign, and still labels in another one."""
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    campaign.memberships.update(ended_at=timezone.now())
    Membership.objects.create(
        campaign=make_campaign(), user=assignment.annotator, role=Role.ANNOTATOR, pseudonym="A1"
    )
    return assignment


def test_record_answers_of_a_removed_annotator_is_refused(removed: Assignment) -> None:
    with pytest.raises(PermissionDenied):
        answered(removed)

    assert not Annotation.objects.exists()


@pytest.mark.databases
def test_campaign_that_was_read_before_is_looked_at_again_under_the_lock() -> None:
    """While somebody waits for the lock, the campaign may pause, and they may be removed from it."""
    campaign = make_campaign()
    assignment = make_assignment(campaign, make_member(campaign))
    sent = {"clicked": DIRECT_ANSWERS, "idempotency_key": "k", "annotator": assignment.annotator}
    Campaign.objects.update(status=Campaign.Status.PAUSED)

    with pytest.raises(AnswerRefused, match="paused or closed"):
        record_answers(assignment.pk, campaign=campaign, **sent)
    Campaign.objects.update(status=Campaign.Status.OPEN)
    campaign.memberships.update(ended_at=timezone.now())
    with pytest.raises(PermissionDenied):
        record_answers(assignment.pk, campaign=campaign, **sent)
    with pytest.raises(Assignment.DoesNotExist):
        record_answers(assignment.pk, campaign=make_campaign(), **sent)

    assert not Annotation.objects.exists()


@pytest.mark.databases
@pytest.mark.parametrize("action", ["answer", "give-back", "heard"])
def test_removed_annotator_does_nothing_through_the_url_of_another_campaign(
    client: Client, removed: Assignment, action: str
) -> None:
    report = '[{"number": 1, "ranges": {}, "plays": {}, "switches": 0, "hidden_s": 0}]'
    sent = {"answer": DIRECT_ANSWERS, "give-back": {"reason": "other"}, "heard": {"heard": report}}[action]
    own = Campaign.objects.get(memberships__user=removed.annotator, memberships__ended_at=None)
    client.force_login(removed.annotator)

    response = client.post(reverse(action, args=[own.slug, removed.pk]), sent | {"idempotency_key": "k"})

    assert response.status_code == 404
    assert Assignment.objects.get().status == "reserved"
    assert not Annotation.objects.exists()
    assert not ListeningLog.objects.exists()
