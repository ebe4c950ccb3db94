"""Verdicts of elsewhere, through the API."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judges.models import Verdict, VerdictAnswer
from tests.api.callers import caller
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


def test_table_of_verdicts_is_taken_in_once_or_not_at_all() -> None:
    campaign = make_campaign(protocol="blind_overall")
    campaign.memberships.create(user=campaign.created_by, role="admin")
    client, address = caller(campaign.created_by), reverse("api:verdict-import-list", args=[campaign.slug])

    def sent(*rows: str) -> Any:
        table = "\n".join(["unit,order,verdict", *rows, ""]).encode()
        asked = {"file": SimpleUploadedFile("verdicts.csv", table), "judge": "Ours"}
        return client.post(address, asked, format="multipart")

    refused = sent("0,ab,1", "1,ab,nonsense")
    assert refused.status_code == 422
    assert [it["field"] for it in refused.json()["errors"]] == ["file.2.value"]
    assert not Verdict.objects.exists()

    made, again = sent("0,ab,1", "1,ba,1", "strange,ab,1"), sent("0,ab,1", "1,ba,1")

    assert (made.status_code, again.status_code) == (201, 201)
    assert (made.json()["new"], made.json()["there"], again.json()["new"], again.json()["there"]) == (2, 0, 0, 2)
    assert [it["title"] for it in made.json()["runs"]] == ["Ours"]
    assert [it["severity"] for it in made.json()["warnings"]] == ["warning"]
    assert list(VerdictAnswer.objects.order_by("verdict__unit__key").values_list("value", flat=True)) == ["a", "b"]
    assert sent("0,ab,2").status_code == 409
    assert client.post(address, {}, format="multipart").status_code == 400
