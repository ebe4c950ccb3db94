"""What comes next on the first page: for administrators and for other researchers, with and without the demo."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from analytics.home.next_steps import NextSteps, next_steps
from campaigns.models import Campaign
from corpus.models import Dataset
from judges.models import Judge
from tests.cases import each
from tests.factories import UserFactory, make_campaign
from tests.importing import text_of

pytestmark = pytest.mark.django_db


def make_demo() -> Campaign:
    campaign = make_campaign(opened_at=timezone.now())
    Campaign.objects.update(is_demo=True)
    Dataset.objects.update(is_demo=True)
    User.objects.update(is_demo=True)
    return campaign


def test_demo_is_no_step_that_is_done_and_leads_to_where_it_is_cleared_away(client: Client) -> None:
    make_demo()
    boss = UserFactory(is_superuser=True)
    client.force_login(boss)

    assert next_steps(boss) == NextSteps(people=False, data=False, campaign=False, judges=False, has_demo=True)
    home = client.get("/").content.decode()
    assert 'href="/administration/demo/"' in home
    assert "What comes next" in home


def test_without_the_demo_nothing_is_said_of_it(client: Client) -> None:
    boss = UserFactory(is_superuser=True)
    client.force_login(boss)

    assert next_steps(boss) == NextSteps(people=False, data=False, campaign=False, judges=False, has_demo=False)
    assert "administration/demo" not in client.get("/").content.decode()


def test_researcher_has_steps_of_their_own_without_those_of_administrators(client: Client) -> None:
    make_demo()
    make_campaign(opened_at=timezone.now())  # of somebody else
    researcher = UserFactory(is_researcher=True)
    client.force_login(researcher)

    assert next_steps(researcher) == NextSteps(people=None, data=False, campaign=False, judges=False, has_demo=False)
    home = client.get("/")
    assert "What comes next Data" in text_of(home)
    assert "/accounts/people/" not in home.content.decode()


def test_steps_are_gone_once_the_researcher_has_a_dataset_an_opened_campaign_and_a_judge() -> None:
    campaign = make_campaign()
    researcher = campaign.dataset.created_by
    User.objects.filter(pk=researcher.pk).update(is_researcher=True)
    researcher.refresh_from_db()
    Judge.objects.create(title="j", kind="random", kind_version="1", digest="d", created_by=researcher)
    steps = next_steps(researcher)
    assert steps
    assert (steps.data, steps.judges) == (True, True)

    campaign.memberships.get_or_create(user=researcher, role="admin")
    Campaign.objects.update(opened_at=timezone.now())

    assert next_steps(researcher) is None


@each("who", [{}, {"is_guest": True, "is_researcher": True}])
def test_who_may_not_launch_has_none(who: dict[str, bool]) -> None:
    assert next_steps(UserFactory(**who)) is None
