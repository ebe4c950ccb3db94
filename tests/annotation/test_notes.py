"""Confidence, flags and marked defects go along with the answers, in the stored frame, or are refused by name."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from analytics.data.labels import campaign_labels
from analytics.exports.labels import tidy_lines
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import give_back
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign
from protocols import InvalidAnswers, to_document
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
MARK = {"clip": "1-1", "start": 0.25, "end": 0.5, "kind": "glitch"}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=1)
    campaign.protocol_document = to_document(replace(campaign.protocol, ask_confidence=True))
    campaign.save()
    return Campaign.objects.get(pk=campaign.pk)


@pytest.fixture
def assignment(campaign: Campaign) -> Assignment:
    return make_assignment(campaign, make_member(campaign), order="ba")


def answer(assignment: Assignment, **notes: str) -> Annotation:
    said = DIRECT_ANSWERS | {f"note.{name}": value for name, value in notes.items()}
    return record_answers(assignment.pk, annotator=assignment.annotator, clicked=said, idempotency_key="k")


@pytest.mark.databases
def test_notes_are_stored_in_the_frame_of_the_unit(assignment: Assignment) -> None:
    prompt = MARK | {"clip": "0-1", "kind": "noise"}

    annotation = answer(assignment, confidence="2", flag=" odd ", marks=json.dumps([MARK, prompt]))

    assert (annotation.confidence, annotation.flag) == (2, "odd")
    marks = annotation.marks.values_list("slot", "turn", "start_s", "end_s", "kind")
    assert list(marks) == [("b", 1, 0.25, 0.5, "glitch"), ("", 1, 0.25, 0.5, "noise")]


@pytest.mark.databases
def test_nothing_noted_stays_nothing(assignment: Assignment) -> None:
    annotation = answer(assignment, confidence="", flag="", marks="")

    assert (annotation.confidence, annotation.flag, annotation.marks.count()) == (None, "", 0)


@each(
    "name, value",
    [
        ("confidence", "4"),
        ("confidence", "sure"),
        ("flag", "x" * 2001),
        ("flag", "a\x00b"),
        ("marks", "no json"),
        ("marks", "{}"),
        ("marks", "[1]"),
        ("marks", "[" * 100_000),
        ("marks", json.dumps([MARK] * 51)),
        ("marks", json.dumps([MARK | {"clip": "3-1"}])),
        ("marks", json.dumps([MARK | {"end": 9.0}])),
        ("marks", json.dumps([MARK | {"start": 0.6}])),
        ("marks", json.dumps([MARK | {"start": -0.1}])),
        ("marks", '[{"clip": "1-1", "start": NaN, "end": 0.5, "kind": "glitch"}]'),
        ("marks", json.dumps([MARK | {"kind": "boring"}])),
        ("marks", json.dumps([{"clip": "1-1"}])),
        ("colour", "red"),
    ],
    undo=True,
)
def test_faulty_note_is_refused_by_name_and_nothing_is_stored(assignment: Assignment, name: str, value: str) -> None:
    with pytest.raises(InvalidAnswers) as invalid:
        answer(assignment, **{name: value})

    assert list(invalid.value.errors) == [f"note.{name}"]
    assert not Annotation.objects.exists()


def test_faults_of_notes_and_answers_are_told_together(assignment: Assignment) -> None:
    with pytest.raises(InvalidAnswers) as invalid:
        record_answers(
            assignment.pk,
            annotator=assignment.annotator,
            clicked=DIRECT_ANSWERS | {"overall": "3", "note.confidence": "9"},
            idempotency_key="k",
        )

    assert set(invalid.value.errors) == {"overall", "note.confidence"}


def test_confidence_is_refused_where_it_is_not_asked() -> None:
    campaign = make_campaign(units=1)

    with pytest.raises(InvalidAnswers):
        answer(make_assignment(campaign, make_member(campaign)), confidence="1")


def test_confidence_stands_in_the_form_where_the_protocol_asks(client: Client, assignment: Assignment) -> None:
    client.force_login(assignment.annotator)

    page = client.get(reverse("label", args=[assignment.campaign.slug])).content.decode()

    assert page.count('name="note.confidence"') == 3
    assert 'data-question="note.confidence" data-optional' in page


def test_notes_and_listening_are_exported(campaign: Campaign, assignment: Assignment) -> None:
    answer(assignment, confidence="3", flag="Hear this", marks=json.dumps([MARK]))

    rows = list(
        csv.DictReader(
            io.StringIO("".join(tidy_lines(campaign_labels(campaign), campaign="c", protocol="p", digest="d")))
        )
    )

    assert {row["confidence"] for row in rows} == {"3"}
    assert {row["flag"] for row in rows} == {"Hear this"}
    assert json.loads(rows[0]["marks"]) == [{"slot": "b", "turn": 1, "start": 0.25, "end": 0.5, "kind": "glitch"}]
    assert json.loads(rows[0]["coverage"]) == {"prompt-1": 0.0, "a-1": 0.0, "b-1": 0.0}
    assert json.loads(rows[0]["plays"]) == {"prompt-1": 0, "a-1": 0, "b-1": 0}
    assert (rows[0]["played_s"], rows[0]["switches"], rows[0]["hidden_s"]) == ("0.0", "0", "0.0")
    assert (rows[0]["revision"], rows[0]["kind"]) == ("1", "pair")


def test_comment_goes_along_when_a_unit_is_given_back(assignment: Assignment) -> None:
    give_back(assignment.pk, annotator=assignment.annotator, reason="other", comment="It is my own voice")

    assignment.refresh_from_db()
    assert (assignment.return_reason, assignment.return_comment) == ("other", "It is my own voice")


def test_endless_comment_is_refused(client: Client, assignment: Assignment) -> None:
    client.force_login(assignment.annotator)
    url = reverse("give-back", args=[assignment.campaign.slug, assignment.pk])

    response = client.post(url, {"reason": "other", "comment": "x" * 2001})

    assert response.status_code == 422
    assert Assignment.objects.get().status == "reserved"
