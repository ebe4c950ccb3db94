"""What the demo starts: every judge that needs no key, once, over one campaign."""

import pytest

from campaigns.datasets.planted_labels import NAME, label_what_was_planted
from campaigns.models import Campaign
from judges.models import Run, Verdict
from judges.runs.keyless import OFFLINE, start_offline_judges
from tests.factories import make_campaign, make_unit

pytestmark = pytest.mark.django_db


def test_every_offline_judge_gets_one_run_with_its_verdicts_to_do() -> None:
    campaign = make_campaign()

    start_offline_judges(campaign, user=campaign.created_by)
    again = start_offline_judges(campaign, user=campaign.created_by)

    assert list(Run.objects.order_by("pk").values_list("judge__kind", flat=True)) == list(OFFLINE)
    assert (again, Verdict.objects.filter(status="waiting").count()) == ([], 2 * len(OFFLINE))


def test_judges_that_do_not_fit_the_protocol_are_not_started() -> None:
    campaign = make_campaign(protocol="acr")

    assert [run.judge.kind for run in start_offline_judges(campaign, user=campaign.created_by)] == ["random"]


def test_planted_labels_are_of_the_campaigns_pairs_and_come_once() -> None:
    campaign = make_campaign(units=0)
    unit = make_unit(campaign.dataset, "x")
    for response, name in ((unit.a, "aurora"), (unit.b, "breeze")):
        assert response is not None
        response.system.name = name
        response.system.save()
    campaign.campaign_units.create(unit=unit, position=0)

    for _time in range(2):
        row = label_what_was_planted(Campaign.objects.get(), user=campaign.created_by)

    assert row.name == NAME
    assert dict(row.labels.values_list("aspect", "value")) == {
        "content": "both_good",
        "voice_quality": "a",
        "paralinguistics": "both_good",
        "overall": "a",
    }
