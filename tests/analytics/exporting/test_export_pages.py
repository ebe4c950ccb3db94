"""From the wish to the file and its end: the page, the job, the download, the sweep."""

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from accounts.models import User
from analytics.exports.making import ExportRefused, begin_exports, make_export, sweep_exports
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from analytics.models import Export
from analytics.tasks import sweep_exports_task
from annotation.models import Assignment
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, NameLock, Role
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.analytics.exporting.exported import made_export, quiet
from tests.analytics.saying import people_say
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    people_say(campaign, ["a", "both_bad"])
    return campaign


@pytest.fixture
def researcher(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, Role.RESEARCHER)
    client.force_login(user)
    return user


def page_of(campaign: Campaign) -> str:
    return reverse("exports", args=[campaign.slug])


def body_of(response: object) -> bytes:
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_file_is_asked_for_made_and_downloaded(
    client: Client,
    campaign: Campaign,
    researcher: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        posted = client.post(page_of(campaign), {"formats": ["csv", "trace"], "more": ["excluded"]})
    waiting = client.get(posted["Location"]).content.decode()
    for job in Job.objects.filter(kind="make-export"):
        run_job_task(str(job.pk))
    page = client.get(page_of(campaign)).content.decode()

    assert waiting.count("data-live-topic") == 2
    row = Export.objects.get(format="csv")
    link = reverse("export-file", args=[campaign.slug, row.pk])
    assert f'href="{link}"' in page
    assert "data-live-topic" not in page
    downloaded = client.get(link)
    body = body_of(downloaded)
    assert downloaded["Content-Length"] == str(len(body)) == str(row.size)
    assert hashlib.sha256(body).hexdigest() == row.sha256
    assert row.sha256 in page
    assert (row.rows, row.by, row.wanted["more"], row.wanted["text"]) == (2, researcher, ["excluded"], False)
    assert row.expires_at - row.made_at == timedelta(days=7)
    assert body.decode().count("\n") == 3


def test_fragment_alone_comes_to_a_page_that_is_open(client: Client, campaign: Campaign, researcher: User) -> None:
    fragment = client.get(page_of(campaign), headers={"HX-Request": "true"}).content.decode()

    assert "No export yet" in fragment
    assert "<html" not in fragment


@each("data", [{}, {"formats": ["pdf"]}, {"formats": ["csv"], "more": ["everything"]},
                                  {"formats": ["csv"], "licence": "all mine\n"}], undo=True)  # fmt: skip
def test_wishes_that_make_no_sense_are_refused(
    client: Client, campaign: Campaign, researcher: User, data: dict[str, object]
) -> None:
    assert client.post(page_of(campaign), data).status_code == 422
    assert Export.objects.count() == 0


def test_what_is_being_made_is_not_made_twice(campaign: Campaign) -> None:
    for _ in range(2):
        begin_exports(campaign, ["csv", "csv"], wanted=Wanted(), user=campaign.created_by)
    begin_exports(campaign, ["csv"], wanted=Wanted(text=True), user=campaign.created_by)

    assert Export.objects.count() == Job.objects.filter(kind="make-export").count() == 2


def test_job_that_comes_twice_changes_nothing(campaign: Campaign) -> None:
    row = made_export(campaign)
    row.path.write_text("as it was")

    make_export(str(row.pk), quiet)

    assert row.path.read_text() == "as it was"


def test_hidden_names_do_not_go_out(client: Client, campaign: Campaign, researcher: User) -> None:
    row = made_export(campaign)
    NameLock.objects.create(campaign=campaign, by=researcher)

    with pytest.raises(ExportRefused, match="hidden"):
        begin_exports(campaign, ["csv"], wanted=Wanted(), user=researcher)
    with pytest.raises(CommandError, match="hidden"):
        call_command("export", campaign.slug, "csv")
    addresses = [
        reverse("export-file", args=[campaign.slug, row.pk]),
        *(reverse(name, args=[campaign.slug]) for name in ("campaign-tidy", "campaign-trace")),
    ]
    assert [client.get(address).status_code for address in addresses] == [403] * 3
    assert client.post(page_of(campaign), {"formats": ["csv"]}).status_code == 422

    Campaign.objects.update(status=Campaign.Status.CLOSED)

    assert [client.get(address).status_code for address in addresses] == [200] * 3


def test_job_refuses_where_names_were_hidden_while_it_waited(
    campaign: Campaign, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    [row] = begin_exports(campaign, ["csv"], wanted=Wanted(), user=campaign.created_by)
    NameLock.objects.create(campaign=campaign, by=campaign.created_by)

    run_job_task(str(row.job_id))

    row.refresh_from_db()
    assert (row.job.status, row.made_at, "hidden" in row.job.error) == ("failed", None, True)
    assert not row.folder.exists()


def test_expired_exports_are_neither_given_nor_kept(client: Client, campaign: Campaign, researcher: User) -> None:
    old, new = made_export(campaign), made_export(campaign, "jsonl")
    Export.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    assert client.get(reverse("export-file", args=[campaign.slug, old.pk])).status_code == 404
    assert sweep_exports_task() == 1
    assert sweep_exports() == 0
    assert (old.folder.exists(), new.path.exists()) == (False, True)
    assert list(Export.objects.all()) == [new]


@pytest.fixture
def withdrawn(campaign: Campaign, researcher: User, settings: Settings) -> Export:
    """Made, and then somebody withdrew their answers; who asked for it can be reached by e-mail."""
    settings.SENDS_EMAIL = True
    User.objects.filter(pk=campaign.created_by_id).update(email="owner@lab.example")
    row = made_export(campaign)
    withdraw(campaign, Assignment.objects.latest("pk").annotator, identity=False, answers=True)
    return row


def test_withdrawn_answers_are_not_given_out_any_more(client: Client, campaign: Campaign, withdrawn: Export) -> None:
    page = client.get(page_of(campaign)).content.decode()

    assert client.get(reverse("export-file", args=[campaign.slug, withdrawn.pk])).status_code == 404
    assert "contains answers that were withdrawn" in page
    assert "Download" not in page
    again = made_export(campaign)
    assert again.rows == 0
    assert client.get(reverse("export-file", args=[campaign.slug, again.pk])).status_code == 200


def test_file_with_withdrawn_answers_is_deleted_and_its_owner_is_told(
    campaign: Campaign, withdrawn: Export, mailoutbox: list[EmailMessage]
) -> None:
    again = made_export(campaign)

    assert [sweep_exports_task(), sweep_exports_task()] == [1, 0]

    [letter] = mailoutbox
    assert (letter.to, withdrawn.file in letter.subject) == (["owner@lab.example"], True)
    assert "delete every copy" in letter.body
    assert (withdrawn.folder.exists(), again.path.exists()) == (False, True)
    assert Export.objects.get(pk=withdrawn.pk).dropped_at


def test_answers_withdrawn_while_a_file_is_made_do_not_slip_through(
    campaign: Campaign, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Assignment.objects.latest("pk").annotator

    def write(source: Source, name: str, path: Path) -> int:
        path.write_text("what was read before")
        withdraw(campaign, person, identity=False, answers=True)
        return 1

    monkeypatch.setattr("analytics.exports.making.write_export", write)

    assert not made_export(campaign).is_ready


def test_deleted_export_is_gone_with_its_file(client: Client, campaign: Campaign, researcher: User) -> None:
    row = made_export(campaign)

    client.post(reverse("export-delete", args=[campaign.slug, row.pk]))

    assert (Export.objects.count(), row.folder.exists()) == (0, False)


def test_export_of_another_campaign_is_not_to_be_had(client: Client, campaign: Campaign, researcher: User) -> None:
    other = made_export(make_campaign())

    assert client.get(reverse("export-file", args=[campaign.slug, other.pk])).status_code == 404
    assert client.post(reverse("export-delete", args=[campaign.slug, other.pk])).status_code == 404
    assert Export.objects.count() == 1


@pytest.mark.parametrize("n", [1, 3])
def test_page_costs_the_same_queries(
    client: Client, campaign: Campaign, researcher: User, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _ in range(n):
        made_export(campaign)

    with django_assert_num_queries(PAGE_QUERIES):
        client.get(page_of(campaign))


#: session, user, campaign, roles, exports, withdrawals, name lock, what the tabs count (3)
PAGE_QUERIES = 10


def test_command_writes_a_file(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export", campaign.slug, "csv", to=tmp_path / "mine.csv")

    assert (tmp_path / "mine.csv").read_bytes() == made_export(campaign).path.read_bytes()
    assert "2 rows" in capsys.readouterr().out


@pytest.mark.parametrize(("slug", "form"), [("nowhere", "csv"), (None, "trace")])
def test_command_refuses_what_is_not_there(slug: str | None, form: str) -> None:
    campaign = make_campaign(protocol="acr")

    with pytest.raises(CommandError):
        call_command("export", slug or campaign.slug, form)


@each("licence, filled", [("CC-BY-4.0", "cc-by-4.0"), ("Ask us", ""), ("", "")], undo=True)
def test_form_begins_with_the_licence_of_the_dataset(
    client: Client, campaign: Campaign, licence: str, filled: str
) -> None:
    campaign.dataset.licence = licence
    campaign.dataset.save()
    client.force_login(make_member(campaign, Role.RESEARCHER))

    page = client.get(reverse("exports", args=[campaign.slug]))

    assert page.context["form"]["licence"].value() == filled
