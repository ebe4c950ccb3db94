"""Every free text of every table holds markup and a formula; every page and file is looked at for them."""

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any
from xml.etree import ElementTree

import pytest
from django.apps import apps
from django.db import models
from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from campaigns.models import Campaign
from tests.config.pages.test_access import WHO_MAY
from tests.paths import APPS

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: What is no free text: names that code compares, hashes, tokens, and what the storage or a protocol is found by.
CODES = re.compile(
    r"(^|_)(digest|sha256|token|slug|key_hash|kind|version|status|signal|rule|slot|order|form|container|encoding|"
    r"format|sealed_\w+|origin|method|stamp|mark|holder|click|session|file|subject|metric|idempotency_key|"
    r"password|excluded|excluded_by|first|by|label_page|account|address|request|issuer|hint|"
    r"settings_digest|plan_sha256|action|purpose|protocol_digest|based_on|sound_form|value|aspect|return_url)$"
)
#: JSON whose texts people write.
FREE_JSON = {("corpus", "Item", "facts"), ("campaigns", "Campaign", "protocol_document"),
             ("corpus", "Import", "report"), ("corpus", "Unit", "source")}  # fmt: skip
WRITTEN = {"title", "label", "text", "help", "instructions", "prompt", "question", "reminder", "dimension", "message"}
MARK = "rare7"
PAYLOAD = "={mark}\"'><{mark} onmouseover={mark}><!--{n}"
#: Where there is little room.
SHORT = "'\"><{mark} {n}"
#: Less than this holds no markup that does anything.
ROOM = 16
URL = "javascript:{mark}//{n}"


def free_fields(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """The fields in which people write what they like."""
    return [
        field
        for field in model._meta.fields
        if isinstance(field, models.CharField | models.TextField)
        and not isinstance(field, models.SlugField)
        and not field.choices
        and not CODES.search(field.name)
        and (field.max_length or ROOM) >= ROOM
    ]


def fill() -> set[str]:
    """Put the payload into every free text of every row; the names of the fields that have rows."""
    filled, number = set(), count()
    for model in apps.get_models():
        if model._meta.app_label not in APPS:
            continue
        room = {field.name: field.max_length for field in free_fields(model)}
        in_json = [name for app, of, name in FREE_JSON if (app, of) == (model._meta.app_label, model.__name__)]
        for row in model._default_manager.all():
            texts = {name: text_for(name, next(number), most) for name, most in room.items()}
            texts |= {name: written(getattr(row, name), next(number)) for name in in_json}
            if texts:
                models.QuerySet(model).filter(pk=row.pk).update(
                    **texts
                )  # of the audit log, too, which is only appended
            filled |= {f"{model.__name__}.{name}" for name in texts}
    return filled


def text_for(name: str, n: int, most: int | None) -> str:
    payload = URL if name.endswith("url") else SHORT if most and most < len(PAYLOAD) + 20 else PAYLOAD
    return payload.format(mark=MARK, n=n)


def written(value: Any, n: int) -> Any:
    """The same JSON, with the payload in every text that people write."""
    if isinstance(value, dict):
        return {
            name: f"{PAYLOAD.format(mark=MARK, n=n)}" if name in WRITTEN and isinstance(it, str) else written(it, n)
            for name, it in value.items()
        }
    return [written(it, n) for it in value] if isinstance(value, list) else value


def faults(response: HttpResponse) -> Iterator[str]:
    """Where the payload came out as something else than text."""
    if response.get("X-Content-Type-Options") != "nosniff":
        yield "its type may be guessed"
    kind, body = response.get("Content-Type", "").partition(";")[0], content_of(response)
    if kind == "text/html":
        for sign in (f"<{MARK}", f'{MARK}"', f"{MARK}'", f'="javascript:{MARK}'):
            if sign in body:
                at = body.index(sign)
                yield f"{sign!r} in …{body[max(0, at - 120) : at + 40]}…"
    if kind == "text/csv":
        for cell in (cell for row in csv.reader(io.StringIO(body)) for cell in row):
            if re.match(r"[=+\-@\t\r]", cell) and not re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell):
                yield f"a formula: {cell[:60]}"
    if kind == "image/svg+xml":
        tree = ElementTree.fromstring(body)  # noqa: S314 - our own picture
        if any(MARK in node.tag or MARK in " ".join(node.attrib) for node in tree.iter()):
            yield "an element of its own in a picture"
    if kind == "application/json":
        json.loads(body)


def content_of(response: HttpResponse) -> str:
    if response.streaming:
        return b"".join(response.streaming_content).decode("utf-8", "replace")
    return response.content.decode("utf-8", "replace")


def test_what_people_write_is_text_on_every_page_and_in_every_file(
    campaign: Campaign, people: dict[str, User], addresses: dict[str, str]
) -> None:
    filled = fill()
    assert {"Campaign.title", "Dataset.name", "System.name", "Turn.text", "Annotation.flag", "Judge.title"} <= filled
    assert {"User.username", "User.email", "Invitation.code_completed"} <= filled
    seen, wrong = 0, []
    for role, user in people.items():
        client = Client()
        client.force_login(user)
        for name, (method, allowed) in WHO_MAY.items():
            if method != "GET" or role not in allowed or (role in {"admin", "researcher"} and "superuser" in allowed):
                continue
            response = client.get(addresses[name])
            wrong += [f"{name} as {role}: {fault}" for fault in faults(response)]
            seen += MARK in (content_of(response) if not response.streaming else "")
    assert wrong == []
    assert seen > 60, "the payload is on hardly any page, so that nothing was tried"
