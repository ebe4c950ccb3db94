"""The owner of an import ends its check, also one that another user’s job does."""

import pytest

from corpus.models import Import
from infrastructure.models import Job
from tests.api.callers import caller
from tests.factories import UserFactory
from tests.importing import PAIRS, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_owner_cancels_a_check_on_its_page(uploaded, page, researcher):
    row = uploaded(PAIRS)

    assert "The check stops, and the upload is thrown away." in page.get(row.get_absolute_url()).content.decode()
    assert page.post(f"/imports/{row.pk}/cancel/").status_code == 302

    row.refresh_from_db()
    job = Job.objects.get()
    assert (row.status, row.folder.exists()) == (Import.Status.FAILED, False)
    assert (job.status, job.error.code) == (Job.Status.CANCELLED, "check_cancelled")
    work_off()
    assert Import.objects.get().status == Import.Status.FAILED


def test_owner_cancels_a_check_by_the_api(uploaded, page, researcher):
    row = uploaded(PAIRS)

    said = caller(researcher).post(f"/api/v1/imports/{row.pk}/cancel/").json()
    again = caller(researcher).post(f"/api/v1/imports/{row.pk}/cancel/")

    assert (said["status"], said["job"]["status"]) == ("failed", "cancelled")
    assert (again.status_code, again.json()["code"]) == (409, "not_being_checked")
    assert caller(researcher).delete(f"/api/v1/imports/{row.pk}/").status_code in (202, 204)


def test_others_cancel_nothing(uploaded, page, researcher):
    row = uploaded(PAIRS)
    other = UserFactory(is_researcher=True)
    page.force_login(other)

    assert page.post(f"/imports/{row.pk}/cancel/").status_code == 404
    assert caller(other).post(f"/api/v1/imports/{row.pk}/cancel/").status_code == 404
    assert Job.objects.get().status == Job.Status.QUEUED


def test_check_without_a_job_is_cancelled(uploaded, page, researcher):
    row = uploaded(PAIRS)
    Job.objects.all().delete()

    assert page.post(f"/imports/{row.pk}/cancel/").status_code == 302
    row.refresh_from_db()
    assert (row.status, row.folder.exists()) == (Import.Status.FAILED, False)
