"""What annotators read, in German."""

import html
import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.models import Annotation, Assignment
from campaigns.models import Campaign
from infrastructure.templatetags.wording import worded
from protocols import SHIPPED, Listening, digest, for_item, to_document, wording
from tests.annotation.test_every_protocol import FACTS, ORDERS, clicks
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-CH, de;q=0.9, en;q=0.5"}
HTMX = GERMAN | {"HX-Request": "true"}


def pieces(page: bytes) -> set[str]:
    """What stands between the tags, and in the attributes that are read out or shown."""
    text = page.decode()
    attributes = re.findall(r'\b(?:title|aria-label|data-name)="([^"]*)"', text)
    return {html.unescape(piece).strip(" ·\n") for piece in re.split(r"<[^>]*>", text) + attributes} - {""}


def ask(campaign: Campaign, client: Client) -> Assignment:
    order = ORDERS[campaign.protocol.unit][0]
    assignment = make_assignment(campaign, make_member(campaign), order=order)
    client.force_login(assignment.annotator)
    return assignment


def use(campaign: Campaign, **changes: object) -> None:
    """Let the campaign ask by a protocol that was changed in this way."""
    document = to_document(replace(campaign.protocol, **changes))
    Campaign.objects.filter(pk=campaign.pk).update(protocol_document=document, protocol_digest=digest(document))


@each("name", SHIPPED, undo=True)
def test_wording_of_a_shipped_protocol_is_german_to_annotators(client: Client, name: str) -> None:
    campaign = make_campaign(protocol=name, units=1, facts=FACTS)
    use(campaign, ask_confidence=True)
    ask(campaign, client)

    shown = pieces(client.get(reverse("label", args=[campaign.slug]), headers=GERMAN).content)

    english = set(wording(for_item(replace(SHIPPED[name], ask_confidence=True), FACTS))) - {"", *FACTS["criteria"]}
    with translation.override("de"):
        german = {text: worded(text) for text in english}
    assert {text for text, said in german.items() if text in shown and said != text} == set()
    assert {german[text] for text in (SHIPPED[name].title, SHIPPED[name].instructions)} <= shown


def test_worked_example_names_titles_and_choices(client: Client) -> None:
    campaign = make_campaign()
    ask(campaign, client)

    page = client.get(reverse("label", args=[campaign.slug])).content.decode()

    assert "<li><strong>Paralinguistics:</strong> 2 is better</li>" in page


def test_protocol_of_ones_own_is_shown_as_it_was_written(client: Client) -> None:
    campaign = make_campaign(units=1)
    aspect = replace(
        campaign.protocol.aspects[0], title="Höflichkeit", question="Which is 100 % polite?", guidance=""
    )
    use(campaign, title="Manieren", prompt_title="", aspects=(aspect,), examples=())
    ask(campaign, client)

    page = client.get(reverse("label", args=[campaign.slug]), headers=GERMAN).content

    assert {"Manieren", "Höflichkeit", "Which is 100 % polite?"} <= pieces(page)
    assert "Project-Id-Version" not in page.decode()


def test_criteria_of_the_item_are_numbered_in_german(client: Client) -> None:
    campaign = make_campaign(protocol="rubric", units=1, facts=FACTS)
    ask(campaign, client)

    shown = pieces(client.get(reverse("label", args=[campaign.slug]), headers=GERMAN).content)

    assert {"Zu diesem Item", "Kriterium 1", *FACTS["criteria"]} <= shown


def test_missing_answers_are_named_in_german(client: Client) -> None:
    campaign = make_campaign(protocol="podcast", units=1)
    assignment = ask(campaign, client)
    url = reverse("answer", args=[campaign.slug, assignment.pk])
    said = clicks(campaign.protocol, 2, seed=1)
    del said["overall.2"]

    response = client.post(url, said | {"note.flag": "x" * 2001}, headers=HTMX)

    assert response.status_code == 422
    assert pieces(response.content) == {
        "Gesamturteil (Antwort 2): Bitte beantworten Sie „Wie gut ist sie alles in allem?“",
        "Meldung: höchstens 2000 Zeichen, und keine, die nicht gespeichert werden können.",
    }


def test_refusals_are_german(client: Client) -> None:
    campaign = make_campaign(units=1, listening="full")
    assignment = ask(campaign, client)
    url = reverse("answer", args=[campaign.slug, assignment.pk])

    unheard = client.post(url, DIRECT_ANSWERS, headers=HTMX)
    Assignment.objects.update(status="expired")
    too_late = client.post(url, DIRECT_ANSWERS, headers=HTMX)

    assert "Hören Sie Antwort 2 so weit, wie diese Kampagne es verlangt." in pieces(unheard.content)
    assert "Diese Einheit ging an eine andere Person, weil sie zu lange offen war." in pieces(too_late.content)


def test_answer_remembers_the_language_of_the_page(client: Client) -> None:
    campaign = make_campaign(units=1)
    assignment = ask(campaign, client)

    client.post(reverse("answer", args=[campaign.slug, assignment.pk]), DIRECT_ANSWERS, headers=GERMAN)

    assert Annotation.objects.get().language == "de"


def test_numbers_for_scripts_stay_as_scripts_read_them(client: Client) -> None:
    campaign = make_campaign(units=1)
    use(campaign, listening=Listening("seconds", 2.5))
    ask(campaign, client)

    page = client.get(reverse("label", args=[campaign.slug]), headers=GERMAN).content.decode()

    assert 'data-rule-seconds="2.5"' in page
    assert re.findall(r'\b(?:value|min|max|step|data-[\w-]+)="-?\d+,\d*"', page) == []
