"""Markup where nobody types a text: options of protocols, names of files, columns, slugs, names of accounts."""

import csv
import io
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from benchmarks.fuzzing.routes import UploadRoute, UploadRoutes
from campaigns.models import Campaign, Role
from corpus.models import Dataset
from infrastructure.slugs import unique_slug
from judges.models import VerdictAnswer
from protocols import SHIPPED
from protocols.declared import Aspect, Scale
from protocols.documents.yaml_files import to_yaml
from protocols.kinds.kind import Option
from protocols.protocol import Protocol
from tests.analytics.exporting.test_round_trip import answered_campaign
from tests.cases import each
from tests.config.pages.test_access import WHO_MAY
from tests.factories import make_campaign, make_invitation, make_member
from tests.intruders.test_stored_text import MARK, PAYLOAD, content_of, faults
from tests.judges.running import a_judge, a_run, worked

pytestmark = pytest.mark.django_db


def hostile(n: int) -> str:
    return PAYLOAD.format(mark=MARK, n=n)


def hostile_protocol() -> Protocol:
    """Pairs, with one more question whose every word, kept values included, is markup."""
    options = tuple(Option(hostile(n), hostile(n + 10), hostile(n + 20)) for n in range(3))
    scale = Scale("mood", options)
    base = SHIPPED["hcot"]
    return replace(base, title=hostile(30), aspects=(*base.aspects, Aspect("mood", hostile(31), hostile(32), scale)))


def told(response: HttpResponse) -> bool:
    return MARK in content_of(response)


def pages_of(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Every page that is named by a campaign alone, and every file of one."""
    for name, (method, _allowed) in WHO_MAY.items():
        for more in ([], ["csv"]):
            try:
                address = reverse(name, args=[campaign.slug, *more])
            except NoReverseMatch:
                continue
            if method == "GET" and address.startswith(f"/campaigns/{campaign.slug}/"):
                yield name, address


# -- options -------------------------------------------------------------------------------------------------------


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch, media_root: Path) -> Campaign:
    monkeypatch.setitem(SHIPPED, "hostile", hostile_protocol())  # type: ignore[misc]
    return answered_campaign("hostile", "ab")


def test_options_are_text_on_every_page_of_a_campaign_and_in_every_file(client: Client, answered: Campaign) -> None:
    worked(run := a_run(answered, a_judge(answered, "random")), slice_s=60)
    assert VerdictAnswer.objects.filter(verdict__run=run, value__contains=MARK).exists()
    client.force_login(make_member(answered, Role.ADMIN))
    pages = [*pages_of(answered), ("run", reverse("run", args=[answered.slug, run.pk]))]
    pages += [("run-verdicts", reverse("run-verdicts", args=[answered.slug, run.pk]))]
    units = answered.campaign_units.all()
    pages += [("review-unit", reverse("review-unit", args=[answered.slug, unit.pk])) for unit in units]

    seen, wrong = 0, []
    for name, address in pages:
        response = client.get(address)
        wrong += [f"{name}: {fault}" for fault in faults(response)]
        seen += not response.streaming and told(response)

    assert wrong == []
    assert seen >= 5, "the options are on hardly any page, so that nothing was tried"


def test_options_are_text_before_whoever_labels(client: Client, answered: Campaign) -> None:
    answered.answers_per_unit = 9
    answered.save()
    client.force_login(make_member(answered))

    page = client.get(reverse("label", args=[answered.slug]))

    assert told(page)
    assert list(faults(page)) == []


def test_protocol_that_comes_in_as_a_file_is_text_wherever_it_is_shown() -> None:
    client = Noting()
    client.force_login(User.objects.create_user("ruth", is_superuser=True))
    content = to_yaml(replace(hostile_protocol(), name="mine")).encode()

    client.post(reverse("protocol-upload"), {"file": SimpleUploadedFile("mine.yaml", content)})

    assert [fault for response in client.seen for fault in faults(response)] == []
    assert [told(response) for response in client.seen] == [True]


# -- files ---------------------------------------------------------------------------------------------------------


class Noting(Client):
    """Keeps every page that it got, and goes where it is sent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(SERVER_NAME="localhost", **options)
        self.seen: list[HttpResponse] = []

    def request(self, **asked: Any) -> Any:
        response = super().request(**asked)
        if response.status_code == 302:
            self.get(response["Location"])
        else:
            self.seen.append(response)
        return response


@pytest.fixture
def routes(media_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UploadRoutes:
    (tmp_path / "temporary").mkdir()
    made = UploadRoutes()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    made.client = Noting()
    made.client.force_login(made.user)
    return made


#: A browser's form writes no double quote into the name of a file.
FILE = f"'><{MARK} onmouseover={MARK}>"


def hostile_tables(content: bytes) -> Iterator[bytes]:
    """With one more column, with its first column called otherwise, and with all of them."""
    rows = list(csv.reader(io.StringIO(content.decode())))
    head, body = rows[0], rows[1:]
    yield written([[*head, hostile(0)], *([*row, hostile(1)] for row in body)])
    yield written([[hostile(0), *head[1:]], *body])
    yield written([[hostile(n) for n in range(len(head))], *body])


def written(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def tried(routes: UploadRoutes, route: UploadRoute, name: str, content: bytes) -> list[str]:
    """What was wrong with the pages that this brought about."""
    routes.client.seen.clear()  # type: ignore[attr-defined]
    routes.try_one(route, name, content)
    seen = routes.client.seen  # type: ignore[attr-defined]
    return [f"{route.name}, {name[:40]}: {fault}" for response in seen for fault in faults(response)]


def test_names_of_files_and_columns_are_text_at_every_upload_route(routes: UploadRoutes) -> None:
    wrong, told_by = [], set()
    for route in routes.all.values():
        for name, content in route.pool.items():
            sent = [(FILE + Path(name).suffix, content)]
            sent += [(name, table) for table in hostile_tables(content)] if name.endswith(".csv") else []
            sent += [(name, table) for table in [content[:9] + FILE.encode()] if name.endswith((".json", ".yaml"))]
            for called, what in sent:
                wrong += tried(routes, route, called, what)
                if any(map(told, routes.client.seen)):  # type: ignore[attr-defined]
                    told_by.add(route.name)

    assert wrong == []
    assert len(told_by) >= 6, f"hardly any route reports a column: {told_by}"


# -- slugs and accounts --------------------------------------------------------------------------------------------


@each("model", [Campaign, Dataset], undo=True)
@each("name", [hostile(1), "../../x", "javascript:alert(1)", "ß<b>", "=1+1", "\u202e\u0000"], undo=True)
def test_slug_of_whatever_name_is_plain(model: type[Campaign] | type[Dataset], name: str) -> None:
    assert re.fullmatch(r"[-a-z0-9_]+", unique_slug(model, name))


@each("path", ["/campaigns/{}/", "/datasets/{}/", "/label/{}/", "/protocols/{}/1/", "/nowhere/{}"], undo=True)
def test_address_that_does_not_exist_is_not_written_into_the_page(client: Client, path: str) -> None:
    client.force_login(User.objects.create_user("ruth", is_superuser=True))

    page = client.get(path.format(hostile(1)))

    assert page.status_code == 404
    assert list(faults(page)) == []


def test_account_name_with_markup_is_refused_and_shown_as_text(client: Client, media_root: Path) -> None:
    link = reverse("join", args=[make_invitation(make_campaign(units=1)).token])
    wanted = {"username": hostile(1), "password1": "long enough 4 you", "password2": "long enough 4 you"}

    joined = client.post(link, wanted | {"how": "account"})
    entered = client.post(reverse("login"), {"username": hostile(2), "password": "x"})

    assert not User.objects.filter(username__contains=MARK).exists()
    assert told(entered)
    assert [*faults(joined), *faults(entered)] == []
