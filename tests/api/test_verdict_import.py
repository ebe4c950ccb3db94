"""Verdicts of elsewhere, through the API."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

import judges.tasks  # noqa: F401 - registers the work of jobs
from infrastructure.background.jobs import run_job
from judges.models import Run, Verdict, VerdictAnswer
from tests.api.callers import caller
from tests.factories import make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_table_of_verdicts_is_taken_in_once_or_not_at_all() -> None:
    campaign = make_campaign(protocol="blind_overall")
    campaign.memberships.create(user=campaign.created_by, role="admin")
    client, address = caller(campaign.created_by), reverse("api:verdict-import-list", args=[campaign.slug])

    def sent(*rows: str) -> Any:
        table = "\n".join(["unit,order,verdict", *rows, ""]).encode()
        asked = {"file": SimpleUploadedFile("verdicts.csv", table), "judge": "Ours"}
        reply = client.post(address, asked, format="multipart")
        assert reply.status_code == 202
        run_job(reply.json()["job"]["id"])
        return client.get(f"{address}{reply.json()['id']}/").json()

    refused = sent("0,ab,1", "1,ab,nonsense")
    assert refused["status"] == "failed"
    assert [(it["row"], it["field"]) for it in refused["report"]["problems"]] == [(3, "value")]
    assert refused["report"]["place"] == "line"
    assert not Verdict.objects.exists()

    made, again = sent("0,ab,1", "1,ba,1", "strange,ab,1"), sent("0,ab,1", "1,ba,1")

    assert [it["status"] for it in (made, again)] == ["imported", "imported"]
    assert [(it["report"]["new"], it["report"]["there"]) for it in (made, again)] == [(2, 0), (0, 2)]
    assert made["report"]["runs"] == [Run.objects.get(judge__title="Ours").pk]
    assert [it["severity"] for it in made["report"]["problems"]] == ["warning"]
    assert list(VerdictAnswer.objects.order_by("verdict__unit__key").values_list("value", flat=True)) == ["a", "b"]
    assert sent("0,ab,2")["report"]["problems"][0]["message"]["code"] == "another_verdict"
    assert client.post(address, {}, format="multipart").status_code == 400


def test_import_under_way_refuses_another_and_can_be_cancelled() -> None:
    campaign = make_campaign(protocol="blind_overall")
    campaign.memberships.create(user=campaign.created_by, role="admin")
    client, address = caller(campaign.created_by), reverse("api:verdict-import-list", args=[campaign.slug])

    def sent(text: bytes) -> Any:
        asked = {"file": SimpleUploadedFile("verdicts.csv", text), "judge": "Ours"}
        return client.post(address, asked, format="multipart")

    assert sent(b"nothing,here\n1,2\n").status_code == 422
    first = sent(b"unit,order,verdict\n0,ab,1\n")
    assert sent(b"unit,order,verdict\n0,ab,1\n").status_code == 409

    ended = client.post(f"{address}{first.json()['id']}/cancel/")

    assert (ended.status_code, ended.json()["status"]) == (200, "cancelled")
    assert client.post(f"{address}{first.json()['id']}/cancel/").status_code == 409
    assert sent(b"unit,order,verdict\n0,ab,1\n").status_code == 202
