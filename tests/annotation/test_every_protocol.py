"""Each shipped protocol from the page to the export and back to the screen's frame, in every order of the screen."""

import csv
import io
import random

import pytest
from django.test import Client
from django.urls import reverse

from analytics.exports import tidy_lines
from analytics.labelled import campaign_labels
from annotation.blinding import shown_value
from annotation.models import Annotation
from campaigns.models import Campaign
from campaigns.protocols import SHIPPED, Protocol, for_item, questions
from campaigns.protocols.questions import question_name
from tests.factories import make_assignment, make_campaign, make_member
from tests.protocols.asking import CRITERIA

pytestmark = pytest.mark.django_db

FACTS = {"dimension": "semantic", "capability": "memory", "criteria": CRITERIA}
ORDERS = {"pair": ("ab", "ba"), "single": ("a",), "item": ("ab", "ba")}
CASES = [(name, order) for name, protocol in SHIPPED.items() for order in ORDERS[protocol.unit]]


def clicks(protocol: Protocol, n_responses: int, seed: int) -> dict[str, str]:
    """A random valid way to answer every question that is put."""
    rng = random.Random(seed)
    clicked: dict[str, str] = {}
    for question in questions(protocol, n_responses):
        if not question.is_put(clicked):
            continue
        unlike = clicked.get(protocol.aspect(question.aspect).unlike)
        values = [option.value for option in question.options if option.value != unlike]
        clicked[question.name] = rng.choice(values) if values else "Because 2 < 3 & “so on”."
    return clicked


def exported_to_screen(campaign: Campaign, protocol: Protocol) -> dict[str, str]:
    """The tidy export's answers by question, turned back to what was clicked."""
    lines = tidy_lines(campaign_labels(campaign), campaign="c", protocol="p", digest="d")
    answers = {}
    for row in csv.DictReader(io.StringIO("".join(lines))):
        place = row["order"].index(row["slot"]) + 1 if row["slot"] else None
        frame = protocol.aspect(row["aspect"]).scale.frame
        answers[question_name(row["aspect"], place)] = shown_value(row["value"], row["order"], frame)
    return answers


def labels_of(protocol: Protocol, clicked: dict[str, str]) -> dict[str, str]:
    """What was clicked as answers by question: guided steps come out as the label they lead to."""
    if protocol.elicitation == "direct":
        return clicked
    steps = {("yes", "no"): "1", ("no", "yes"): "2", ("no", "no"): "both_bad"}
    return {
        a.name: clicked.get(f"{a.name}.better")
        or steps[clicked[f"{a.name}.acceptable_1"], clicked[f"{a.name}.acceptable_2"]]
        for a in protocol.aspects
    }


@pytest.mark.parametrize(("name", "order"), CASES)
def test_protocol_goes_from_the_page_to_the_export_and_back(client: Client, name: str, order: str) -> None:
    campaign = make_campaign(protocol=name, units=1, facts=FACTS)
    assignment = make_assignment(campaign, make_member(campaign), order=order)
    protocol = for_item(campaign.protocol, FACTS)
    clicked = clicks(protocol, len(order), seed=len(name))
    client.force_login(assignment.annotator)

    page = client.get(reverse("label", args=[campaign.slug])).content.decode()
    response = client.post(reverse("answer", args=[campaign.slug, assignment.pk]), clicked | {"idempotency_key": "k"})

    missing = [q.name for q in questions(protocol, len(order)) if f'name="{q.name}"' not in page]
    assert missing == []
    assert response.status_code == 302
    assert exported_to_screen(campaign, protocol) == labels_of(protocol, clicked)


@pytest.mark.parametrize("name", SHIPPED)
def test_protocol_refuses_two_hundred_faulty_submissions_and_stores_nothing(client: Client, name: str) -> None:
    campaign = make_campaign(protocol=name, units=1, facts=FACTS)
    order = ORDERS[SHIPPED[name].unit][0]
    assignment = make_assignment(campaign, make_member(campaign), order=order)
    protocol = for_item(campaign.protocol, FACTS)
    client.force_login(assignment.annotator)
    url = reverse("answer", args=[campaign.slug, assignment.pk])
    rng = random.Random(name)

    answered = set()
    for seed in range(200):
        clicked = clicks(protocol, len(order), seed)
        required = [q.name for q in questions(protocol, len(order)) if q.required and q.name in clicked]
        victim = rng.choice(required)
        fault = rng.choice(("missing", "unknown value", "unknown question", "too long"))
        if fault == "missing":
            del clicked[victim]
        elif fault == "unknown value":
            clicked[victim] = "9" * 3000
        elif fault == "too long":
            clicked[victim] = "x" * 2001
        else:
            clicked[f"{victim}.forged"] = "1"
        answered.add(client.post(url, clicked, headers={"HX-Request": "true"}).status_code)

    assert answered == {422}
    assert not Annotation.objects.exists()
