"""Whoever manages a campaign's people sees and sets how long what its results do not need is kept."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import User
from analytics.retention.deletion import set_retention, terms_of
from campaigns.models import Campaign, Retention, Role
from tests.analytics.retention.test_retention import closed
from tests.annotation.test_withdrawal import named_participant
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    return make_campaign(units=1)


@pytest.fixture
def admin(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.ADMIN))
    return client


def address(campaign: Campaign) -> str:
    return reverse("retention", args=[campaign.slug])


def cells(client: Client, campaign: Campaign) -> list[str]:
    page = client.get(address(campaign)).content.decode()
    return [cell.partition("</td>")[0] for cell in page.split("<td>")[1:]]


def numbers(campaign: Campaign) -> tuple[int | None, int | None] | None:
    return Retention.objects.filter(campaign=campaign).values_list("identity_days", "audio_days").first()


@each(
    "said, kept",
    [
        (("30", ""), (30, None)),
        (("", "0"), (None, 0)),
        (("", ""), (None, None)),
        (("-1", ""), None),
        (("36501", ""), None),
        (("soon", ""), None),
    ],
    undo=True,
)
def test_days_are_kept_as_they_were_set_or_refused(
    admin: Client, campaign: Campaign, said: tuple[str, str], kept: tuple[int | None, int | None] | None
) -> None:
    response = admin.post(address(campaign), dict(zip(("identity_days", "audio_days"), said, strict=True)))

    assert (response.status_code, numbers(campaign)) == (302 if kept else 422, kept)


def test_page_says_what_holds_and_whose_number_it_is(admin: Client, campaign: Campaign, settings: Settings) -> None:
    settings.RETAIN_AUDIO_DAYS = 365
    set_retention(campaign, identity_days=1, audio_days=None)

    assert cells(admin, campaign) == [
        "1 day", "for this campaign", "once the campaign has closed",
        "365 days", "for the installation", "once the campaign has closed",
    ]  # fmt: skip


def test_nothing_goes_where_no_number_is_set(admin: Client, campaign: Campaign) -> None:
    closed(campaign, days=9999)

    assert cells(admin, campaign) == ["for ever", "for the installation", "never"] * 2
    assert 'id="due"' not in admin.get(address(campaign)).content.decode()


def test_what_goes_in_the_coming_night_is_said_and_left_alone(admin: Client, campaign: Campaign) -> None:
    person = named_participant(campaign)
    campaign = closed(campaign, days=40)

    admin.post(address(campaign), {"identity_days": "30", "audio_days": ""})

    page = admin.get(address(campaign)).content.decode()
    assert "the identities of 1 people, 0 audio files (0\xa0bytes) and 0 exports" in page
    assert campaign.closed_at
    assert terms_of(campaign)["identity"].goes_at == campaign.closed_at + timedelta(days=30)
    assert User.objects.get(pk=person.pk).username == person.username


def test_day_on_which_it_went_is_said(admin: Client, campaign: Campaign) -> None:
    set_retention(campaign, identity_days=30, audio_days=0)
    Retention.objects.update(identities_forgotten_at=timezone.now())

    assert cells(admin, campaign)[2].startswith("went on ")


@each("role", [role for role in Role if role != Role.ADMIN], undo=True)
def test_nobody_else_sets_it(client: Client, campaign: Campaign, role: Role) -> None:
    client.force_login(make_member(campaign, role))

    assert client.post(address(campaign), {"identity_days": "1"}).status_code == 403
    assert numbers(campaign) is None


def test_page_asks_as_often_for_many_people_as_for_one(
    admin: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    set_retention(campaign, identity_days=1, audio_days=1)
    campaign = closed(campaign, days=40)
    for _ in range(3):
        make_member(campaign, Role.ANNOTATOR)

    with django_assert_num_queries(23):  # three of them for what the tabs count
        admin.get(address(campaign))
