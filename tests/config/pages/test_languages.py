"""Which language a page is in, and what follows for its numbers."""

import csv
import io
import re
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import translation
from django.views.defaults import server_error
from pytest_django import Settings

from accounts.models import User
from annotation.models import Annotation
from campaigns.audio.delivery import PREPARING
from campaigns.models import Campaign, Role
from infrastructure.models import Job
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, ClipFactory, UserFactory, make_assignment, make_campaign, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("somebody")]
GERMAN = {"Accept-Language": "de"}


@pytest.fixture
def somebody() -> User:
    """An installation without any account leads every page to the first one's."""
    return UserFactory()


def language_of(page: bytes) -> str:
    found = re.search(r'<html lang="([^"]+)" dir="ltr">', page.decode())
    assert found
    return found[1]


@each(
    "asked, given",
    [("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-GB", "en"), ("fr,it;q=0.5", "en"), ("", "en")],
    undo=True,
)
def test_visitor_gets_the_browsers_language_or_english(client: Client, asked: str, given: str) -> None:
    page = client.get(reverse("login"), headers={"Accept-Language": asked}).content

    assert language_of(page) == given
    assert ("Anmelden" in page.decode()) == (given == "de")


def test_language_can_be_chosen_before_logging_in_and_keeps_the_page(client: Client) -> None:
    chosen = client.post(reverse("set_language"), {"language": "de", "next": "/accounts/login/?next=/datasets/"})

    cookie = chosen.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (chosen.status_code, chosen["Location"]) == (302, "/accounts/login/?next=/datasets/")
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 365 * 24 * 3600)
    assert language_of(client.get(chosen["Location"], headers={"Accept-Language": "en"}).content) == "de"


def test_language_leads_nowhere_else(client: Client) -> None:
    chosen = client.post(reverse("set_language"), {"language": "de", "next": "https://elsewhere.example/"})

    assert chosen["Location"] == "/"


def test_switch_names_every_language_in_itself_and_marks_the_current_one(client: Client) -> None:
    page = client.get("/accounts/login/?next=/datasets/", headers=GERMAN).content.decode()

    buttons = re.findall(r'name="language" value="(\w+)" lang="(\w+)"( aria-current="true")?>(\w+)</button>', page)
    assert buttons == [("en", "en", "", "English"), ("de", "de", ' aria-current="true"', "Deutsch")]
    assert '<input type="hidden" name="next" value="/accounts/login/?next=/datasets/">' in page


@pytest.mark.parametrize(("path", "status"), [("/campaigns/new/", 403), ("/nowhere/", 404)])
def test_refusing_pages_are_in_the_language_of_the_visitor(client: Client, path: str, status: int) -> None:
    client.force_login(UserFactory())

    page = client.get(path, headers=GERMAN)

    assert (page.status_code, language_of(page.content)) == (status, "de")


def test_page_for_our_own_errors_needs_no_request(rf: RequestFactory) -> None:
    with translation.override("de"):
        page = server_error(rf.get("/"))

    assert language_of(page.content) == "de"
    assert "Serverfehler" in page.content.decode()
    assert 'name="language"' not in page.content.decode()


@pytest.fixture
def draft(client: Client) -> Campaign:
    """A draft at an odd loudness, with a job at work, looked at by its admin."""
    campaign = make_campaign(status="draft", units=1, target_lufs=-23.5)
    client.force_login(make_member(campaign, Role.ADMIN))
    return campaign


def test_numbers_of_a_german_page_are_german_but_for_its_fields(client: Client, draft: Campaign) -> None:
    clip = draft.dataset.items.get().turns.get().clip
    clip.seconds, clip.integrated_lufs = 1234.5, -23.25
    clip.save()

    page = client.get(draft.get_absolute_url(), headers=GERMAN).content.decode()

    assert "<dd><bdi>-23,5 LUFS</bdi></dd>" in page
    assert 'min="-40" max="-12" value="-23.5"' in page


def test_steps_of_a_launch_have_numbers_that_browsers_read(client: Client, draft: Campaign) -> None:
    steps = ["launch-protocol", "launch-units", "launch-answers", "planning"]

    pages = [client.get(reverse(step, args=[draft.slug]), headers=GERMAN).content.decode() for step in steps]

    assert re.findall(r'<input type="number" name="(\w+)" value="([^"]+)"', "".join(pages)) == [
        ("target_lufs", "-23.0"),
        ("per_pair", "4"),
        ("repeat_share", "0"),
        ("pace", "23"),
        ("answers_per_unit", "1"),
        ("kappa", "0.4"),
        ("ties", "30"),
        ("spread", "100"),
        ("pace", "23"),
    ]
    assert re.findall(r'="-?\d+,\d+"', "".join(pages)) == []


def test_large_numbers_have_german_groups(client: Client, draft: Campaign) -> None:
    Job.objects.create(
        kind="prepare-audio", subject=draft.pk, started_by=draft.created_by, status="running", done=1234, total=5000,
        note=PREPARING(),
    )  # fmt: skip

    page = client.get(draft.get_absolute_url(), headers=GERMAN).content.decode()

    assert "Audio wird vorbereitet: 1.234 / 5.000" in page
    assert '<progress max="100" value="24" aria-label="Audio wird vorbereitet">' in page


def test_item_shows_measures_in_german(client: Client) -> None:
    campaign = make_campaign(units=1)
    client.force_login(make_member(campaign, Role.VIEWER))
    item = campaign.dataset.items.get()
    said = item.responses.first().turns.get()
    said.clip = ClipFactory(seconds=12.25, integrated_lufs=-23.5)
    said.save()

    page = client.get(reverse("item", args=[campaign.dataset.slug, item.pk]), headers=GERMAN).content.decode()

    assert "<td>12,25</td><td>16000</td><td><bdi>-23,5</bdi></td>" in page


def test_obstacles_and_roles_are_german(client: Client, draft: Campaign) -> None:
    page = client.get(draft.get_absolute_url(), headers=GERMAN).content.decode()
    people = client.get(reverse("members", args=[draft.slug]), headers=GERMAN).content.decode()

    assert "Aufnahmen, deren Audio noch nicht vorbereitet ist: 3." in page
    assert "Entwurf</span>" in page
    assert "<td>Versuchsleitung</td>" in people


def test_export_is_the_same_in_every_language(client: Client) -> None:
    campaign = make_campaign(units=1)
    admin: User = make_member(campaign, Role.ADMIN)
    assignment = make_assignment(campaign, make_member(campaign))
    client.force_login(assignment.annotator)
    client.post(reverse("answer", args=[campaign.slug, assignment.pk]), DIRECT_ANSWERS, headers=GERMAN)
    Annotation.objects.update(listening={"clips": {}, "played_s": 1234.5, "switches": 1, "hidden_s": 0.5})
    client.force_login(admin)

    url = reverse("campaign-tidy", args=[campaign.slug])
    german, english = (
        client.get(url, headers={"Accept-Language": code}).getvalue().decode() for code in ("de", "en")
    )

    assert german == english
    assert {row["played_s"] for row in csv.DictReader(io.StringIO(german))} == {"1234.5"}


@each("language, written", [("en", "24 Nov 2026, 18:05"), ("de", "24.11.2026, 18:05")])
def test_times_are_written_in_one_way_and_in_the_zone_that_the_page_names(
    client: Client, settings: Settings, language: str, written: str
) -> None:
    settings.TIME_ZONE = "Europe/Zurich"
    when = datetime(2026, 11, 24, 17, 5, tzinfo=UTC)
    user = UserFactory(is_superuser=True, last_login=when)
    client.force_login(user)
    User.objects.filter(pk=user.pk).update(last_login=when)

    page = client.get(reverse("person", args=[user.pk]), headers={"Accept-Language": language}).content.decode()

    assert written in page
    assert "Europe/Zurich" in page
