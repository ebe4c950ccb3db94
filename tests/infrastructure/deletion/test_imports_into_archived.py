"""Nothing is imported into an archived dataset: every way in says that it is to be restored first."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tokens.tokens import make_token
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.uploads.actions import ImportRefused, begin_import, choose, confirm_import, map_columns
from corpus.imports.uploads.jobs import check_import
from corpus.imports.writing import ArchivedDataset, Destination, locked_dataset
from corpus.models import Dataset, Import, System
from infrastructure.deletion.actions import archive, restore
from infrastructure.deletion.subjects import subject_of
from infrastructure.models import Job
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
TABLE = b"item,system,prompt_text,response_text\ni1,zqxv,Hello?,Hello.\n"


@pytest.fixture
def owner(media_root: Path) -> User:
    assert media_root
    return UserFactory(is_researcher=True)


@pytest.fixture
def dataset(owner: User) -> Dataset:
    return Dataset.objects.create(name="Zqxv", slug="zqxv", created_by=owner)


def sent(owner: User, dataset: Dataset) -> Import:
    table = SimpleUploadedFile("new.csv", TABLE)
    return begin_import(user=owner, dataset_name=dataset.name, manifest=table, archive=None, without_audio=True)


def archived(dataset: Dataset, owner: User) -> None:
    subject = subject_of("dataset")
    assert subject
    archive(subject, dataset, by=owner)


def test_page_and_api_refuse_and_keep_nothing(
    client: Client, owner: User, dataset: Dataset, media_root: Path
) -> None:
    archived(dataset, owner)
    client.force_login(owner)
    _token, secret = make_token(owner, name="t", scopes=["read", "write"], days=1)

    def form() -> dict[str, Any]:
        table = SimpleUploadedFile("new.csv", TABLE)
        return {"dataset_name": dataset.name, "manifest": table, "without_audio": "on"}

    page = client.post("/imports/new/", form())
    reply = Client().post("/api/v1/imports/", form(), headers={"Authorization": f"Bearer {secret}"})

    assert "Restore it first" in page.content.decode()
    assert (reply.status_code, reply.json()["code"]) == (409, "into_archived")
    assert not Import.objects.exists()
    assert not list(media_root.rglob("*.csv"))


@pytest.mark.databases
def test_what_was_checked_before_waits_until_the_dataset_is_restored(owner: User, dataset: Dataset) -> None:
    row = sent(owner, dataset)
    check_import(str(row.pk), lambda *_said: None)
    Job.objects.update(status="succeeded")  # else it waits for the check
    archived(dataset, owner)

    for refused in (
        lambda: confirm_import(row, user=owner),
        lambda: choose(row, choices=Choices(), user=owner),
        lambda: map_columns(row, mapping=TableMapping("responses", {}), user=owner),
    ):
        with pytest.raises(ImportRefused) as refusal:
            refused()
        assert refusal.value.reason.code == "into_archived"
    row.refresh_from_db()
    assert row.status == Import.Status.CHECKED

    subject = subject_of("dataset")
    assert subject
    restore(subject, dataset, by=owner)
    assert confirm_import(row, user=owner).status == Import.Status.IMPORTING


@pytest.mark.databases
def test_commands_and_the_writing_itself_refuse(owner: User, dataset: Dataset, tmp_path: Path) -> None:
    (table := tmp_path / "new.csv").write_bytes(TABLE)
    Dataset.objects.update(archived_at=timezone.now())

    with pytest.raises(CommandError, match="Restore it first"):
        call_command("import_dataset", str(table), dataset=dataset.name, user=owner.username, without_audio=True)
    with pytest.raises(CommandError, match="Restore it first"):
        call_command("import_study", str(table), dataset=dataset.name, user=owner.username)
    with pytest.raises(ArchivedDataset):
        locked_dataset(Destination(dataset.name, "", owner))
    assert not System.objects.exists()
