from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation.models import Annotation, Assignment
from campaigns.models import Campaign
from corpus.models import Turn
from tests.annotation.test_listening import deliver_fakes
from tests.factories import DIRECT_ANSWERS, make_campaign, make_member

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(units=3)
    deliver_fakes(campaign)
    return campaign


@pytest.fixture
def annotator(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign))
    return client


def label_url(campaign: Campaign) -> str:
    return reverse("label", args=[campaign.slug])


def answer_url(campaign: Campaign) -> str:
    return reverse("answer", args=[campaign.slug, Assignment.objects.get(status="reserved").pk])


def test_label_shows_a_unit_with_its_clips_and_questions(annotator: Client, campaign: Campaign) -> None:
    page = annotator.get(label_url(campaign)).content.decode()

    assert page.count("data-clip=") == 3
    assert page.count("data-question=") == 4
    assert "0 of 3" in page


def test_unit_without_a_prompt_shows_its_responses_alone(annotator: Client, campaign: Campaign) -> None:
    Turn.objects.update(text="", clip=None)

    page = annotator.get(label_url(campaign)).content.decode()

    assert page.count("data-clip=") == 2
    assert 'class="clip prompt"' not in page


@pytest.mark.parametrize(("protocol", "playback"), [("ccr", "synchronised"), ("hcot", "restart")])
def test_label_says_how_the_responses_are_switched(client: Client, protocol: str, playback: str) -> None:
    campaign = make_campaign(protocol=protocol)
    client.force_login(make_member(campaign))

    page = client.get(label_url(campaign)).content.decode()

    assert f'data-playback="{playback}"' in page
    assert f'data-assignment="{Assignment.objects.get().pk}"' in page


@pytest.mark.parametrize("shown", [True, False])
def test_label_shows_waveforms_unless_the_campaign_hides_them(
    annotator: Client, campaign: Campaign, shown: bool
) -> None:
    Campaign.objects.update(show_waveform=shown)

    page = annotator.get(label_url(campaign)).content.decode()

    assert page.count("<canvas") == (3 if shown else 0)
    assert page.count('type="range"') == 3


def test_clip_that_does_not_play_can_be_given_back_where_it_fails(annotator: Client, campaign: Campaign) -> None:
    page = annotator.get(label_url(campaign)).content.decode()
    give_back = reverse("give-back", args=[campaign.slug, Assignment.objects.get().pk])

    error = page.split("data-player-error")[1].split("</div></div>")[0]
    assert f'hx-post="{give_back}"' in error
    assert """hx-vals='{"reason": "does_not_play"}'""" in error
    assert 'hx-target="#unit"' in error


def test_answer_is_followed_by_the_next_unit_in_the_same_response(annotator: Client, campaign: Campaign) -> None:
    annotator.get(label_url(campaign))
    first = answer_url(campaign)

    response = annotator.post(first, DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX)

    page = response.content.decode()
    assert response.status_code == 200
    assert "1 of 3" in page
    assert "<html" not in page
    assert answer_url(campaign) in page
    assert first not in page


def test_answer_without_htmx_redirects_to_the_next_unit(annotator: Client, campaign: Campaign) -> None:
    annotator.get(label_url(campaign))

    response = annotator.post(answer_url(campaign), DIRECT_ANSWERS | {"idempotency_key": "k"})

    assert (response.status_code, response["Location"]) == (302, label_url(campaign))


def test_incomplete_answer_is_422_and_stores_nothing(annotator: Client, campaign: Campaign) -> None:
    annotator.get(label_url(campaign))

    response = annotator.post(answer_url(campaign), {"content": "1"}, headers=HTMX)

    assert response.status_code == 422
    assert response.content.decode().count("data-error-for") == 3
    assert not Annotation.objects.exists()


def test_answer_given_twice_with_another_key_is_409_and_shows_the_next(annotator: Client, campaign: Campaign) -> None:
    annotator.get(label_url(campaign))
    url = answer_url(campaign)
    annotator.post(url, DIRECT_ANSWERS | {"idempotency_key": "one"}, headers=HTMX)

    response = annotator.post(url, DIRECT_ANSWERS | {"idempotency_key": "two"}, headers=HTMX)

    assert response.status_code == 409
    assert "already answered" in response.content.decode()
    assert Annotation.objects.count() == 1


def test_last_answer_leads_to_an_honest_end(annotator: Client, campaign: Campaign) -> None:
    for key in "abc":
        annotator.get(label_url(campaign))
        last = annotator.post(answer_url(campaign), DIRECT_ANSWERS | {"idempotency_key": key}, headers=HTMX)

    page = last.content.decode()
    assert "That was the last one" in page
    assert "You have answered 3 here" in page


def test_end_says_when_others_still_hold_units(annotator: Client, campaign: Campaign) -> None:
    other = Client()
    other.force_login(make_member(campaign))
    other.get(label_url(campaign))
    held = Assignment.objects.get()
    for _ in range(2):
        annotator.get(label_url(campaign))
        mine = Assignment.objects.exclude(pk=held.pk).get(status="reserved")
        annotator.post(
            reverse("answer", args=[campaign.slug, mine.pk]), DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX
        )

    page = annotator.get(label_url(campaign)).content.decode()

    assert "Nothing for you at the moment" in page


def test_label_of_a_paused_campaign_says_so(annotator: Client, campaign: Campaign) -> None:
    Campaign.objects.update(status="paused")

    page = annotator.get(label_url(campaign)).content.decode()

    assert "not open at the moment" in page
    assert "Come back later" in page


def test_answer_in_a_campaign_that_was_closed_is_refused_with_thanks(annotator: Client, campaign: Campaign) -> None:
    annotator.get(label_url(campaign))
    Campaign.objects.update(status="closed")

    response = annotator.post(answer_url(campaign), DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX)

    page = response.content.decode()
    assert response.status_code == 409
    assert "This campaign was closed, so this answer could not be taken." in page
    assert "This campaign is closed. Thank you!" in page
    assert "Come back later" not in page


def test_label_costs_the_same_queries_whatever_there_is(
    annotator: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    annotator.get(label_url(campaign))

    with django_assert_num_queries(LABEL_QUERIES):
        annotator.get(label_url(campaign))


#: session, user, campaign, roles, progress (3), consent, gates, messages, the assignment with its unit, responses,
#: prompt, pace
LABEL_QUERIES = 13
