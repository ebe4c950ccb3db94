"""Exports by the API: asked for, made by a job, fetched, gone."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from analytics.models import Export
from campaigns.models import Campaign, NameLock, Role
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from tests.analytics.exporting.test_exports import answered_campaign
from tests.api.callers import caller
from tests.factories import make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def campaign() -> Campaign:
    return answered_campaign()


@pytest.fixture
def admin(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.ADMIN))


def test_export_is_made_by_a_job_and_fetched_until_it_expires(admin: APIClient, campaign: Campaign) -> None:
    here = f"/api/v1/campaigns/{campaign.slug}/"
    formats = [it["name"] for it in admin.get(f"{here}export-formats/").json()]
    asked = admin.post(f"{here}exports/", {"formats": ["csv", "trace"], "more": ["excluded"], "judges": True})
    assert (asked.status_code, [it["format"] for it in asked.json()["exports"]]) == (202, ["csv", "trace"])
    assert {"csv", "trace"} < set(formats)
    first = asked.json()["exports"][0]
    assert (first["url"], first["job"]["status"], first["made_at"]) == ("", "queued", None)
    assert (first["wanted"]["more"], first["wanted"]["judges"]) == (["excluded"], True)

    for job in Job.objects.all():
        run_job(job.pk)

    made = admin.get(f"/api/v1/exports/{first['id']}/").json()
    file = admin.get(made["url"])
    assert (made["job"]["status"], made["rows"]) == ("succeeded", 4)
    assert hashlib.sha256(file.getvalue()).hexdigest() == made["sha256"]
    assert file["Content-Disposition"].startswith("attachment")
    Export.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert admin.get(made["url"]).status_code == 404
    assert admin.get(f"/api/v1/exports/{first['id']}/").json()["url"] == ""


def test_export_is_refused_by_its_fields_and_while_names_are_locked(admin: APIClient, campaign: Campaign) -> None:
    exports = f"/api/v1/campaigns/{campaign.slug}/exports/"
    wrong = [{}, {"formats": []}, {"formats": ["xls"]}, {"formats": ["csv"], "licence": "ALL RIGHTS"}]
    assert [admin.post(exports, it).status_code for it in wrong] == [400] * 4
    made = admin.post(exports, {"formats": ["csv"]}).json()["exports"][0]
    run_job(made["job"]["id"])
    url = admin.get(f"/api/v1/exports/{made['id']}/").json()["url"]

    NameLock.objects.create(campaign=campaign, by=campaign.created_by)

    assert admin.get(url).status_code == 403
    assert admin.delete(f"/api/v1/exports/{made['id']}/").status_code == 204
    assert not Export.objects.exists()
