"""Deleting an account: no identity stays, and its answers do, under a number."""

from typing import Any

import pytest
from django.apps import apps
from django.db.models import CharField, JSONField, TextField
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.people.accounts import disable_account
from accounts.tokens.tokens import make_token
from campaigns.models import Campaign, Role
from tests.factories import UserFactory, make_assignment, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
NAME = "zqxv"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def boss() -> User:
    return UserFactory(is_superuser=True)


@pytest.fixture
def person(campaign: Campaign) -> User:
    """A user with everything that says who they are, in every table."""
    person = make_member(campaign, username=NAME, first_name=NAME, last_name=NAME, email=f"{NAME}@example.org")
    make_assignment(campaign, person, status="returned", return_comment=f"I am {NAME}")
    make_invitation(campaign).arrivals.create(user=person, use=1, participant=NAME)
    person.identities.create(issuer="https://id.example", subject=NAME)
    make_token(person, name=NAME, scopes=["read"], days=1)
    return person


def posted(client: Client, person: User, boss: User, **said: Any) -> int:
    client.force_login(boss)
    return client.post(f"/accounts/people/{person.pk}/delete/", {"typed": NAME} | said).status_code


def where_it_says(name: str) -> set[str]:
    """Every column of every table in which the name stands."""
    return {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, CharField | TextField | JSONField)
        for value in model._base_manager.values_list(field.name, flat=True)
        if name in str(value)
    }


@pytest.mark.databases
def test_deleted_account_leaves_no_identity_in_any_table_and_its_answers_stay(
    client: Client, campaign: Campaign, person: User, boss: User
) -> None:
    browser = Client()
    browser.force_login(person)
    assert len(where_it_says(NAME)) >= 7
    disable_account(person, by=boss)

    assert posted(client, person, boss) == 302

    assert where_it_says(NAME) == set()
    assert campaign.assignments.get().annotator_id == person.pk
    assert not campaign.memberships.filter(user=person, ended_at=None).exists()
    assert browser.get("/").status_code == 302, "the session is over"
    entry = AuditEntry.objects.get(event="account_deleted")
    assert (entry.subject_number, entry.subject_name, entry.by) == (person.pk, "", boss)


@pytest.mark.databases
def test_answers_are_withdrawn_on_demand(client: Client, campaign: Campaign, person: User, boss: User) -> None:
    make_assignment(campaign, person, campaign_unit=campaign.campaign_units.last(), status="answered")
    disable_account(person, by=boss)

    assert posted(client, person, boss, with_answers="on") == 302

    assert campaign.assignments.get(status="answered").excluded
    assert AuditEntry.objects.filter(event="account_deleted_with_answers", subject_number=person.pk).exists()


def test_refusals_say_what_to_do_and_leave_the_account_whole(
    client: Client, campaign: Campaign, person: User, boss: User
) -> None:
    campaign.memberships.create(user=person, role=Role.ADMIN)
    address = f"/accounts/people/{person.pk}/delete/"

    in_use = posted(client, person, boss)
    disable_account(person, by=boss)
    page = client.get(address).content.decode()
    alone = posted(client, person, boss)
    campaign.memberships.create(user=boss, role=Role.ADMIN)
    mistyped = posted(client, person, boss, typed="other")

    assert [in_use, alone, mistyped] == [422, 422, 422]
    assert campaign.title in page
    assert User.objects.get(pk=person.pk).username == NAME
    assert posted(client, boss, boss, typed=boss.username) == 422, "nobody deletes themselves"
