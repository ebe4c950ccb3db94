"""Storage: what is measured, what goes, and that nothing goes that is referred to."""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import AuditEntry, User
from analytics.models import Export
from analytics.storage import clearing
from analytics.storage.clearing import KINDS, NOTHING
from analytics.storage.measuring import measure_storage, measured
from campaigns.launch.lifecycle import close_campaign
from campaigns.models import Campaign
from corpus.models import Clip, DeliveredClip, Import
from infrastructure.background.heartbeats import silent
from infrastructure.background.jobs import JobTaken, run_job
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason
from tests.analytics.exporting.exported import made_export
from tests.annotation.test_listening import deliver_fakes
from tests.factories import UserFactory, make_campaign
from tests.measurements.measuring import kept_clip, voice

pytestmark = pytest.mark.django_db
PAGE = "/administration/storage/"


@pytest.fixture(autouse=True)
def data(settings: Settings, media_root: Path) -> None:
    settings.DATA_DIR = media_root.parent
    settings.BACKUP_FOLDER = media_root / "no-backups"
    media_root.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    return user


def with_sound(campaign: Campaign) -> Campaign:
    """Its delivered clips and their originals."""
    deliver_fakes(campaign)
    for row in DeliveredClip.objects.filter(form=campaign.delivery_form):
        row.clip.path.parent.mkdir(parents=True, exist_ok=True)
        row.clip.path.write_bytes(b"sound")
    return campaign


def aged(path: Path) -> Path:
    """As it was written two days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"old")
    old = time.time() - 2 * 24 * 3600
    os.utime(path, (old, old))
    return path


def cleared(name: str, client: Client) -> Job:
    client.post(reverse("storage-clear", args=[name]))
    row = Job.objects.get(kind="clear-storage", status="queued")
    run_job(row.pk)
    row.refresh_from_db()
    assert row.status == "succeeded"
    return row


def delivered_files(media_root: Path) -> int:
    return sum(path.is_file() for path in media_root.glob("delivered/**/*"))


@pytest.mark.databases
@pytest.mark.parametrize("status", ["draft", "open", "paused"])
def test_delivered_clips_of_a_campaign_that_is_not_closed_stay(
    client: Client, administrator: User, media_root: Path, status: str
) -> None:
    with_sound(make_campaign(status=status))

    cleared("delivered", client)

    assert (DeliveredClip.objects.count(), delivered_files(media_root)) == (6, 6)


@pytest.mark.databases
def test_delivered_clips_of_closed_campaigns_go_and_originals_stay(
    client: Client, administrator: User, media_root: Path
) -> None:
    closed, going = with_sound(make_campaign()), with_sound(make_campaign())
    close_campaign(closed)
    without_original = DeliveredClip.objects.filter(clip__in=Clip.objects.order_by("pk")[:1]).get()
    without_original.clip.path.unlink()

    cleared("delivered", client)

    assert DeliveredClip.objects.count() == delivered_files(media_root) == 6 + 1
    assert without_original.path.is_file()
    assert sum(clip.path.is_file() for clip in Clip.objects.all()) == 12 - 1
    assert going.delivery_form == closed.delivery_form  # what is kept is kept by clip, and not by form alone
    entry = AuditEntry.objects.get(event="storage_cleared")
    assert (entry.by, entry.params["what"], entry.params["n"]) == (administrator, "delivered", 5)


def test_clip_that_an_open_campaign_shares_with_a_closed_one_stays(
    client: Client, administrator: User, media_root: Path
) -> None:
    campaign = with_sound(make_campaign())
    Campaign.objects.create(
        dataset=campaign.dataset, title="Second", slug="second", protocol_document=campaign.protocol_document,
        protocol_digest=campaign.protocol_digest, delivery_rate=campaign.delivery_rate, status="draft",
        created_by=campaign.created_by,
    )  # fmt: skip
    close_campaign(campaign)

    cleared("delivered", client)

    assert delivered_files(media_root) == 6


def test_campaign_that_comes_while_clips_are_removed_keeps_its_own(media_root: Path) -> None:
    campaign = with_sound(make_campaign())
    close_campaign(campaign)
    found = list(KINDS[0].find())
    Campaign.objects.filter(pk=campaign.pk).update(status="open")

    assert [(it.amount.n, it.remove()) for it in found] == [(6, NOTHING)]
    assert (DeliveredClip.objects.count(), delivered_files(media_root)) == (6, 6)


@pytest.mark.databases
def test_delivered_clips_go_in_steps_and_a_job_that_ends_between_two_can_be_run_again(
    client: Client, administrator: User, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_campaign(with_sound(make_campaign()))
    monkeypatch.setattr(clearing, "STEP", 4)
    said: list[tuple[int, int]] = []

    def end_after_one(done: int, total: int, _note: Reason) -> None:
        said.append((done, total))
        raise JobTaken

    with pytest.raises(JobTaken):
        clearing.clear_storage("delivered", end_after_one)
    left = (DeliveredClip.objects.count(), delivered_files(media_root))
    cleared("delivered", client)

    assert (said, left) == ([(4, 6)], (2, 2))
    assert (DeliveredClip.objects.count(), delivered_files(media_root)) == (0, 0)


@pytest.mark.databases
def test_clearing_that_is_killed_after_the_rows_leaves_files_that_are_removed_as_such(
    client: Client, administrator: User, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_campaign(with_sound(make_campaign()))
    (going,) = KINDS[0].find()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", _killed)
        with pytest.raises(KeyboardInterrupt):
            going.remove()
    left = (DeliveredClip.objects.count(), delivered_files(media_root))
    for path in media_root.glob("delivered/*/*/*"):
        aged(path)
    cleared("orphans", client)

    assert left == (0, 6)
    assert delivered_files(media_root) == 0


def _killed(_path: Path, **_options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.databases
def test_clearing_takes_the_same_queries_for_few_and_for_many_clips(
    media_root: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    close_campaign(with_sound(make_campaign(units=12)))

    with django_assert_max_num_queries(14):
        clearing.clear_storage("delivered", silent)


@pytest.mark.databases
def test_removed_clip_is_made_again_when_a_reviewer_plays_it(client: Client, administrator: User) -> None:
    campaign = make_campaign(units=1)
    clip = kept_clip(voice(1))
    for turn in campaign.dataset.items.get().turns.all():
        turn.clip = clip
        turn.save()
    address = reverse("review-clip", args=[campaign.slug, campaign.campaign_units.get().pk, 0, 1])
    before = client.get(address).status_code
    close_campaign(campaign)

    assert (before, client.get(address).status_code) == (404, 200)
    assert DeliveredClip.objects.get().path.is_file()


@pytest.mark.databases
def test_uploads_exports_and_files_without_rows_go_and_nothing_else(
    client: Client, administrator: User, media_root: Path
) -> None:
    campaign = with_sound(make_campaign())
    export = made_export(campaign)
    orphan = aged(media_root / "clips" / "ab" / ("ab" * 32))
    fresh = media_root / "clips" / "cd" / ("cd" * 32)
    fresh.parent.mkdir(parents=True)
    fresh.write_bytes(b"being imported")
    uploads = {name: Import.objects.create(dataset_name="x", manifest_name="m", status=name, created_by=administrator)
               for name in ("checked", "importing", "imported")}  # fmt: skip
    waits = Import.objects.create(dataset_name="x", manifest_name="m", status="checked", created_by=administrator)
    Import.objects.exclude(pk=waits.pk).update(created_at=timezone.now() - timedelta(days=2))
    for row in Import.objects.all():
        aged(row.manifest_path)

    for name in ("orphans", "uploads", "exports"):
        cleared(name, client)

    assert [path.exists() for path in (orphan, fresh)] == [False, True]
    assert {name: row.folder.exists() for name, row in uploads.items()}["checked"] is False
    assert uploads["importing"].folder.exists()
    assert waits.folder.exists()
    assert Import.objects.get(pk=uploads["checked"].pk).status == "failed"
    assert not Export.objects.exists()
    assert not export.folder.exists()
    assert delivered_files(media_root) == 6


def test_sizes_are_measured_by_dataset_and_kept_with_their_time(
    client: Client, administrator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    first = client.get(PAGE).content.decode()
    campaign = with_sound(make_campaign())
    client.post(PAGE)
    run_job(Job.objects.get().pk)

    kept: Any = measured()
    with django_assert_max_num_queries(7):
        page = client.get(PAGE).content.decode()

    (row,) = kept.data["datasets"]
    assert "Not measured yet" in first
    assert (row["name"], row["n"], row["originals"], row["delivered"]) == (campaign.dataset.name, 6, 6 * 32_044, 192)
    assert kept.data["folders"]["delivered"] == 192
    assert reverse("dataset", args=[campaign.dataset.slug]) in page


@pytest.mark.databases
def test_measuring_takes_the_same_queries_for_one_and_for_many_clips(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    with_sound(make_campaign(units=12))

    with django_assert_max_num_queries(30):
        measure_storage("installation", silent)


def test_retention_of_all_campaigns_is_one_table(
    client: Client, administrator: User, settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    settings.RETAIN_IDENTITY_DAYS = 30
    campaigns = [close_campaign(make_campaign(units=0)) for _n in range(3)]
    Campaign.objects.filter(pk=campaigns[0].pk).update(closed_at=timezone.now() - timedelta(days=31))

    with django_assert_max_num_queries(7):
        page = client.get("/administration/retention/").content.decode()

    assert page.count('class="state failed">due') == 1
    assert all(reverse("retention", args=[it.slug]) in page for it in campaigns)
    assert "deletions due within seven days: 1" in client.get("/administration/").content.decode()
