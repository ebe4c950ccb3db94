"""What goes when a campaign has been closed for long, and what stays; first said, then done."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from analytics.models import Export
from analytics.retention.deletion import carry_out, set_retention, what_is_due
from analytics.tasks import retention_task
from annotation.models import Annotation
from campaigns.launch.lifecycle import close_campaign
from campaigns.models import Campaign, Retention, Role
from campaigns.people.members import add_member
from corpus.models import Clip, DeliveredClip
from tests.analytics.exporting.exported import made_export
from tests.annotation.test_listening import deliver_fakes
from tests.annotation.test_withdrawal import IDENTITY, answer_next, everything_kept, named_participant, raters
from tests.factories import UserFactory, make_campaign

pytestmark = pytest.mark.django_db


def two_nights() -> int:
    """What the second of them did."""
    assert retention_task() == 0
    Retention.objects.exclude(found_due_at=None).update(found_due_at=timezone.now() - timedelta(days=1))
    return retention_task()


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(units=2)
    with_sound(campaign)
    return campaign


def with_sound(campaign: Campaign) -> None:
    deliver_fakes(campaign)
    for clip in Clip.objects.all():
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        clip.path.write_bytes(b"sound")


def closed(campaign: Campaign, *, days: float) -> Campaign:
    campaign = close_campaign(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(closed_at=timezone.now() - timedelta(days=days))
    return Campaign.objects.get(pk=campaign.pk)


def sound_files(media_root: Path) -> int:
    return sum(path.is_file() for name in ("clips", "delivered") for path in media_root.glob(f"{name}/**/*"))


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("retention", *arguments, stdout=out)
    return out.getvalue()


# -- when --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "installation", "days", "due"),
    [
        (None, 0, 9999, False),
        (None, 30, 29.9, False),
        (None, 30, 30.1, True),
        (5, 30, 6, True),
        (60, 30, 31, False),
        (0, 30, 9999, False),
    ],
)
def test_campaigns_number_goes_before_that_of_the_installation(
    campaign: Campaign, settings: Settings, own: int | None, installation: int, days: float, due: bool
) -> None:
    settings.RETAIN_IDENTITY_DAYS = installation
    named_participant(campaign)
    set_retention(campaign, identity_days=own, audio_days=None)
    closed(campaign, days=days)

    assert [len(found.people) for found in what_is_due(timezone.now())] == [1] * due


@pytest.mark.parametrize("status", ["draft", "open", "paused"])
def test_nothing_goes_before_the_campaign_closed(campaign: Campaign, settings: Settings, status: str) -> None:
    settings.RETAIN_IDENTITY_DAYS = settings.RETAIN_AUDIO_DAYS = 1
    named_participant(campaign)
    Campaign.objects.update(status=status, opened_at=timezone.now() - timedelta(days=99))

    assert what_is_due(timezone.now()) == []


def test_closing_is_dated(campaign: Campaign) -> None:
    before = timezone.now()

    assert before <= (close_campaign(campaign).closed_at or before - timedelta(1)) <= timezone.now()


# -- identities --------------------------------------------------------------------------------------------------


def test_who_they_were_is_nowhere_and_what_they_said_stays(campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_IDENTITY_DAYS = 30
    annotator = named_participant(campaign)
    answer_next(campaign, annotator)
    closed(campaign, days=31)
    before = everything_kept().casefold()
    assert [word for word in IDENTITY if word.casefold() in before] == IDENTITY

    assert two_nights() == 1

    kept = everything_kept().casefold()
    assert [word for word in IDENTITY if word.casefold() in kept] == []
    assert raters(campaign) == ["A1"]
    assert Annotation.objects.count() == 1
    assert campaign.memberships.get(role=Role.ANNOTATOR).ended_at is None
    assert Retention.objects.get().identities_forgotten_at is not None
    assert (two_nights(), everything_kept().casefold()) == (0, kept)


def test_somebody_who_is_needed_elsewhere_is_only_cut_from_the_campaign(
    campaign: Campaign, settings: Settings
) -> None:
    settings.RETAIN_IDENTITY_DAYS = 30
    annotator = named_participant(campaign)
    elsewhere = make_campaign(units=1)
    add_member(elsewhere, user=annotator, role=Role.ANNOTATOR)
    closed(campaign, days=31)

    two_nights()

    annotator.refresh_from_db()
    assert annotator.is_active
    assert list(annotator.memberships.values_list("campaign", flat=True)) == [elsewhere.pk]
    assert raters(campaign) == []
    assert what_is_due(timezone.now()) == []


def test_account_goes_with_the_last_of_its_campaigns_that_is_due(campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_IDENTITY_DAYS = 30
    annotator = named_participant(campaign)
    elsewhere = make_campaign(units=1)
    add_member(elsewhere, user=annotator, role=Role.ANNOTATOR)
    closed(campaign, days=31)
    closed(elsewhere, days=31)

    two_nights()

    assert not User.objects.get(pk=annotator.pk).is_active


@pytest.mark.databases
def test_staff_stay(campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_IDENTITY_DAYS = 30
    staff = [add_member(campaign, user=UserFactory(), role=role).user for role in (Role.ADMIN, Role.REVIEWER)]
    closed(campaign, days=31)

    two_nights()

    assert User.objects.filter(pk__in=[person.pk for person in staff], is_active=True).count() == 2


# -- recordings and exports --------------------------------------------------------------------------------------


@pytest.mark.databases
def test_recordings_go_and_their_rows_stay(campaign: Campaign, settings: Settings, media_root: Path) -> None:
    settings.RETAIN_AUDIO_DAYS = 30
    clips, files = Clip.objects.count(), sound_files(media_root)
    closed(campaign, days=31)
    (due,) = what_is_due(timezone.now())
    assert len(due.files) == files > clips > 0

    carry_out([due], now=timezone.now())

    assert (sound_files(media_root), DeliveredClip.objects.count(), Clip.objects.count()) == (0, 0, clips)
    assert Retention.objects.get().audio_deleted_at is not None
    assert what_is_due(timezone.now()) == []


@pytest.mark.databases
def test_recording_that_is_gone_is_not_found(client: Client, campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_AUDIO_DAYS = 30
    clip = campaign.dataset.items.all()[0].turns.get().clip
    assert clip
    client.force_login(add_member(campaign, user=UserFactory(), role=Role.ADMIN).user)
    url = reverse("item-clip", args=[campaign.dataset.slug, campaign.dataset.items.all()[0].pk, clip.pk])
    assert client.get(url).status_code == 200
    closed(campaign, days=31)

    two_nights()

    assert client.get(url).status_code == 404


@pytest.mark.databases
@pytest.mark.parametrize("other", ["draft", "closed of late"])
def test_recordings_stay_while_another_campaign_of_the_dataset_needs_them(
    campaign: Campaign, settings: Settings, media_root: Path, other: str
) -> None:
    settings.RETAIN_AUDIO_DAYS = 30
    second = make_campaign(units=0)
    Campaign.objects.filter(pk=second.pk).update(dataset=campaign.dataset, status="draft")
    if other != "draft":
        Campaign.objects.filter(pk=second.pk).update(status="closed", closed_at=timezone.now())
    files = sound_files(media_root)
    closed(campaign, days=31)

    two_nights()

    assert sound_files(media_root) == files


@pytest.mark.databases
def test_recordings_that_stand_in_another_dataset_stay(
    campaign: Campaign, settings: Settings, media_root: Path
) -> None:
    settings.RETAIN_AUDIO_DAYS = 30
    other = make_campaign(units=1)
    shared = campaign.dataset.items.all()[0].turns.get().clip
    assert shared
    other.dataset.items.get().turns.update(clip=shared)
    closed(campaign, days=31)

    two_nights()

    assert shared.path.is_file()
    assert not (campaign.dataset.items.all()[1].turns.get().clip or shared).path.is_file()


def test_exports_go_with_either(campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_AUDIO_DAYS = 30
    row = made_export(campaign)
    folder = row.folder
    closed(campaign, days=31)
    assert folder.is_dir()

    two_nights()

    assert not Export.objects.exists()
    assert not folder.exists()


# -- the command -------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_command_says_first_and_does_it_when_told(campaign: Campaign, media_root: Path) -> None:
    named_participant(campaign)
    files = sound_files(media_root)
    closed(campaign, days=3)
    assert said() == "Nothing is due.\n"
    told = said("--campaign", campaign.slug, "--identity-days", "2", "--audio-days", "2")
    assert told == f"{campaign.slug}: identities 2 days, audio 2 days.\n"

    first = said()

    assert first.startswith(f"{campaign.slug}: 1 people to forget, {files} files of sound (")
    assert first.endswith("Nothing was changed; --apply does it.\n")
    assert (sound_files(media_root), IDENTITY[0] in everything_kept()) == (files, True)
    assert said("--apply").endswith("Done, in 1 campaigns.\n")
    assert (sound_files(media_root), IDENTITY[0] in everything_kept()) == (0, False)


@pytest.mark.databases
def test_command_changes_one_number_and_leaves_the_other(campaign: Campaign) -> None:
    said("--campaign", campaign.slug, "--identity-days", "2", "--audio-days", "0")

    told = said("--campaign", campaign.slug, "--identity-days", "-")

    assert told == f"{campaign.slug}: identities as the installation has it, audio for ever.\n"


@pytest.mark.parametrize("wrong", [("--campaign", "nowhere"), ("--audio-days", "3"), ("--identity-days=-3",)])
def test_command_refuses_what_makes_no_sense(campaign: Campaign, wrong: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        said(*wrong)


def test_night_by_a_wrong_clock_deletes_nothing(
    campaign: Campaign, settings: Settings, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the recordings due; the next, by the right clock, does not."""
    settings.RETAIN_AUDIO_DAYS = 30
    closed(campaign, days=0)
    there, ahead = sound_files(media_root), timezone.now() + timedelta(days=45)
    with monkeypatch.context() as wrong:
        wrong.setattr("django.utils.timezone.now", lambda: ahead)
        assert retention_task() == 0
    noted = Retention.objects.exclude(found_due_at=None).count()

    assert (noted, retention_task()) == (1, 0)
    assert not Retention.objects.exclude(found_due_at=None).exists()
    assert sound_files(media_root) == there > 0
