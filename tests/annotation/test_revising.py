"""The last answer taken back: the new one supersedes it, and until then the earlier one stands."""

import json
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.labels import campaign_labels
from annotation.answers.revise import NothingToTakeBack, leave_as_it_was, said_before, take_back
from annotation.answers.submit import AnswerRefused, record_answers
from annotation.assignment.next_unit import CampaignNotOpen, give_back, next_assignment
from annotation.assignment.progress import answers_by_campaign, own_progress
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign
from protocols import SHIPPED, for_item
from protocols.kinds.frames import Frame
from tests.annotation.test_every_protocol import CASES, FACTS, clicks
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=3)


@pytest.fixture
def annotator(campaign: Campaign) -> User:
    return make_member(campaign)


def answer(campaign: Campaign, annotator: User, *, key: str = "k", **changes: str) -> Annotation:
    assignment = next_assignment(campaign, annotator)
    assert assignment
    clicked = DIRECT_ANSWERS | changes
    return record_answers(assignment.pk, annotator=annotator, clicked=clicked, idempotency_key=key)


def test_new_answer_supersedes_the_one_taken_back(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)

    take_back(campaign, annotator)
    second = answer(campaign, annotator, key="other", overall="both_bad")

    assert second.supersedes == first
    assert second.assignment == first.assignment
    assert [row.given.revision for row in campaign_labels(campaign)] == [2]
    assert [label.value for row in campaign_labels(campaign) for label in row.answers][-1] == "both_bad"
    assert Annotation.objects.count() == 2


def test_answer_taken_back_stands_until_it_is_given_anew(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)

    take_back(campaign, annotator)

    assert len(list(campaign_labels(campaign))) == 1
    assert own_progress(campaign, annotator).answered == 1
    leave_as_it_was(first.assignment_id, annotator=annotator)
    assert next_assignment(campaign, annotator) != first.assignment
    assert Annotation.objects.get() == first


def test_taking_back_keeps_the_unit_that_was_in_hand(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)
    held = next_assignment(campaign, annotator)

    take_back(campaign, annotator)

    assert next_assignment(campaign, annotator) == first.assignment
    answer(campaign, annotator, key="again")
    assert next_assignment(campaign, annotator) == held


def test_taken_back_answer_is_counted_once_in_progress(campaign: Campaign, annotator: User) -> None:
    answer(campaign, annotator)
    take_back(campaign, annotator)
    answer(campaign, annotator, key="again")

    [(_, progress)] = answers_by_campaign([campaign])

    assert (progress.answered, own_progress(campaign, annotator).answered) == (1, 1)


def test_only_the_last_answer_is_taken_back(campaign: Campaign, annotator: User) -> None:
    answer(campaign, annotator)
    last = answer(campaign, annotator)

    assert take_back(campaign, annotator) == last.assignment
    assert take_back(campaign, annotator) == last.assignment


def test_nothing_is_taken_back_where_nothing_was_answered(campaign: Campaign, annotator: User) -> None:
    answer(campaign, make_member(campaign))

    with pytest.raises(NothingToTakeBack):
        take_back(campaign, annotator)


def test_nothing_is_taken_back_in_a_closed_campaign(campaign: Campaign, annotator: User) -> None:
    answer(campaign, annotator)
    campaign.status = Campaign.Status.PAUSED
    campaign.save()

    with pytest.raises(CampaignNotOpen):
        take_back(campaign, annotator)


def test_answer_without_taking_back_is_refused_under_a_new_key(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)

    with pytest.raises(AnswerRefused, match="already answered"):
        record_answers(first.assignment_id, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="new")


def test_old_key_gives_the_old_answer_and_leaves_the_unit_open(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)
    take_back(campaign, annotator)

    again = record_answers(first.assignment_id, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert again == first
    assert next_assignment(campaign, annotator) == first.assignment


def test_reopened_unit_is_not_given_back_to_others(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)
    take_back(campaign, annotator)

    give_back(first.assignment_id, annotator=annotator, reason="other")

    assert Assignment.objects.get(pk=first.assignment_id).status == "answered"


def test_leaving_somebody_elses_unit_finds_nothing(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)
    take_back(campaign, annotator)

    with pytest.raises(Assignment.DoesNotExist):
        leave_as_it_was(first.assignment_id, annotator=make_member(campaign))


@pytest.mark.databases
def test_database_keeps_one_line_of_revisions(campaign: Campaign, annotator: User) -> None:
    first = answer(campaign, annotator)
    second = Annotation.objects.create(
        assignment=first.assignment, supersedes=first, idempotency_key="x", shown_at=first.shown_at
    )

    for supersedes in (None, first):
        fork = Annotation(
            assignment=first.assignment, supersedes=supersedes, idempotency_key="y", shown_at=second.shown_at
        )
        with pytest.raises(IntegrityError), transaction.atomic():
            fork.save()


@each("name, order", CASES, undo=True)
def test_form_of_a_reopened_unit_begins_with_what_was_clicked(name: str, order: str) -> None:
    campaign = make_campaign(protocol=name, units=1, facts=FACTS)
    assignment = make_assignment(campaign, make_member(campaign), order=order)
    protocol = for_item(campaign.protocol, FACTS)
    for seed in range(5):
        clicked = clicks(protocol, len(order), seed)
        record_answers(assignment.pk, annotator=assignment.annotator, clicked=clicked, idempotency_key=str(seed))
        assignment = take_back(campaign, assignment.annotator)

        assert said_before(assignment, protocol) == clicked


@pytest.mark.databases
def test_frames_of_the_shipped_protocols_are_all_tried() -> None:
    tried: set[Frame] = {aspect.scale.frame for protocol in SHIPPED.values() for aspect in protocol.aspects}

    assert tried == {"response", "signed", "none"}


def test_pages_take_back_change_and_leave(client: Client, media_root: Path, annotator: User) -> None:
    campaign = annotator.memberships.get().campaign
    deliver_fakes(campaign)
    client.force_login(annotator)
    first = answer(campaign, annotator, **{"note.flag": "An odd one"})

    page = client.post(reverse("take-back", args=[campaign.slug]), headers=HTMX).content.decode()

    assert "You are changing your last answer" in page
    assert "An odd one" in page
    assert reverse("answer", args=[campaign.slug, first.assignment_id]) in page
    left = client.post(reverse("leave-as-it-was", args=[campaign.slug, first.assignment_id]), headers=HTMX)
    assert "You are changing" not in left.content.decode()


def test_page_says_when_there_is_nothing_to_take_back(client: Client, media_root: Path, annotator: User) -> None:
    campaign = annotator.memberships.get().campaign
    client.force_login(annotator)

    response = client.post(reverse("take-back", args=[campaign.slug]), headers=HTMX)

    assert response.status_code == 409
    assert "not answered anything" in response.content.decode()


def test_flag_and_marks_come_back_to_the_form(campaign: Campaign, annotator: User) -> None:
    marks = [{"clip": "2-1", "start": 0.2, "end": 0.6, "kind": "glitch"}]
    for _ in range(2):
        answer(campaign, annotator, **{"note.flag": "odd", "note.marks": json.dumps(marks)})

    said = said_before(take_back(campaign, annotator), campaign.protocol)

    assert said["note.flag"] == "odd"
    assert json.loads(said["note.marks"]) == marks
