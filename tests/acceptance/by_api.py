"""A study by the API alone: files go in as they are, and figures come out."""

import json
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from infrastructure.background.jobs import run_job
from tests.api.callers import caller
from tests.factories import UserFactory
from tests.importing import work_off

Mapping = dict[str, Any]


@pytest.fixture
def client() -> APIClient:
    return caller(UserFactory(is_researcher=True))


def sent(client: APIClient, address: str, expected: int = 0, **body: Any) -> Any:
    reply = client.post(f"/api/v1/{address}", **body)
    assert reply.status_code in ((expected,) if expected else (200, 201, 202)), reply.content
    return reply.json()


def dataset_of(client: APIClient, path: Path, *, mapping: Mapping | None = None, **said: Any) -> str:
    with path.open("rb") as file:
        body = {"dataset_name": path.stem, "manifest": file, "without_audio": True, **said}
        body |= {"mapping": json.dumps(mapping)} if mapping else {}
        made = sent(client, "imports/", data=body, format="multipart")
    work_off()
    checked = client.get(f"/api/v1/imports/{made['id']}/").json()
    assert checked["status"] == "checked", checked["report"]["problems"][:3]
    sent(client, f"imports/{made['id']}/confirm/")
    work_off()
    slug: str = client.get(f"/api/v1/imports/{made['id']}/").json()["dataset"]
    return slug


def campaign_of(client: APIClient, dataset: str, protocol: str) -> str:
    body = {"title": "Published", "dataset": dataset, "protocol": protocol, "units": "imported"}
    slug: str = sent(client, "campaigns/", data=body, format="json")["slug"]
    work_off()
    return slug


def verdicts_of(client: APIClient, campaign: str, path: Path, *, mapping: Mapping | None = None, **said: Any) -> None:
    address = f"campaigns/{campaign}/verdicts/"
    with path.open("rb") as file:
        body = {"file": file, **said} | ({"mapping": json.dumps(mapping)} if mapping else {})
        made = sent(client, address, data=body, format="multipart")
    run_job(made["job"]["id"])
    found = client.get(f"/api/v1/{address}{made['id']}/").json()
    assert found["status"] == "imported", found["report"]["problems"][:3]


def report_of(client: APIClient, campaign: str, kind: str, **settings: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each figure."""
    asked = sent(client, f"campaigns/{campaign}/reports/", data={"kind": kind, "settings": settings}, format="json")
    if asked["job"]:
        run_job(asked["job"]["id"])
    found = client.get(f"/api/v1/asked-reports/{asked['id']}/").json()
    report = client.get(f"/api/v1/reports/{found['report']}/").json()
    return {figure["key"]: figure.get("rows", []) for figure in report["figures"]}


def one_of(rows: list[dict[str, Any]], **wanted: str) -> dict[str, Any]:
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


def times(share: dict[str, Any]) -> int:
    return round(share["estimate"] * share["n"])
