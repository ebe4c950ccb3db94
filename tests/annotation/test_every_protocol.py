"""Each shipped protocol from the page to the export and back to the screen's frame, in every order of the screen."""

import csv
import io
import random
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics.data.labels import campaign_labels
from analytics.exports.labels import tidy_lines
from annotation.listening.reports import clip_seconds
from annotation.models import Annotation, Answer, Assignment, ListeningLog
from campaigns.models import Campaign, Membership
from protocols import SHIPPED, Protocol, for_item, questions
from protocols.kinds.frames import shown_value
from protocols.questions import question_name
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
        values = [value for value in question.kind.values if value != unlike]
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


@pytest.mark.databases
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


#: Every way of submitting what must not be taken, and the answer it gets.
FAULTS = {
    "missing": 422,
    "unknown value": 422,
    "value of the stored frame": 422,
    "unknown question": 422,
    "side sent along": 422,
    "too long": 422,
    "only the last": 422,
    "faulty note": 422,
    "short listening": 422,
    "another's assignment": 404,
    "no assignment": 404,
    "replayed key": 409,
    "new key after the answer": 409,
    "expired reservation": 409,
    "given back": 409,
}


class Desk:
    """One annotator with assignments in every state, all about the same protocol."""

    def __init__(self, name: str) -> None:
        self.campaign = make_campaign(protocol=name, units=5, facts=FACTS, listening="full", answers_per_unit=2)
        self.order = ORDERS[SHIPPED[name].unit][-1]
        self.protocol = for_item(self.campaign.protocol, FACTS)
        self.annotator = make_member(self.campaign)
        self.units = list(self.campaign.campaign_units.all())
        self.open = self.assignment(0)
        self.unheard = self.assignment_elsewhere(name)
        self.others = self.assignment(1, annotator=make_member(self.campaign))
        self.answered = self.assignment(2, status="answered")
        self.expired = self.assignment(3, status="expired")
        self.returned = self.assignment(4, status="returned")
        Annotation.objects.create(assignment=self.answered, idempotency_key="used", shown_at=timezone.now())

    def assignment(self, unit: int, **fields: Any) -> Assignment:
        fields = {"annotator": self.annotator} | fields
        made = make_assignment(self.campaign, order=self.order, campaign_unit=self.units[unit], **fields)
        heard = {clip: {"ranges": [[0, length]], "plays": 1} for clip, length in clip_seconds(made).items()}
        ListeningLog.objects.create(assignment=made, clips=heard)
        return made

    def assignment_elsewhere(self, name: str) -> Assignment:
        """In a second campaign, since one holds one unit at a time; a tenth of one clip was not heard."""
        campaign = make_campaign(protocol=name, units=1, facts=FACTS, listening="full")
        Membership.objects.create(campaign=campaign, user=self.annotator, role="annotator", pseudonym="A1")
        made = make_assignment(campaign, self.annotator, order=self.order)
        heard = {clip: {"ranges": [[0, length]], "plays": 1} for clip, length in clip_seconds(made).items()}
        heard["1-1"]["ranges"] = [[0, 0.6]]
        ListeningLog.objects.create(assignment=made, clips=heard)
        return made

    def faulty(self, fault: str, clicked: dict[str, str], rng: random.Random) -> tuple[str, dict[str, str]]:
        """The address and the answers of a submission with that fault."""
        put = questions(self.protocol, len(self.order))
        victim = rng.choice([q.name for q in put if q.required and q.name in clicked])
        assignment = {
            "short listening": self.unheard,
            "another's assignment": self.others,
            "replayed key": self.answered,
            "new key after the answer": self.answered,
            "expired reservation": self.expired,
            "given back": self.returned,
        }.get(fault, self.open)
        if fault == "missing":
            del clicked[victim]
        elif fault == "unknown value":
            clicked[victim] = "9" * 3000
        elif fault == "value of the stored frame":
            choice = rng.choice([q.name for q in put if q.required and q.name in clicked and not q.kind.is_written])
            clicked[choice] = rng.choice(["a", "b", "c"])
        elif fault == "unknown question":
            clicked[f"{victim}.forged"] = "1"
        elif fault == "side sent along":
            clicked[rng.choice(["order", "slot", "a", f"{victim}.a"])] = self.order
        elif fault == "too long":
            clicked[victim] = "x" * 2001
        elif fault == "only the last":
            required = [q.name for q in put if q.required and q.name in clicked]
            clicked = {required[-1]: clicked[required[-1]]} if len(required) > 1 else {}
        elif fault == "faulty note":
            clicked["note.marks"] = rng.choice(["[1]", "{", '[{"clip": "9-9"}]'])
        key = "used" if fault == "replayed key" else f"fresh {rng.random()}"
        pk = uuid.uuid4() if fault == "no assignment" else assignment.pk
        url = reverse("answer", args=[assignment.campaign.slug, pk])
        return url, clicked | {"idempotency_key": key}


@pytest.mark.parametrize("name", SHIPPED)
def test_protocol_refuses_faulty_submissions_and_stores_nothing(client: Client, name: str) -> None:
    desk = Desk(name)
    client.force_login(desk.annotator)
    rng = random.Random(name)

    answered = set()
    for seed, fault in enumerate([*FAULTS] * 4):
        url, sent = desk.faulty(fault, clicks(desk.protocol, len(desk.order), seed), rng)
        answered.add((fault, client.post(url, sent, headers={"HX-Request": "true"}).status_code))

    assert dict(answered) == FAULTS
    assert len(answered) == len(FAULTS)
    assert Annotation.objects.count() == 1
    assert not Answer.objects.exists()


@pytest.mark.parametrize("name", SHIPPED)
def test_same_submission_without_a_fault_is_taken(client: Client, name: str) -> None:
    desk = Desk(name)
    client.force_login(desk.annotator)
    clicked = clicks(desk.protocol, len(desk.order), seed=1)

    response = client.post(
        reverse("answer", args=[desk.campaign.slug, desk.open.pk]), clicked, headers={"HX-Request": "true"}
    )

    assert response.status_code == 200
    assert Annotation.objects.filter(assignment=desk.open).count() == 1
