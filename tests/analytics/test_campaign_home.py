"""The home of a campaign: where it stands, and one clear next step, in every state."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from analytics.home.campaign_steps import next_steps_of, standing_of
from campaigns.access import RIGHTS
from campaigns.models import Campaign, Role
from judges.models import Run
from tests.factories import make_campaign, make_member
from tests.judges.running import a_judge, a_run

pytestmark = pytest.mark.django_db


def titles(campaign: Campaign, role: Role = Role.ADMIN) -> list[str]:
    return [step.title for step in next_steps_of(campaign, standing_of(campaign), RIGHTS[role])]


def test_an_open_campaign_first_needs_people_then_baselines_then_is_compared() -> None:
    campaign = make_campaign()

    alone = titles(campaign)
    make_member(campaign, Role.ANNOTATOR)
    invited = titles(campaign)
    a_run(campaign, a_judge(campaign))
    judged = titles(campaign)

    assert (alone[0], invited[0], judged[0]) == (
        "Invite annotators",
        "Run the baselines",
        "Compare judges with people",
    )


def test_what_stopped_comes_before_all_else_and_a_paused_campaign_is_opened_again() -> None:
    campaign = make_campaign(status="paused")
    a_run(campaign, a_judge(campaign))
    Run.objects.update(status="failed")

    assert titles(campaign)[:2] == ["See why a judge stopped", "Open it again"]


def test_viewers_are_offered_only_what_they_may_do() -> None:
    assert titles(make_campaign(), Role.VIEWER) == ["Compare judges with people"]


@pytest.mark.parametrize("status", ["open", "paused"])
def test_a_campaign_past_its_closing_day_says_closed_at_once(client: Client, status: str) -> None:
    campaign = make_campaign(status=status, closes_at=timezone.now() - timedelta(seconds=1))
    client.force_login(make_member(campaign, Role.ADMIN))

    shown = client.get(reverse("campaign", args=[campaign.slug])).content.decode()

    assert '<span class="state closed">Closed</span>' in shown
    assert "Closed since" in shown
    assert ">Pause</button>" not in shown
    assert titles(campaign)[0] == "Read the results"
    assert '<span class="state closed">Closed</span>' in client.get(reverse("home")).content.decode()


def test_it_takes_few_queries(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    campaign = make_campaign()

    with django_assert_max_num_queries(9):
        next_steps_of(campaign, standing_of(campaign), RIGHTS[Role.ADMIN])
