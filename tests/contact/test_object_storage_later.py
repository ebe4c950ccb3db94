"""What judges, retention and deletion do with files that are objects, against a real server of the S3 protocol."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from analytics.retention.deletion import carry_out, set_retention, what_is_due
from campaigns.launch.lifecycle import close_campaign
from campaigns.models import Campaign
from corpus.models import Clip, Dataset, DeliveredClip
from infrastructure.background.jobs import run_again, run_job
from infrastructure.files.media import StorageUnavailable
from infrastructure.models import Job
from judges.models import Run, Verdict
from measurements.models import ClipFeature
from tests.contact.s3 import ObjectServer
from tests.contact.test_object_storage import (
    answering,
    below,
    campaign,
    on_disk,
    prefix,
    server,
    study,
    switch_on,
)  # fmt: skip
from tests.factories import UserFactory
from tests.infrastructure.deletion.test_deletion import deleted
from tests.judges.running import a_judge, a_run, worked

__all__ = ["campaign", "prefix", "server", "study"]  # fixtures
pytestmark = pytest.mark.django_db


def test_judge_measures_objects_once_and_leaves_nothing_on_the_disk(
    server: ObjectServer, prefix: str, campaign: Campaign, media_root: Path
) -> None:
    before = below(server, prefix)
    run = worked(a_run(campaign, a_judge(campaign, "loudest")))

    assert (run.status, Verdict.objects.filter(run=run).count()) == (Run.Status.DONE, 2)
    assert {it.status for it in ClipFeature.objects.filter(name="loudness")} == {"ok"}
    assert set(Verdict.objects.filter(run=run).values_list("status", flat=True)) == {"ok"}
    assert (below(server, prefix), on_disk(media_root)) == (before, [])


def test_verdicts_stay_to_be_done_while_the_storage_is_away(
    server: ObjectServer, prefix: str, campaign: Campaign, settings: Settings
) -> None:
    run = a_run(campaign, a_judge(campaign, "loudest"))
    kept = settings.STORAGES
    with answering(503) as url:
        switch_on(settings, url)
        with pytest.raises(StorageUnavailable):
            worked(run)
    run.refresh_from_db()
    assert (Verdict.objects.filter(run=run, status="ok").count(), run.status == Run.Status.DONE) == (0, False)
    assert not ClipFeature.objects.filter(status="failed").exists()

    settings.STORAGES = kept
    run = worked(run)

    assert Verdict.objects.filter(run=run, status="ok").count() == 2


def test_recordings_of_a_closed_campaign_go_from_the_storage_in_time(
    server: ObjectServer, prefix: str, campaign: Campaign, media_root: Path
) -> None:
    set_retention(campaign, identity_days=0, audio_days=30)
    close_campaign(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(closed_at=timezone.now() - timedelta(days=31))
    assert [key.split("/")[0] for key in below(server, prefix)].count("clips") == 4
    assert DeliveredClip.objects.exists()
    dues = what_is_due(timezone.now())
    assert [due.file_bytes > 0 for due in dues] == [True]

    carry_out(dues, now=timezone.now())

    assert (below(server, prefix), DeliveredClip.objects.count(), on_disk(media_root)) == ([], 0, [])
    assert what_is_due(timezone.now()) == []


def test_job_that_deletes_a_dataset_leaves_no_object(
    server: ObjectServer, prefix: str, campaign: Campaign, media_root: Path
) -> None:
    Campaign.objects.update(status=Campaign.Status.CLOSED)
    boss = UserFactory(is_superuser=True)
    deleted("dataset", Dataset.objects.get(pk=campaign.dataset_id), by=boss)

    assert (Clip.objects.count(), DeliveredClip.objects.count()) == (0, 0)
    assert (below(server, prefix), on_disk(media_root)) == ([], [])


def test_deletion_while_the_storage_is_away_fails_and_can_be_repeated(
    server: ObjectServer, prefix: str, campaign: Campaign, settings: Settings
) -> None:
    Campaign.objects.update(status=Campaign.Status.CLOSED)
    boss, kept = UserFactory(is_superuser=True), settings.STORAGES
    dataset = Dataset.objects.get(pk=campaign.dataset_id)
    with answering(503) as url:
        switch_on(settings, url)
        with pytest.raises(AssertionError, match="storage"):
            deleted("dataset", dataset, by=boss)
    settings.STORAGES = kept
    assert below(server, prefix) != []
    again = run_again(Job.objects.get(kind="delete"), by=boss)

    run_job(again.pk)

    assert (Job.objects.get(pk=again.pk).status, below(server, prefix)) == (Job.Status.SUCCEEDED, [])
