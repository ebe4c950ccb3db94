"""Baselines, which the demo starts, too: every judge that needs no key, once, over one campaign."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.demo.planted_labels import NAME, label_what_was_planted
from campaigns.models import Role
from corpus.models import Label, Unit
from judges.models import Run, Verdict, WorkerSlot
from judges.runs.baselines import BASELINES, baseline_progress, cancel_baselines, start_baselines
from judges.runs.worker import work_in_slot
from tests.factories import make_campaign, make_member, make_unit

pytestmark = pytest.mark.django_db
#: Of a dataset without labels.
WITHOUT_LABELS = [name for name in BASELINES if name != "majority"]


def test_every_offline_judge_gets_one_run_with_its_verdicts_to_do() -> None:
    campaign = make_campaign()

    start_baselines(campaign, user=campaign.created_by)
    again = start_baselines(campaign, user=campaign.created_by)

    assert list(Run.objects.order_by("pk").values_list("judge__kind", flat=True)) == WITHOUT_LABELS
    assert (again, Verdict.objects.filter(status="waiting").count()) == ([], 2 * len(WITHOUT_LABELS))


def test_judges_that_do_not_fit_the_protocol_are_not_started() -> None:
    campaign = make_campaign(protocol="acr")

    assert [run.judge.kind for run in start_baselines(campaign, user=campaign.created_by)] == ["random"]


def test_planted_labels_are_of_the_campaigns_pairs_and_come_once() -> None:
    campaign = make_campaign(units=0)
    unit = make_unit(campaign.dataset, "x")
    for response, name in ((unit.a, "aurora"), (unit.b, "breeze")):
        assert response is not None
        response.system.name = name
        response.system.save()
    campaign.campaign_units.create(unit=unit, position=0)

    for _time in range(2):
        row = label_what_was_planted(campaign.dataset, Unit.objects.all(), user=campaign.created_by)

    assert row.name == NAME
    assert dict(Label.objects.filter(annotation__label_set=row).values_list("aspect", "value")) == {
        "content": "both_good",
        "voice_quality": "a",
        "paralinguistics": "both_good",
        "overall": "a",
    }


def test_one_button_runs_the_baselines_and_leads_to_the_comparison(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.RESEARCHER))
    page = reverse("baselines", args=[campaign.slug])

    started = client.post(page, follow=True)
    again = client.post(page, follow=True)
    for pk in WorkerSlot.objects.order_by("pk").values_list("pk", flat=True):
        work_in_slot(pk, threads=0)

    assert "judges are through: 0 of" in started.content.decode()
    assert "has a run already" in again.content.decode()
    assert (
        reverse("comparison", args=[campaign.slug])
        in client.get(page, headers={"hx-request": "true"}).content.decode()
    )
    assert not Verdict.objects.filter(status="waiting").exists()


def test_baselines_can_be_stopped_and_started_again() -> None:
    campaign = make_campaign()
    first = start_baselines(campaign, user=campaign.created_by)

    assert cancel_baselines(campaign) == len(first)
    assert baseline_progress(campaign).runs == ()
    assert len(start_baselines(campaign, user=campaign.created_by)) == len(first)
    assert cancel_baselines(campaign) == len(first)


def test_baselines_are_started_by_the_api_once(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.RESEARCHER))
    address = f"/api/v1/campaigns/{campaign.slug}/runs/baselines/"

    started, again = client.post(address), client.post(address)

    assert [run["judge"]["kind"] for run in started.json()] == [*WITHOUT_LABELS]
    assert (started.status_code, again.status_code, again.json()) == (202, 202, [])


def test_a_draft_has_no_baselines(client: Client) -> None:
    campaign = make_campaign(status="draft")
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert client.post(f"/api/v1/campaigns/{campaign.slug}/runs/baselines/").status_code == 409
    client.post(reverse("baselines", args=[campaign.slug]))
    assert not Run.objects.exists()
