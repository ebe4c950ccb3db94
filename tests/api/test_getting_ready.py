"""Entry gates, guidelines, recordings of traps and criteria of a rubric by the API, on the actions of the pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from campaigns.models import Campaign, Criterion, Gate, Role
from infrastructure.models import Job
from judges.models import DraftRun, LanguageModel
from tests.api.callers import caller
from tests.campaigns.control_units.test_traps import recorded, sounding
from tests.campaigns.rubrics import DRAFTS, drafted, item_of, rubric_campaign
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


def of(campaign: Campaign, more: str) -> str:
    return f"/api/v1/campaigns/{campaign.slug}/{more}/"


def manager(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.RESEARCHER))


@pytest.fixture
def draft() -> Campaign:
    return make_campaign(units=3, status="draft")


def test_gates_are_set_and_what_is_not_named_stays(draft: Campaign) -> None:
    client, key = manager(draft), draft.campaign_units.select_related("unit").first().unit.key
    gold = {"unit": key, "aspect": "overall", "value": "a"}

    client.post(of(draft, "entry-gates"), {"gates": {"headphones": {"pass_at": 6}}})
    made = client.post(of(draft, "entry-gates"), {"gates": {"qualification": {"tries": 3, "units": [gold]}}})
    changed = client.post(of(draft, "entry-gates"), {"gates": {"qualification": {"threshold": 0.5}, "volume": None}})
    without = client.post(of(draft, "entry-gates"), {"gates": {"headphones": None}}).json()

    assert [(it["kind"], it["tries"], it["settings"], it["units"]) for it in changed.json()["gates"]] == [
        ("headphones", 2, {"pass_at": 6}, []),
        ("qualification", 3, {"threshold": 0.5}, [key]),
    ]
    assert made.json()["units_met_again"] == [key]
    assert [it["kind"] for it in without["gates"]] == ["qualification"]
    assert client.get(of(draft, "entry-gates")).json() == without


@each(
    "gates, field",
    [
        ({"earphones": {}}, "gates.earphones"),
        ({"headphones": {"pass_at": 7}}, "gates.headphones.pass_at"),
        ({"headphones": {"threshold": 0.5}}, "gates.headphones.threshold"),
        ({"environment": {"pass_db": 500}}, "gates.environment.pass_db"),
        ({"volume": {"units": []}}, "gates.volume.units"),
        ({"training": {"units": [{"unit": "none", "aspect": "overall", "value": "a"}]}}, "gates.training.units"),
    ],
    undo=True,
)
def test_gates_that_cannot_be_set_are_refused_at_their_field(
    draft: Campaign, gates: dict[str, Any], field: str
) -> None:
    reply = manager(draft).post(of(draft, "entry-gates"), {"gates": gates})

    assert reply.status_code in (400, 422)
    assert reply.json()["errors"][0]["field"] == field
    assert not Gate.objects.exists()


def test_gates_are_fixed_once_a_campaign_has_opened_and_guidelines_are_not() -> None:
    campaign = make_campaign()
    client = manager(campaign)

    gates = client.post(of(campaign, "entry-gates"), {"gates": {"volume": {}}})
    written = client.post(of(campaign, "entry-gates/guidelines"), {"text": "Listen to the end."})

    assert (gates.status_code, gates.json()["code"]) == (409, "gates_fixed")
    assert (written.status_code, written.json()["version"]) == (201, 1)
    assert client.get(of(campaign, "entry-gates")).json()["guidelines"]["text"] == "Listen to the end."


def test_recordings_of_traps_are_kept_and_forgotten(media_root: Any) -> None:
    campaign = sounding("acr", units=1)
    client, address = manager(campaign), of(campaign, "checks/traps/recordings")
    sound = SimpleUploadedFile("2.wav", recorded().getvalue())

    kept = client.post(address, {"file": sound}, format="multipart")
    refused = client.post(address, {"file": SimpleUploadedFile("2.txt", b"two")}, format="multipart")
    as_json = client.post(address, {"file": "2.wav"})

    assert (kept.status_code, kept.json()) == (201, {"recorded": ["2"]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "file")
    assert as_json.status_code == 415
    assert client.delete(address).status_code == 204
    assert not campaign.trap_recordings.exists()


def test_criteria_are_decided_about_until_every_item_is_reviewed() -> None:
    campaign = rubric_campaign()
    first, second = drafted(campaign)
    client = caller(make_member(campaign, Role.REVIEWER))
    item, other = (of(campaign, f"rubric-items/{item_of(campaign, key).pk}") for key in ("0", "1"))

    before = client.get(of(campaign, "rubric")).json()
    client.post(f"{item}criteria/{first.pk}/decide/", {"verb": "edit", "text": "Does it mention rain?"})
    client.post(f"{item}criteria/{second.pk}/decide/", {"verb": "drop"})
    added = client.post(f"{item}criteria/", {"text": "Is it short?"})
    none = client.post(f"{other}none/")

    assert (before["items"], before["items_reviewed"], before["drafts"]["waiting"]) == (2, 0, 2)
    assert [(it["number"], it["text"], it["state"]) for it in added.json()["criteria"]] == [
        (1, "Does it mention rain?", "edited"), (2, DRAFTS[1], "dropped"), (3, "Is it short?", "accepted")
    ]  # fmt: skip
    assert (none.json()["needs_none"], none.json()["is_reviewed"]) == (True, True)
    assert client.get(of(campaign, "rubric")).json()["items_reviewed"] == 2
    assert client.get(of(campaign, "rubric-items"), {"waiting": "true"}).json()["results"] == []
    table = client.get(of(campaign, "rubric/criteria.csv").rstrip("/") + "/").content.decode()
    assert table.count("\n") == 4


def test_decisions_that_cannot_be_are_refused() -> None:
    campaign, elsewhere = rubric_campaign(), rubric_campaign()
    first, _second = drafted(campaign)
    client = manager(campaign)
    item = of(campaign, f"rubric-items/{item_of(campaign).pk}")

    replies = {
        "text": client.post(f"{item}criteria/{first.pk}/decide/", {"verb": "edit", "text": DRAFTS[1]}),
        "none": client.post(f"{item}none/"),
        "another item": client.post(of(campaign, f"rubric-items/{item_of(elsewhere).pk}/none")),
        "another criterion": client.post(f"{item}criteria/{first.pk + 99}/decide/", {"verb": "drop"}),
        "another protocol": manager(plain := make_campaign()).get(of(plain, "rubric")),
    }
    Campaign.objects.update(status="open")
    replies["open"] = client.post(f"{item}criteria/", {"text": "Is it short?"})

    assert {name: reply.status_code for name, reply in replies.items()} == {
        "text": 422, "none": 422, "another item": 404, "another criterion": 404, "another protocol": 404, "open": 409
    }  # fmt: skip
    assert set(Criterion.objects.values_list("state", flat=True)) == {"drafted"}


def test_table_of_criteria_comes_in_whole_or_not_at_all() -> None:
    campaign = rubric_campaign()
    client = manager(campaign)

    def sent(text: str, **more: str) -> Any:
        file = SimpleUploadedFile("criteria.csv", text.encode())
        return client.post(of(campaign, "rubric"), {"file": file, **more}, format="multipart")

    faulty = sent("item,text\n0,Is it short?\n9,Is it long?\n")
    taken = sent("item,text,state\n0,Is it short?,accepted\n1,Is it long?,\n", reviewed="true")

    assert (faulty.status_code, faulty.json()["errors"][0]["field"]) == (422, "file")
    assert (taken.status_code, taken.json()) == (201, {"criteria": 2})
    assert list(Criterion.objects.order_by("pk").values_list("state", flat=True)) == ["accepted", "drafted"]


def test_drafts_by_a_model_are_started_watched_and_stopped() -> None:
    campaign = rubric_campaign()
    manages = make_member(campaign, Role.RESEARCHER)
    client, address = caller(manages), of(campaign, "criteria-drafts")
    model = LanguageModel.objects.create(title="M", base_url="http://127.0.0.1:9/v1", model="m", created_by=manages)

    before = client.get(address).json()
    unknown = client.post(address, {"model": model.pk + 1})
    started = client.post(address, {"model": model.pk, "n_per_item": 2})
    stopped = client.post(of(campaign, "criteria-drafts/stop")).json()

    assert (before["job"], before["waiting"]) == (None, 2)
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (400, "model")
    assert started.json()["id"] == str(Job.objects.get(kind="draft-criteria").pk)
    assert (stopped["model"], stopped["n_per_item"], stopped["read"], stopped["failed"]) == (model.pk, 2, 0, [])
    assert DraftRun.objects.get().stopped_at is not None


@pytest.mark.parametrize("make", [rubric_campaign, lambda units: make_campaign(units=units, status="draft")])
def test_lists_take_the_same_queries_for_one_row_and_for_three(make: Callable[..., Campaign]) -> None:
    taken = []
    for n in (1, 3):
        campaign = make(units=n)
        client, more = manager(campaign), "rubric-items" if campaign.protocol.item_criteria else "entry-gates"
        if more == "rubric-items":
            for key in range(n):
                drafted(campaign, str(key))
        else:
            keys = campaign.campaign_units.values_list("unit__key", flat=True)
            units = [{"unit": key, "aspect": "overall", "value": "a"} for key in keys]
            client.post(of(campaign, more), {"gates": {"training": {"units": units}}})
        client.get("/api/v1/me/")
        with CaptureQueriesContext(connection) as queries:
            said = client.get(of(campaign, more)).json()
        assert len(said["results"] if "results" in said else said["gates"][0]["units"]) == n
        taken.append(len(queries))

    assert taken[0] == taken[1]
