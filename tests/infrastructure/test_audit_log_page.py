"""The audit log as administrators read it: page, CSV and API have the same entries for the same questions."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.audit_log.entries import Subject, record
from accounts.audit_log.search import event_title
from accounts.audit_log.subjects import accounts_in
from accounts.login.guests import delete_identity
from accounts.models import AuditEntry, User
from accounts.people.accounts import DISABLED, ENABLED
from campaigns.people.invitations import INVITATIONS_MADE
from campaigns.people.members import add_member
from infrastructure.audit_log import views
from tests.factories import UserFactory, make_campaign

pytestmark = pytest.mark.django_db
PAGE, FILE, API = "/accounts/audit-log/", "/accounts/audit-log/csv/", "/api/v1/audit-log/"


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(username="root", is_superuser=True)
    client.force_login(user)
    return user


@pytest.fixture
def person(administrator: User) -> User:
    """Grace was disabled, enabled, and made a viewer; links were made in a campaign; a dataset is gone since."""
    person = UserFactory(username="grace")
    campaign = make_campaign()
    for event in (DISABLED, ENABLED):
        record(event, by=administrator, kind=Subject.ACCOUNT, number=person.pk)
    add_member(campaign, user=person, role="viewer", by=administrator)
    record(INVITATIONS_MADE, by=person, kind=Subject.CAMPAIGN, number=campaign.pk, name=campaign.title, n=3)
    record(INVITATIONS_MADE, by=None, kind=Subject.DATASET, number=10**6, name="zqxv, =gone()", n=5)
    return person


def in_file(client: Client, **query: str) -> list[dict[str, str]]:
    response = client.get(FILE, query)
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


@pytest.mark.databases
def test_page_file_and_api_find_the_same(client: Client, person: User) -> None:
    today = f"{timezone.localdate():%Y-%m-%d}"
    yesterday = f"{timezone.localdate() - timedelta(days=1):%Y-%m-%d}"
    expected = {
        "": 5,
        "kind=account": 2,
        "event=account_disabled": 1,
        "person=grace": 4,
        f"person=%23{person.pk}": 4,
        "person=root": 3,
        "subject=ZQXV": 1,
        f"since={today}&until={today}": 5,
        f"until={yesterday}": 0,
        "kind=campaign&person=grace": 2,
    }

    for query, n in expected.items():
        page = client.get(f"{PAGE}?{query}").content.decode()
        of_api = client.get(f"{API}?{query}").json()["results"]
        lines = b"".join(client.get(f"{FILE}?{query}").streaming_content).decode().count("\n")
        assert (len(re.findall("<tr>", page)) - bool(n), len(of_api), lines - 1) == (n, n, n), query


def test_entry_is_worded_and_leads_to_what_is_still_there(client: Client, person: User) -> None:
    page = client.get(PAGE).content.decode()

    assert "The account was disabled." in page
    assert f"The role Viewer was given to the account #{person.pk}." in page
    assert "Invitation links were made: 3." in page
    assert f'<a href="/accounts/people/{person.pk}/"><bdi>grace</bdi></a>' in page
    assert re.search(r'<a href="/campaigns/[\w-]+/"><bdi>', page)
    assert "<bdi>zqxv, =gone()</bdi></td>" in page
    assert "the installation" in page


@pytest.mark.databases
def test_deleted_account_is_a_number_everywhere(client: Client, person: User) -> None:
    number = person.pk
    delete_identity(person)

    page = client.get(PAGE, {"person": f"#{number}"}).content.decode()

    assert ("grace" in page, page.count(f"deleted account {number}") >= 4) == (False, True)
    assert "grace" not in str(in_file(client))


def test_file_has_cells_that_a_spreadsheet_does_not_run(client: Client, person: User) -> None:
    newest, *_, oldest = in_file(client)

    assert (newest["name"], newest["by"], newest["parameters"]) == ("zqxv, =gone()", "", '{"n": 5}')
    assert (oldest["by_username"], oldest["event"], oldest["number"]) == ("root", "account_disabled", str(person.pk))


@pytest.mark.databases
def test_titles_of_events_end_in_dots_where_something_differs() -> None:
    titles = [event_title(code) for code in ("dataset_imported", "role_given_viewer", "backup_removed")]

    assert titles == [
        "An import was written, as version …", "The role Viewer was given to the account …",
        "The backup … was removed.",
    ]  # fmt: skip


def test_faulty_questions_are_said(client: Client, person: User) -> None:
    for query in ({"person": "nobody"}, {"since": "soon"}, {"event": "never_declared"}):
        assert (client.get(PAGE, query).status_code, client.get(API, query).status_code) == (422, 400), query


def test_log_comes_in_pages(
    client: Client, person: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(views, "PER_PAGE", 2)

    assert "1 / 3" in client.get(PAGE, {"sort": "x"}).content.decode()
    assert "kind=account&amp;page=" not in client.get(PAGE, {"kind": "account"}).content.decode()
    monkeypatch.setattr(views, "PER_PAGE", 50)
    with django_assert_num_queries(10):
        client.get(PAGE)


@pytest.mark.databases
def test_accounts_of_an_entry_are_found_by_number() -> None:
    entry = AuditEntry(by_id=1, params={"account": 2}, subject_kind="account", subject_number=3)
    assert accounts_in(entry) == {1, 2, 3}
