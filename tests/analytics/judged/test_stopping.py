"""The rule that closes a campaign once the κ of each judge is known."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from analytics.judged.stopping import kappas_of_judges, known_judges
from campaigns.launch.stopping import close_settled_campaigns
from campaigns.models import Campaign, Role
from judges.models import Run
from tests.analytics.judged.test_watched_comparison import TRUTH, UNITS, wrong_on
from tests.analytics.saying import judge_says, people_say
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
RULE = {"rule": "judges", "kappa": 0.3}


def make(*, people: int = 1, units: int = UNITS) -> Campaign:
    campaign = make_campaign(units=UNITS, status="open", opened_at=timezone.now(), stops_when=RULE)
    said = [*TRUTH[:units], *[None] * (UNITS - units)]
    people_say(campaign, *[said] * people)
    return campaign


def test_it_closes_once_each_judge_is_known_and_files_say_so(client: Client) -> None:
    campaign = make()
    assert close_settled_campaigns() == []
    judge_says(campaign, {"ab": wrong_on(TRUTH, 0.2, 8)}, title="Good")
    judge_says(campaign, {"ab": wrong_on(TRUTH, 0.6, 9)}, title="Middling")
    judge_says(campaign, {"ab": ["a"] * UNITS}, title="Constant")
    judge_says(campaign, {"ab": ["waiting"] * UNITS}, title="Gone", status="cancelled")
    judge_says(campaign, {"ab": ["error"] * UNITS}, title="Mute")
    judge_says(campaign, {"ab": TRUTH}, title="Unqualified", kind="embedding")
    narrow = known_judges(campaign, {"kappa": 0.05})

    closed = close_settled_campaigns()

    campaign.refresh_from_db()
    assert (narrow.reached, "κ of Middling" in narrow.stands) == (False, True)
    assert sorted(name.split(" (")[0] for name in kappas_of_judges(campaign)) == ["Constant", "Good", "Middling"]
    assert closed == [campaign]
    assert (campaign.status, campaign.stop_reached_at is not None) == ("closed", True)
    assert "stopping_rule_reached" in AuditEntry.objects.values_list("event", flat=True)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    told = client.get(reverse("board-file", args=[campaign.slug, "json"])).json()["stopping"]
    assert told["stopping_rule"] == "closes once the κ of each judge with people is known to ±0.3"


def test_it_waits_for_units_and_for_runs_that_go_on() -> None:
    campaign = make(units=90)
    judge_says(campaign, {"ab": TRUTH}, title="Good")

    assert close_settled_campaigns() == []
    campaign.refresh_from_db()
    assert campaign.stop_stands == "Not every judge has an interval of κ yet."

    people_say(campaign, [*[None] * 90, *TRUTH[90:]])
    late = judge_says(campaign, {"ab": ["waiting"] * UNITS}, title="Late", status="running")
    assert close_settled_campaigns() == []
    Run.objects.filter(pk=late.pk).update(status="failed")
    assert close_settled_campaigns() == [campaign]


def test_without_people_it_waits() -> None:
    campaign = make(people=0)
    judge_says(campaign, {"ab": TRUTH})

    assert known_judges(campaign, RULE).reached is False  # type: ignore[arg-type]
