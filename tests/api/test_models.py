"""Language models by the API: a key goes in and never comes out; probes begin from runs that are done."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from campaigns.models import Role
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.models import LanguageModel, Run
from judges.runs.lifecycle import Plan, start_run
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
MODELS = "/api/v1/models/"
SECRET = "sk-very-secret-key"
NEW = {"title": "Mine", "base_url": "https://api.example.org/v1/", "model": "m-1", "api_key": SECRET}


@pytest.fixture
def launcher() -> APIClient:
    return caller(UserFactory(is_researcher=True))


def test_model_is_added_with_a_key_that_never_comes_out(launcher: APIClient) -> None:
    made = launcher.post(MODELS, NEW)
    one = f"{MODELS}{made.json()['id']}/"
    priced = launcher.post(f"{one}terms/", {"at_once": 2, "usd_in": "1.5", "usd_out": "6"})

    replies = [made, priced, launcher.get(one), launcher.get(MODELS)]
    row = LanguageModel.objects.get()
    assert [it.status_code for it in replies] == [201, 200, 200, 200]
    assert (made.json()["has_key"], made.json()["base_url"]) == (True, "https://api.example.org/v1")
    assert (priced.json()["at_once"], priced.json()["price"]["usd_out"]) == (2, "6.0000")
    assert all(SECRET not in it.content.decode() and row.sealed_key not in it.content.decode() for it in replies)
    assert SECRET not in row.sealed_key


def test_model_is_its_owners_unless_it_is_shared(launcher: APIClient) -> None:
    mine = launcher.post(MODELS, NEW).json()["id"]
    shared = launcher.post(MODELS, NEW | {"shared": True}).json()["id"]
    other = caller(UserFactory(is_researcher=True))

    assert [it["id"] for it in other.get(MODELS).json()["results"]] == [shared]
    codes = [other.delete(f"{MODELS}{it}/").status_code for it in (mine, shared)]
    codes += [other.post(f"{MODELS}{it}/terms/", {"at_once": 9}).status_code for it in (mine, shared)]
    assert codes == [404, 403, 404, 403]
    assert launcher.delete(f"{MODELS}{mine}/").status_code == 204
    assert LanguageModel.objects.get(pk=mine).sealed_key == ""


@each(
    "changed, field",
    [
        ({"base_url": "ftp://example.org"}, "base_url"),
        ({"api_key": "kéy"}, "api_key"),
        ({"timeout_s": 1}, "timeout_s"),
        ({"title": ""}, "title"),
    ],
    undo=True,
)
def test_model_that_cannot_be_asked_is_refused(launcher: APIClient, changed: dict[str, Any], field: str) -> None:
    response = launcher.post(MODELS, NEW | changed)

    assert (response.status_code, response.json()["errors"][0]["field"]) == (400, field)
    assert SECRET not in response.content.decode()


def test_probe_begins_from_a_run_that_is_done() -> None:
    campaign = make_campaign()
    admin = caller(make_member(campaign, Role.ADMIN))
    judge = make_judge(KINDS["random"], title="R", settings={}, language_model=None, user=campaign.created_by)
    run = start_run(campaign, judge, plan=Plan(orders="ab"), user=campaign.created_by)
    probes = f"/api/v1/campaigns/{campaign.slug}/runs/{run.pk}/probes/"
    assert admin.post(probes, {"perturbation": "gain", "value": -6}).status_code == 409
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DONE)

    begun = admin.post(probes, {"perturbation": "gain", "value": -6})
    wrong = [admin.post(probes, it).status_code for it in ({"perturbation": "gain", "value": 900}, {"value": 1})]

    assert (begun.status_code, wrong) == (202, [400, 400])
    assert begun.json()["perturbation"]["name"] == "gain"
    Run.objects.filter(pk=begun.json()["id"]).update(status=Run.Status.DONE)
    [told] = admin.get(probes).json()
    assert (told["perturbation"], told["value"]) == ("gain", -6.0)
    assert {it["aspect"] for it in told["aspects"]} == {it.name for it in campaign.protocol.aspects}
    assert all((it["n"], it["share"], it["low"]) == (0, None, None) for it in told["aspects"])
