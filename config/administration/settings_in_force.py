"""The settings that are in force, where each comes from, and what docs/reference/settings.md says of it."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.conf import settings
from django.utils.translation import gettext as _

from config.administration.documented_settings import DocumentedSetting, documented

SECRETS = {"SECRET_KEY", "OIDC_CLIENT_SECRET", "METRICS_TOKEN", "OBJECT_STORAGE_SECRET"}
#: Addresses with a password in them.
ADDRESSES = {"DATABASE_URL", "REDIS_URL", "EMAIL_URL"}
#: Django's own advice.
SECRET_LENGTH = 50


class Source(StrEnum):
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True)
class SettingInForce:
    """One variable. A secret's value is empty, and `is_set` says whether there is one.

    Group, default and meaning are in the language of the page.
    """

    name: str
    group: str
    value: str
    default: str
    meaning: str
    source: Source
    is_secret: bool
    is_set: bool
    warning: str = ""

    @property
    def stands_out(self) -> bool:
        """Whether it differs from the default, or is risky."""
        return self.source != Source.DEFAULT or bool(self.warning)

    def has(self, words: str) -> bool:
        """Whether every one of these words is in its name, its value or what it means."""
        text = f"{self.name} {self.value} {self.default} {self.meaning} {self.warning}".casefold()
        return all(word in text for word in words.casefold().split())


@dataclass(frozen=True)
class SettingsGroup:
    title: str
    settings: list[SettingInForce]


def in_groups(settings: Iterable[SettingInForce]) -> list[SettingsGroup]:
    """In the order of the page of docs; groups that have none are left out."""
    return [SettingsGroup(title, list(found)) for title, found in groupby(settings, key=lambda it: it.group)]


def settings_in_force() -> list[SettingInForce]:
    """In the order of the page of docs. Values are those of the start of this process."""
    in_file, warnings = _file(), dict(_warnings())
    return [_setting(it, in_file, warnings.get(it.name, "")) for it in documented(settings.BASE_DIR)]


def unknown_names() -> list[str]:
    """Variables in `.env` that nothing reads, such as a name with a typing error."""
    known = {it.name for it in documented(settings.BASE_DIR)}
    return sorted(set(_file()) - known) if known else []


def _setting(described: DocumentedSetting, in_file: Mapping[str, str], warning: str) -> SettingInForce:
    name = described.name
    given = os.environ.get(name)
    is_secret = name in SECRETS
    return SettingInForce(
        name=name,
        value="" if is_secret or given is None else _shown(name, given),
        group=_(described.group),
        default=_(described.default) if described.has_words else described.default,
        meaning=_(described.meaning),
        source=_source(given, in_file.get(name)),
        is_secret=is_secret,
        is_set=bool(given),
        warning=warning,
    )


def _source(given: str | None, in_file: str | None) -> Source:
    """The file is read into the environment, which takes precedence: they are the same where the file was used."""
    if given is None:
        return Source.DEFAULT
    return Source.FILE if given == in_file else Source.ENVIRONMENT


def _shown(name: str, value: str) -> str:
    """Addresses without user, password and query."""
    if name not in ADDRESSES or not value:
        return value
    try:
        parts = urlsplit(value)
        host = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        return "…"
    hidden = "…@" if parts.username or parts.password else ""
    return f"{parts.scheme}://{hidden}{host}{parts.path}"


def _file() -> dict[str, str]:
    """What `.env` says."""

    class Aside(environ.Env):  # type: ignore[misc]  # environ brings no types
        ENVIRON: dict[str, str] = {}

    path = settings.HOME_DIR / ".env"
    if path.is_file():
        Aside.read_env(path)
    return dict(Aside.ENVIRON)


def _warnings() -> Iterator[tuple[str, str]]:
    """By variable: values that are risky, and what to do."""
    yield from _warnings_of_access()
    if len(settings.SECRET_KEY) < SECRET_LENGTH:
        yield "SECRET_KEY", _("It is short and could be guessed. Use 50 random characters.")
    if not settings.SENDS_EMAIL:
        yield "EMAIL_URL", _("Nothing is sent: links for forgotten passwords have to be passed on by hand.")
    if settings.MODELS_ON_PRIVATE_ADDRESSES:
        yield "MODELS_ON_PRIVATE_ADDRESSES", _("Researchers can make the server send requests in its own network.")
    if settings.WEBHOOKS_ON_PRIVATE_ADDRESSES:
        yield "WEBHOOKS_ON_PRIVATE_ADDRESSES", _("Members who manage a campaign can reach the server’s own network.")
    if settings.WEBHOOKS_OVER_HTTP:
        yield "WEBHOOKS_OVER_HTTP", _("Events can be read in transit.")
    if not settings.BACKUP_EVERY_HOURS:
        yield "BACKUP_EVERY_HOURS", _("No backup is made by itself, unless something outside Earshot does it.")
    if _same_disk(Path(settings.BACKUP_FOLDER)):
        yield "BACKUP_FOLDER", _("It is on the disk of the data: one defect loses both.")


def _warnings_of_access() -> Iterator[tuple[str, str]]:
    if settings.DEBUG:
        yield "DEBUG", _("Anyone who causes an error sees source code and settings. Switch it off.")
    if "*" in settings.ALLOWED_HOSTS:
        yield "ALLOWED_HOSTS", _("Any host name is accepted, so links in e-mail can be forged. Name yours.")
    elsewhere = set(settings.ALLOWED_HOSTS) - {"localhost", "127.0.0.1", "[::1]", "testserver"}
    if elsewhere and not settings.HTTPS:
        yield "HTTPS", _("Passwords and answers cross the network unencrypted. Set it once HTTPS works.")


def _same_disk(path: Path) -> bool:
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    data = Path(settings.DATA_DIR)
    return data.exists() and there.stat().st_dev == data.stat().st_dev
