"""A deletion whose job failed for good is shown to administrators, and goes on by a button."""

from pathlib import Path

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from corpus.models import Dataset
from infrastructure.background.jobs import run_again, run_job
from infrastructure.deletion.actions import archive, delete
from infrastructure.deletion.subjects import files_named, subject_of
from infrastructure.models import Deletion, Job
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed(media_root: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Its rows are gone; the disk refused the files."""
    assert media_root
    owner = UserFactory(is_researcher=True)
    dataset = Dataset.objects.create(name="Zqxv", slug="zqxv", created_by=owner)
    subject, clips = subject_of("dataset"), files_named("clips")
    assert subject
    assert clips
    archive(subject, dataset, by=owner)
    job = delete(subject, dataset, typed="Zqxv", by=owner)

    def refuse(_named: list[object]) -> None:
        raise OSError("disk")

    with monkeypatch.context() as broken:
        broken.setattr(
            "infrastructure.deletion.purging.files_named", lambda _name: type(clips)("clips", sweep=refuse)
        )
        run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.FAILED
    return job


@pytest.mark.databases
def test_administrators_see_it_in_three_places_and_others_do_not(client: Client, failed: Job) -> None:
    client.force_login(UserFactory(is_superuser=True))
    seen = [client.get(page).content.decode() for page in ("/datasets/", "/administration/jobs/", "/administration/")]
    client.force_login(User.objects.get(pk=failed.started_by_id))
    own = client.get("/datasets/").content.decode()

    assert "Go on with the deletion" in seen[0]
    assert all("Zqxv" in page for page in seen[:2])
    assert "1 deletion stopped half-way" in seen[2]
    assert "Deletions that stopped" not in own


def test_log_says_that_it_ended_only_once_it_did(failed: Job) -> None:
    before = list(AuditEntry.objects.filter(event="deleted"))
    again = run_again(failed, by=UserFactory(is_superuser=True))
    run_job(again.pk)
    run_job(again.pk)

    assert before == []
    assert AuditEntry.objects.get(event="deleted").subject_name == "Zqxv"


def test_button_goes_on_with_what_is_left(client: Client, failed: Job) -> None:
    client.force_login(UserFactory(is_superuser=True))

    response = client.post(f"/jobs/{failed.pk}/again/")

    again = Job.objects.get(kind="delete", status="queued")
    assert response["Location"] == f"/jobs/{again.pk}/"
    run_job(again.pk)
    assert not Deletion.objects.exists()
    assert "Deletions that stopped" not in client.get("/datasets/").content.decode()
