"""People delete their own account: a proof that it is they, what is handed over first, and nothing of their name."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, User
from annotation.models import ReviewComment, UseDecision
from campaigns.models import Campaign, Role
from campaigns.protocol_composer.own_protocols import free_name
from corpus.models import Dataset
from tests.accounts.test_deletion import where_it_says
from tests.factories import UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
ADDRESS, NAME = "/accounts/account/delete/", "zqxvbn"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def person(campaign: Campaign) -> User:
    person = make_member(campaign, username=NAME, first_name=NAME, email=f"{NAME}@example.org")
    person.set_password("listen-closely")
    person.save()
    unit = campaign.campaign_units.first()
    ReviewComment.objects.create(campaign_unit=unit, by=person, text=f"I, {NAME}, disagree", idempotency_key="k")
    assignment = make_assignment(campaign, UserFactory(), status="answered")
    UseDecision.objects.create(assignment=assignment, by=person, use=False, comment=f"says {NAME}")
    return person


def posted(client: Client, person: User, **said: Any) -> Any:
    client.force_login(person)
    return client.post(ADDRESS, {"typed": NAME, "password": "listen-closely"} | said)


@pytest.mark.databases
def test_owner_deletes_their_account_and_no_table_and_no_file_says_their_name(
    client: Client, person: User, media_root: Path
) -> None:
    other = Client()
    other.force_login(person)
    client.force_login(person)
    page = client.get(ADDRESS).content.decode()

    response = posted(client, person, with_texts="on")

    assert "2 comments or reasons of yours" in page
    assert response.status_code == 200
    assert where_it_says(NAME) == set()
    assert not [path for path in media_root.rglob("*") if path.is_file() and NAME.encode() in path.read_bytes()]
    assert UseDecision.objects.get().by_id == person.pk, "the decision stays, without its reason"
    assert [client.get("/").status_code, other.get("/").status_code] == [302, 302]
    entry = AuditEntry.objects.get(event="account_deleted")
    assert (entry.subject_number, entry.by_id) == (person.pk, person.pk)
    client.force_login(UserFactory(is_superuser=True))
    assert f"deleted account {person.pk}" in client.get("/accounts/audit-log/").content.decode()


def test_what_a_reviewer_wrote_stays_unless_they_ask(client: Client, person: User) -> None:
    posted(client, person)

    assert where_it_says(NAME) == {"annotation.ReviewComment.text", "annotation.UseDecision.comment"}


def test_wrong_password_and_wrong_name_delete_nothing(client: Client, person: User) -> None:
    codes = [posted(client, person, **said).status_code for said in ({"password": "x"}, {"typed": "x"})]

    assert codes == [422, 422]
    assert User.objects.get(pk=person.pk).username == NAME


@pytest.mark.databases
def test_last_administrator_and_owners_hand_over_first(client: Client, campaign: Campaign, person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_superuser=True, is_researcher=True)
    dataset = Dataset.objects.create(name="Own", slug="own", created_by=person)
    campaign.memberships.create(user=person, role=Role.ADMIN)
    said = [posted(client, person)]
    boss = UserFactory(is_superuser=True)
    said += [posted(client, person)]
    Dataset.objects.filter(pk=dataset.pk).update(created_by=boss)
    said += [posted(client, person)]
    campaign.memberships.create(user=boss, role=Role.ADMIN)

    assert [it.status_code for it in said] == [422, 422, 422]
    pages = [it.content.decode() for it in said]
    assert "last administrator" in pages[0]
    assert dataset.get_absolute_url() in pages[1]
    assert campaign.get_absolute_url() in pages[2]
    assert posted(client, person).status_code == 200


@pytest.mark.databases
def test_those_without_a_password_log_in_afresh(client: Client, person: User) -> None:
    person.set_unusable_password()
    person.save()
    stale = posted(client, person)
    session = client.session
    session["logged_in_at"] = timezone.now().timestamp()
    session.save()
    fresh = client.post(ADDRESS, {"typed": NAME})

    assert [stale.status_code, fresh.status_code] == [422, 200]
    assert "within ten minutes" in stale.content.decode()


def test_guests_have_no_account_to_delete(client: Client) -> None:
    client.force_login(UserFactory(is_guest=True))

    assert client.get(ADDRESS).status_code == 403


def test_name_of_a_protocol_says_nothing_of_who_saved_it(person: User) -> None:
    assert NAME not in free_name("hcot", person)
