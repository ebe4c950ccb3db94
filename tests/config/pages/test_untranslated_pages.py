"""Pages of the administration in a language in which every text is crossed out: what can be read is English."""

import html
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation.trans_real import DjangoTranslation
from pytest_django import Settings

from accounts.models import User
from analytics.retention.deletion import set_retention
from campaigns.models import Campaign
from config.administration.documented_settings import documented
from config.operations import readiness
from infrastructure.models import WorkerBeat
from tests.cases import each
from tests.factories import UserFactory, make_campaign

pytestmark = pytest.mark.django_db
ADDRESSES = [
    "/administration/",
    "/administration/settings/",
    "/administration/settings/?q=e",
    "/administration/health/",
    "/administration/backups/",
    "/administration/jobs/",
    "/administration/retention/",
    "/administration/storage/",
    "/accounts/audit-log/",
]
#: Written alike in every language.
SAME_EVERYWHERE = {"Earshot", "Python", "Django", "sqlite", "postgresql", "GB", *["python", "manage", "py", "serve"]}
#: Of a text, what is no word of it: gaps, marks of HTML and characters by their name.
NO_WORDS = re.compile(r"(%\(\w+\)\w|%[a-z%]|<[^>]*>|&\w+;)")
LETTER = re.compile(r"[^\W\d_]")


def crossed_out(text: str) -> str:
    """The text with every letter of its words crossed out.

    >>> crossed_out("Kept %(n)s <b>days</b>")
    '×××× %(n)s <b>××××</b>'
    """
    return "".join(part if n % 2 else LETTER.sub("×", part) for n, part in enumerate(NO_WORDS.split(text)))


@pytest.fixture(autouse=True)
def in_crosses(monkeypatch: pytest.MonkeyPatch) -> None:
    """German has crosses for letters."""

    def many(_self: Any, single: str, plural: str, n: float) -> str:
        return crossed_out(single if n == 1 else plural)

    monkeypatch.setattr(DjangoTranslation, "gettext", lambda _self, text: crossed_out(text))
    monkeypatch.setattr(DjangoTranslation, "pgettext", lambda _self, _context, text: crossed_out(text))
    monkeypatch.setattr(DjangoTranslation, "ngettext", many)
    monkeypatch.setattr(DjangoTranslation, "npgettext", lambda self, _context, *texts: many(self, *texts))


@pytest.fixture
def administrator(client: Client, settings: Settings, tmp_path: Path) -> User:
    """Of an installation with something on every page, and every check of its health failing."""
    settings.BACKUP_FOLDER = tmp_path / "backups"
    user = UserFactory(username="zqxv", is_superuser=True)
    campaign = make_campaign(units=1)
    Campaign.objects.filter(pk=campaign.pk).update(title="7", slug="7")
    campaign.dataset.name = "8"
    campaign.dataset.save()
    for identity, audio in ((None, 0), (30, None)):
        set_retention(campaign, identity_days=identity, audio_days=audio, by=user)
    WorkerBeat.objects.create(name="9", seen_at=timezone.now() - timedelta(minutes=1))
    client.force_login(user)
    return user


def english(page: str, *, names: set[str]) -> list[str]:
    """The pieces of the page's main part with a word that no translation gave; code and names left out."""
    main = re.split(r"<main\b[^>]*>", page)[1].split("</main>")[0]
    main = re.sub(r"<(script|style|svg)\b.*?</\1>|<(code|bdi|time)\b[^>]*>[^<]*</\2>", " ", main, flags=re.DOTALL)
    attributes = re.findall(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"', main)
    texts = [html.unescape(it).strip() for it in [*re.split(r"<[^>]*>", main), *attributes]]
    return [text for text in texts if {*re.findall(r"[^\W\d_]{2,}", text)} - names - SAME_EVERYWHERE]


@each("address", ADDRESSES, undo=True)
def test_every_text_of_the_page_is_one_that_can_be_translated(
    client: Client, administrator: User, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = [readiness.Check(name, readiness.FAILED, hint) for name, hint in readiness.HINTS.items()]
    monkeypatch.setattr("config.administration.views.readiness", lambda: iter(failing))

    answer = client.get(address, headers={"Accept-Language": "de"})

    assert answer.status_code == 200
    names = {administrator.username}
    assert english(answer.content.decode(), names=names) == []


def test_page_of_settings_has_every_meaning_in_the_catalogues(client: Client, administrator: User) -> None:
    page = html.unescape(client.get("/administration/settings/", headers={"Accept-Language": "de"}).content.decode())

    assert [it.name for it in documented() if crossed_out(it.meaning) not in page] == []


def test_text_that_is_not_translated_is_found_beside_one_and_inside_one() -> None:
    said = crossed_out("Kept %(n)s.") % {"n": "for ever"}

    page = f'<main id="main"><h1>{crossed_out("Settings")}</h1><p title="Day">{said}</p> <code>DEBUG</code></main>'

    assert english(page, names=set()) == ["×××× for ever.", "Day"]
