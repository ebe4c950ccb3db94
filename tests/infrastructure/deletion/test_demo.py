"""The demo is cleared away by one button: what it made, and nothing that users made since."""

import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.login import demo_password
from accounts.models import AuditEntry, User
from campaigns.models import Campaign, Membership, Role, TrapRecording
from corpus.models import Clip, Dataset
from infrastructure.background.jobs import run_again, run_job
from infrastructure.deletion.actions import CannotDo
from infrastructure.deletion.demo import clear_demo
from infrastructure.models import Deletion, Job
from tests.factories import ClipFactory, UserFactory, make_assignment, make_campaign, make_member
from tests.world import make_audible_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(media_root: Path) -> Campaign:
    """Marked as the demo's commands mark what they make."""
    campaign = make_audible_campaign()
    for row in (campaign, campaign.dataset):
        type(row).objects.filter(pk=row.pk).update(is_demo=True)
    User.objects.filter(pk=campaign.created_by.pk).update(is_demo=True, username="zqxv")
    make_assignment(campaign, make_member(campaign, is_demo=True, username="zqxv-annotator"))
    return campaign


def cleared(client: Client, by: User) -> None:
    client.force_login(by)
    response = client.post("/administration/demo/")
    job = Job.objects.get(kind="clear-demo")
    assert response["Location"] == f"/jobs/{job.pk}/"
    run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "succeeded", job.error


@pytest.mark.databases
def test_demo_goes_with_its_people_and_files_and_nothing_else_does(
    client: Client, demo: Campaign, media_root: Path
) -> None:
    boss, own = UserFactory(is_superuser=True, is_demo=True), make_campaign()
    people, clips = User.objects.exclude(is_demo=True).count(), Clip.objects.filter(deliveries=None).count()

    cleared(client, boss)

    assert list(Campaign._base_manager.all()) == [own]
    assert list(Dataset._base_manager.all()) == [own.dataset]
    assert Clip.objects.count() == clips
    assert [path for path in media_root.rglob("*") if path.is_file()] == []
    assert User.objects.count() == people + 1, "the account of who asked stays"
    assert not User.objects.get(pk=boss.pk).is_demo
    assert Session.objects.count() == 1
    assert AuditEntry.objects.get(event="demo_clearing").params == {"things": 2, "people": 2}
    assert AuditEntry.objects.get(event="demo_cleared").by == boss
    assert not Deletion.objects.exists()


def test_recording_that_only_a_campaign_of_the_demo_had_goes_too(
    client: Client, demo: Campaign, media_root: Path
) -> None:
    """The campaign's rows go with those of its dataset."""
    clip = ClipFactory()
    clip.path.parent.mkdir(parents=True, exist_ok=True)
    clip.path.write_bytes(b"a trap's own voice")
    TrapRecording.objects.create(campaign=demo, name="this", clip=clip)

    cleared(client, UserFactory(is_superuser=True))

    assert not Clip.objects.filter(pk=clip.pk).exists()
    assert [path for path in media_root.rglob("*") if path.is_file()] == []
    assert not Deletion.objects.exists()


def test_clearing_that_died_between_rows_and_files_ends_with_the_files(
    demo: Campaign, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss = UserFactory(is_superuser=True)
    job = clear_demo(by=boss)
    with monkeypatch.context() as broken:
        broken.setattr("infrastructure.deletion.purging.files_named", lambda _name: 1 / 0)
        run_job(job.pk)
    assert [path for path in media_root.rglob("*") if path.is_file()]

    again = run_again(Job.objects.get(pk=job.pk), by=boss)
    run_job(again.pk)

    assert [path for path in media_root.rglob("*") if path.is_file()] == []
    assert not Deletion.objects.exists()


def test_page_says_before_the_click_what_keeps_the_demo(client: Client, demo: Campaign) -> None:
    client.force_login(UserFactory(is_superuser=True))
    own = make_campaign()
    alone = own.memberships.create(user=User.objects.get(username="zqxv"), role=Role.ADMIN)
    job = Job.objects.create(kind="prepare-audio", subject=str(demo.pk))

    at_work = client.get("/administration/demo/").content.decode()
    job.delete()
    in_charge = client.get("/administration/demo/").content.decode()
    alone.delete()
    free = client.get("/administration/demo/").content.decode()

    assert f'href="{demo.get_absolute_url()}"' in at_work
    assert f'href="{own.get_absolute_url()}"' in in_charge
    assert ["Remove all of it" in page for page in (at_work, in_charge, free)] == [False, False, True]


def test_second_administrator_who_asks_at_the_same_time_adds_no_entry(client: Client, demo: Campaign) -> None:
    first, second = UserFactory(is_superuser=True), UserFactory(is_superuser=True)
    job = clear_demo(by=first)

    assert clear_demo(by=second) == job
    run_job(job.pk)
    with pytest.raises(CannotDo) as refusal:
        clear_demo(by=second)

    assert refusal.value.reason.code == "no_demo_left"
    assert [entry.by for entry in AuditEntry.objects.filter(event__startswith="demo_clear")] == [first, first]


def test_administration_says_first_that_the_printed_password_is_to_be_changed(
    client: Client, demo: Campaign, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """It is compared once for each password, and not again for each page."""
    settings.CACHES = settings.CACHES | {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    compared = []
    compare = demo_password.check_password
    monkeypatch.setattr(demo_password, "check_password", lambda *said: compared.append(said) or compare(*said))
    boss = UserFactory(username="boss", is_superuser=True, is_demo=True)
    boss.set_password(demo_password.DEMO_PASSWORD)
    boss.save()
    printed = boss.password
    UserFactory(is_superuser=True)
    warning = "Change this password first: the one that the demo prints logs in as boss."
    client.force_login(boss)

    before = client.get("/administration/").content.decode()
    cleared(client, boss)
    after, again = (client.get("/administration/").content.decode() for _ in "ab")
    boss.set_password("another-one-altogether")
    boss.save()
    client.force_login(boss)
    changed = client.get("/administration/").content.decode()

    assert [warning in page for page in (before, after, again, changed)] == [False, True, True, False]
    assert re.search(r'id="to-do".*?<li>(.*?)</li>', after, re.DOTALL)[1].endswith(warning)  # type: ignore[index]
    assert compared.count((demo_password.DEMO_PASSWORD, printed)) == 1


@pytest.mark.databases
def test_dataset_of_the_demo_stays_with_the_campaigns_that_others_made_over_it(
    client: Client, demo: Campaign
) -> None:
    boss = UserFactory(is_superuser=True)
    own = Campaign.objects.create(
        dataset=demo.dataset, title="Own", slug="own", created_by=boss, protocol_document={}, protocol_digest="d"
    )
    client.force_login(boss)
    page = client.get("/administration/demo/").content.decode()

    cleared(client, boss)

    assert "because users have built on them" in page
    assert list(Campaign._base_manager.all()) == [own]
    assert own.dataset.items.count() == 2
    assert not User.objects.filter(username__startswith="zqxv").exists(), "the owner is a number now"


@pytest.mark.databases
def test_what_people_of_the_demo_own_is_handed_over_first(client: Client, demo: Campaign) -> None:
    """Else it would be left with nobody in charge."""
    boss, owner = UserFactory(is_superuser=True), User.objects.get(username="zqxv")
    own = make_campaign()
    Dataset.objects.filter(pk=own.dataset_id).update(created_by=owner)
    own.memberships.filter(role=Role.ADMIN).update(ended_at=timezone.now())
    alone = Membership.objects.create(campaign=own, user=owner, role=Role.ADMIN)
    client.force_login(boss)

    refused = client.post("/administration/demo/", follow=True)

    assert not Job.objects.filter(kind="clear-demo").exists()
    assert f"Only people of the demo are admins of {own.title}" in refused.content.decode()
    assert Campaign.objects.filter(pk=demo.pk).exists()
    Membership.objects.create(campaign=own, user=boss, role=Role.ADMIN)
    cleared(client, boss)
    alone.refresh_from_db()
    own.dataset.refresh_from_db()
    assert alone.ended_at
    assert own.dataset.created_by == boss


def test_only_administrators_clear_the_demo(client: Client, demo: Campaign) -> None:
    client.force_login(UserFactory(is_researcher=True))

    assert client.post("/administration/demo/").status_code == 403
