"""Metrics, likelihoods, features and identity leaks by the API; and a judge that has to qualify."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from campaigns.models import Campaign, Role
from corpus.models import Dataset, ResponseTurn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from judges.models import JudgeQualification, Run
from measurements.models import IdentityScan, LikelihoodSequence, MetricScore
from tests.analytics.saying import judge_says, people_say
from tests.api.callers import caller
from tests.cases import each
from tests.factories import RARE_A, RARE_B, UserFactory, make_campaign, make_member
from tests.measurements.measuring import make_dataset, responses

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset(items=4, facts={"reference_text": "Guten Morgen zusammen"})


@pytest.fixture
def owner(dataset: Dataset) -> APIClient:
    return caller(dataset.created_by)


def of(dataset: Dataset, more: str) -> str:
    return f"/api/v1/datasets/{dataset.slug}/{more}/"


def table(text: str) -> dict[str, Any]:
    return {"data": {"file": SimpleUploadedFile("table.csv", text.encode())}, "format": "multipart"}


def test_metrics_are_computed_and_read(owner: APIClient, dataset: Dataset) -> None:
    unknown = owner.post(of(dataset, "metrics"), {"names": ["nisqa"]})
    started = owner.post(of(dataset, "metrics"), {"names": ["wer", "rde"]})
    run_job_task(started.json()["id"])
    said = owner.get(of(dataset, "metrics")).json()

    assert (unknown.status_code, started.status_code) == (400, 202)
    assert [(it["system"], it["metric"]) for it in said["scores"]] == [
        (system, metric) for system in (RARE_B, RARE_A) for metric in ("wer", "rde")
    ]
    wer, rde = said["scores"][:2]
    assert (wer["n"], wer["method"], wer["interval"], wer["source"]) == (
        4, "over all responses at once", None, "computed"
    )  # fmt: skip
    assert (rde["estimate"], rde["n"], rde["reason"]["code"] != "") == (0, 4, True)
    assert said["job"]["status"] == "succeeded"
    assert sum(it["is_computed"] for it in said["metrics"]) == 38


def test_scores_of_elsewhere_come_in_whole_or_not_at_all(owner: APIClient, dataset: Dataset) -> None:
    address = of(dataset, "metrics/scores")

    faulty = owner.post(address, **table(f"system,metric,value\n{RARE_A},nisqa,4.1\nNobody,nisqa,3\n"))
    taken = owner.post(address, **table(f"system,metric,value\n{RARE_A},nisqa,4.1\n"))
    again = owner.post(address, **table(f"system,metric,value\n{RARE_A},nisqa,4.1\n"))

    assert (faulty.status_code, faulty.json()["errors"][0]["field"]) == (422, "file")
    assert "row 2" in faulty.json()["errors"][0]["message"]
    assert (taken.status_code, taken.json()) == (201, {"new": 1, "known": 0, "left_out": 0, "unused": []})
    assert again.json() == {"new": 0, "known": 1, "left_out": 0, "unused": []}
    assert MetricScore.objects.get().value == pytest.approx(4.1)


@pytest.mark.parametrize("body", ['"text"', "[1]", "3"])
@pytest.mark.parametrize("more", ["numbers", "metrics/scores", "likelihoods"])
def test_json_is_refused_where_a_file_is_wanted(owner: APIClient, dataset: Dataset, more: str, body: str) -> None:
    assert owner.post(of(dataset, more), body, content_type="application/json").status_code == 415


def test_likelihoods_come_in_and_are_read(owner: APIClient, dataset: Dataset) -> None:
    rows = [
        {"model": "m", "pair": "p", "side": side, "logprobs": [loss] * 4}
        for side, loss in (("positive", -1.0), ("negative", -2.0))
    ]

    taken = owner.post(of(dataset, "likelihoods"), **table("".join(f"{json.dumps(row)}\n" for row in rows)))
    said = owner.get(of(dataset, "likelihoods"), {"delta": 2}).json()

    assert (taken.status_code, taken.json()) == (201, {"new": 2, "known": 0, "left_out": 0, "unused": []})
    assert LikelihoodSequence.objects.count() == 2
    assert said["delta"] == 2
    assert {it["estimate"] for it in said["shares"] if it["reason"] is None} == {1.0}
    assert owner.get(of(dataset, "likelihoods"), {"delta": 0}).status_code == 400


def test_features_are_extracted_on_request(owner: APIClient, dataset: Dataset) -> None:
    before = owner.get(of(dataset, "features")).json()
    started = owner.post(of(dataset, "features"))

    assert (before["job"], before["clips"] > 0) == (None, True)
    assert all(it["ok"] == 0 for it in before["extracted"])
    assert (started.status_code, started.json()["kind"]) == (202, "extract-features")


@pytest.mark.databases
def test_names_of_systems_are_looked_for(owner: APIClient, dataset: Dataset) -> None:
    ResponseTurn.objects.filter(response=responses(dataset)[0]).update(text="Hello, my name is Siri.")

    before = owner.get(of(dataset, "identity-leaks")).json()
    started = owner.post(of(dataset, "identity-leaks"), {"names": ["Siri", " Alexa "]})
    run_job_task(started.json()["id"])
    after = owner.get(of(dataset, "identity-leaks")).json()
    pairs = owner.get(of(dataset, "identity-leaks/pairs.csv")).content.decode()

    assert (before["scan"], {RARE_A, RARE_B} <= set(before["proposed_names"])) == (None, True)
    assert IdentityScan.objects.get().names == ["Siri", "Alexa"]
    assert sorted(it["leaks"] for it in after["scan"]["systems"]) == [0, 1]
    assert "my name is Siri" in {it["matched"] for it in after["scan"]["hits"]}
    assert pairs.startswith("item,system_a,system_b,take_a,take_b")


def test_dataset_is_changed_by_its_owner_alone(dataset: Dataset) -> None:
    campaign = make_campaign()
    looks_on = caller(make_member(campaign, Role.VIEWER))

    for more in ("metrics", "features", "identity-leaks"):
        assert looks_on.post(of(campaign.dataset, more), {"names": ["wer"]}).status_code == 403
        assert looks_on.post(of(dataset, more), {"names": ["wer"]}).status_code == 404
    assert not Job.objects.exists()


@pytest.mark.databases
def test_judge_that_has_to_qualify_is_put_before_the_labels_of_a_campaign() -> None:
    campaign, truth = make_campaign(units=6), ["a", "b", "a", "both_good", "b", "both_bad"]
    people_say(campaign, truth, truth)
    unlabelled = make_campaign(units=2)
    run, unheard = judge_says(campaign, {"ab": truth}, kind="embedding"), judge_says(unlabelled, {"ab": ["a", "b"]})

    made = qualified(run)
    without = qualified(unheard)
    elsewhere = qualified(unheard, campaign)

    assert (made.status_code, made.json()["qualified"], made.json()["n"]) == (201, False, 6)
    assert "20 are wanted" in made.json()["reason"]["detail"]
    assert JudgeQualification.objects.get().judge == run.judge
    assert (without.status_code, elsewhere.status_code) == (409, 404)


def qualified(run: Run, campaign: Campaign | None = None) -> Any:
    campaign = campaign or run.campaign
    client = caller(make_member(campaign, Role.RESEARCHER))
    return client.post(f"/api/v1/campaigns/{campaign.slug}/comparison/runs/{run.pk}/qualify/")


@pytest.mark.databases
def test_owner_says_what_a_dataset_is_and_hands_it_over(owner: APIClient, dataset: Dataset) -> None:
    other, address = UserFactory(is_researcher=True), f"/api/v1/datasets/{dataset.slug}/"

    said = owner.patch(address, {"name": "Mornings", "licence": "CC-BY-4.0"})
    unknown = owner.patch(address, {"owner": "nobody"})
    handed = owner.patch(address, {"owner": other.username})

    assert (said.status_code, said.json()["name"]) == (200, "Mornings")
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (400, "owner")
    assert handed.status_code == 200
    dataset.refresh_from_db()
    assert (dataset.name, dataset.licence, dataset.created_by) == ("Mornings", "CC-BY-4.0", other)
    assert owner.patch(address, {"licence": "MIT"}).status_code == 404


@each(
    "said, message",
    [
        ({"missing": "foo"}, "missing=foo is no choice here. There is '', 'left_out', 'half'."),
        ({"mising": "left_out"}, "mising is no choice here. There is missing, "),
        ({"orders": "ab"}, "orders is no choice here. There is missing, "),
        ({"people_aspect": "nothere"}, "people_aspect"),
        ({"reference": "nobody"}, "There is no such reference here. There is "),
    ],
)
def test_comparison_says_what_can_be_chosen(said: dict[str, str], message: str) -> None:
    campaign = make_campaign(units=2)
    people_say(campaign, ["a", "b"])
    judge_says(campaign, {"ab": ["a", "b"]})
    client = caller(make_member(campaign, Role.RESEARCHER))
    address = f"/api/v1/campaigns/{campaign.slug}/comparison/"

    refused = client.get(address, said)

    [error] = refused.json()["errors"]
    assert (refused.status_code, error["field"]) == (400, next(iter(said)))
    assert error["message"].startswith(message)
    assert client.get(address, {"missing": "left_out", "people_aspect": ""}).status_code == 200
