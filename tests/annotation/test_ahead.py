"""What will probably come next is planned, so that its clips can be fetched, and keeps nobody from it."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.answers.submit import AnswerRefused, record_answers
from annotation.assignment.next_unit import next_assignment, plan_next
from annotation.assignment.progress import own_progress
from annotation.models import Assignment
from campaigns.models import Campaign
from tests.annotation.test_listening import deliver_fakes
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.mark.databases
def test_planned_unit_comes_next_with_its_order() -> None:
    campaign = make_campaign(units=5)
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    planned = plan_next(campaign, annotator)
    assert held
    assert planned

    record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    following = next_assignment(campaign, annotator)

    assert following
    assert (following.pk, following.order) == (planned.pk, planned.order)
    assert (following.status, following.seat) == ("reserved", 1)
    assert held.campaign_unit_id != following.campaign_unit_id


@pytest.mark.databases
def test_plan_stays_the_same_while_its_unit_is_free() -> None:
    campaign = make_campaign(units=5)
    annotator = make_member(campaign)
    next_assignment(campaign, annotator)

    assert plan_next(campaign, annotator) == plan_next(campaign, annotator)
    assert Assignment.objects.filter(status="planned").count() == 1


@pytest.mark.databases
def test_planned_unit_is_free_for_others_and_the_plan_gives_way() -> None:
    campaign = make_campaign(units=2)
    annotator, other = make_member(campaign), make_member(campaign)
    held, planned = next_assignment(campaign, annotator), plan_next(campaign, annotator)
    assert held
    assert planned

    taken = next_assignment(campaign, other)

    assert taken
    assert taken.campaign_unit == planned.campaign_unit
    assert plan_next(campaign, annotator) is None
    record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    assert next_assignment(campaign, annotator) is None
    assert not Assignment.objects.filter(status="planned").exists()


def test_units_planned_for_others_come_last_among_equals() -> None:
    campaign = make_campaign(units=4)
    first, second = make_member(campaign), make_member(campaign)
    next_assignment(campaign, first)
    planned = plan_next(campaign, first)
    assert planned

    taken = next_assignment(campaign, second)
    second_plan = plan_next(campaign, second)

    assert taken
    assert second_plan
    assert planned.campaign_unit_id not in {taken.campaign_unit_id, second_plan.campaign_unit_id}


def test_planned_unit_cannot_be_answered() -> None:
    campaign = make_campaign(units=3)
    annotator = make_member(campaign)
    next_assignment(campaign, annotator)
    planned = plan_next(campaign, annotator)
    assert planned

    with pytest.raises(AnswerRefused):
        record_answers(planned.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    assert own_progress(campaign, annotator).total == 3


def test_clips_of_the_planned_unit_can_be_fetched_and_tell_nothing(client: Client, media_root: Path) -> None:
    campaign = make_campaign(units=3)
    deliver_fakes(campaign)
    client.force_login(make_member(campaign))
    client.get(reverse("label", args=[campaign.slug]))

    answer = client.post(reverse("ahead", args=[campaign.slug]))

    clips = answer.json()["clips"]
    assert set(clips) == {"0-1", "1-1", "2-1"}
    assert [client.get(url).status_code for url in clips.values()] == [200, 200, 200]
    assert RARE_A not in answer.content.decode()
    assert RARE_B not in answer.content.decode()


def test_nothing_is_ahead_of_the_last_unit_or_in_a_closed_campaign(client: Client) -> None:
    campaign = make_campaign(units=1)
    client.force_login(make_member(campaign))
    client.get(reverse("label", args=[campaign.slug]))

    assert client.post(reverse("ahead", args=[campaign.slug])).status_code == 204
    Campaign.objects.update(status="closed")
    assert client.post(reverse("ahead", args=[campaign.slug])).status_code == 204
