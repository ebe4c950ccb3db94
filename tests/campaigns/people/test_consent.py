import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from campaigns.models import Campaign, Consent, ConsentText
from campaigns.people.consent import (
    ConsentNeeded,
    consent_needed,
    give_consent,
    new_version,
    newest_text,
    require_consent,
)
from tests.cases import each
from tests.factories import UserFactory, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=0)


def ask(campaign: Campaign, text: str) -> ConsentText:
    return new_version(campaign, text=text, user=campaign.created_by)


@pytest.mark.databases
def test_change_of_the_text_is_a_new_version(campaign: Campaign) -> None:
    ask(campaign, "We keep your answers.")
    ask(campaign, "We keep and publish your answers.")

    assert list(campaign.consent_texts.values_list("version", "text")) == [
        (2, "We keep and publish your answers."),
        (1, "We keep your answers."),
    ]


@pytest.mark.databases
def test_text_that_is_the_newest_already_is_no_new_version(campaign: Campaign) -> None:
    first = ask(campaign, "One\nline")

    assert ask(campaign, "  One\r\nline\n") == first
    assert campaign.consent_texts.count() == 1


def test_text_that_was_asked_before_the_newest_is_a_new_version(campaign: Campaign) -> None:
    for text in ("one", "two", "one"):
        ask(campaign, text)

    assert campaign.consent_texts.count() == 3


@each("text", ["", " \n ", "x" * 20_001, "a\x00b"], undo=True)
def test_text_that_cannot_be_asked_is_refused(campaign: Campaign, text: str) -> None:
    with pytest.raises(ValueError, match="something to say"):
        ask(campaign, text)


@pytest.mark.databases
def test_versions_of_a_campaign_are_different_by_constraint(campaign: Campaign) -> None:
    first = ask(campaign, "one")

    with pytest.raises(IntegrityError), transaction.atomic():
        ConsentText.objects.create(campaign=campaign, version=1, text="other", made_by=first.made_by)


def test_consent_is_needed_until_the_newest_text_was_agreed_to(campaign: Campaign) -> None:
    user = UserFactory()
    assert consent_needed(campaign, user) is None

    first = ask(campaign, "one")
    assert consent_needed(campaign, user) == first
    give_consent(campaign, user=user, version=1)
    assert consent_needed(campaign, user) is None
    assert consent_needed(campaign, UserFactory()) == first

    second = ask(campaign, "two")
    assert consent_needed(campaign, user) == second
    with pytest.raises(ConsentNeeded) as refusal:
        require_consent(campaign, user)
    assert refusal.value.text == second


def test_consent_that_was_given_is_looked_up_by_one_query(
    campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = UserFactory()
    for n in range(3):
        ask(campaign, f"text {n}")

    with django_assert_num_queries(2):
        assert consent_needed(campaign, user)
    give_consent(campaign, user=user, version=3)
    with django_assert_num_queries(1):
        assert consent_needed(campaign, user) is None


def test_agreeing_twice_is_agreeing_once(campaign: Campaign) -> None:
    user = UserFactory()
    ask(campaign, "one")

    assert give_consent(campaign, user=user, version=1) == give_consent(campaign, user=user, version=1)
    assert Consent.objects.count() == 1


@pytest.mark.databases
@pytest.mark.parametrize("version", [None, 1, 3])
def test_consent_to_another_version_than_the_newest_is_none(campaign: Campaign, version: int | None) -> None:
    ask(campaign, "one")
    ask(campaign, "two")

    with pytest.raises(ConsentNeeded):
        give_consent(campaign, user=UserFactory(), version=version)

    assert not Consent.objects.exists()


def test_where_nothing_is_asked_nothing_is_agreed_to(campaign: Campaign) -> None:
    assert newest_text(campaign) is None
    assert give_consent(campaign, user=UserFactory(), version=None) is None
