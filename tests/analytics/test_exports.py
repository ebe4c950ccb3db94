import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from analytics.exports import TIDY_COLUMNS
from analytics.labelled import label_counts
from annotation.records import record_answers
from campaigns.models import Campaign, Label, LabelSet, Role
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, make_assignment, make_campaign, make_member, make_unit

pytestmark = pytest.mark.django_db


def answered_campaign(units: int = 1, order: str = "ba", **changes: str) -> Campaign:
    """Every unit answered once; the first response heard wins content, the second voice quality."""
    campaign = make_campaign(units=units)
    annotator = make_member(campaign)
    for unit in campaign.campaign_units.all():
        assignment = make_assignment(campaign, annotator, order=order, campaign_unit=unit)
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS | changes, idempotency_key="k")
    return campaign


def exported(client: Client, campaign: Campaign, form: str) -> str:
    client.force_login(make_member(campaign, Role.ADMIN))
    return client.get(reverse(form, args=[campaign.slug])).content.decode()


def test_trace_export_calls_model_a_one_whatever_was_heard_first(client: Client) -> None:
    campaign = answered_campaign(order="ba")

    record = json.loads(exported(client, campaign, "campaign-trace"))

    assert record == {
        "index": 0,
        "instruction_path": "",
        "instruction_text": "Prompt of 0",
        "model_a": RARE_A,
        "model_b": RARE_B,
        "audio1_path": f"0/{RARE_A}.wav",
        "audio2_path": f"0/{RARE_B}.wav",
        "label": {"content": "2", "voice_quality": "1", "paralinguistics": "both_bad", "overall": "2"},
        "instruction_id": 0,
        "annotator": campaign.memberships.get(role=Role.ANNOTATOR).pseudonym,
    }


def test_tidy_export_has_one_row_per_answer_in_the_stored_frame(client: Client) -> None:
    campaign = answered_campaign(order="ba")

    rows = list(csv.DictReader(io.StringIO(exported(client, campaign, "campaign-tidy"))))

    assert [(row["aspect"], row["value"], row["order"]) for row in rows] == [
        ("content", "b", "ba"),
        ("voice_quality", "a", "ba"),
        ("paralinguistics", "both_bad", "ba"),
        ("overall", "b", "ba"),
    ]
    assert tuple(rows[0]) == TIDY_COLUMNS
    assert rows[0]["protocol"] == "hcot 1"
    assert float(rows[0]["seconds"]) >= 0


def test_tidy_export_leaves_no_formula_for_a_spreadsheet(client: Client) -> None:
    campaign = answered_campaign()
    campaign.dataset.systems.filter(name=RARE_A).update(name="=cmd()|'/c calc'!A1")

    rows = list(csv.DictReader(io.StringIO(exported(client, campaign, "campaign-tidy"))))

    assert rows[0]["system_a"] == "'=cmd()|'/c calc'!A1"


def test_exports_name_annotators_by_pseudonym_alone(client: Client) -> None:
    campaign = make_campaign()
    annotator = make_member(campaign, username="Rumpelstiltskin")
    assignment = make_assignment(campaign, annotator)
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    texts = [exported(client, campaign, form) for form in ("campaign-trace", "campaign-tidy")]

    assert [("Rumpelstiltskin" in text, f"A{annotator.pk}" in text) for text in texts] == [(False, True)] * 2


@pytest.mark.parametrize("form", ["campaign-trace", "campaign-tidy"])
def test_export_costs_the_same_queries_for_more_rows(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, form: str
) -> None:
    few, many = answered_campaign(units=1), answered_campaign(units=3)
    for campaign in (few, many):
        client.force_login(make_member(campaign, Role.ADMIN))
        with django_assert_num_queries(EXPORT_QUERIES):
            client.get(reverse(form, args=[campaign.slug]))


#: session, user, campaign, roles, pseudonyms, annotations, answers, marks, revisions, units, turns of items, of a and
#: of b, members with their systems
EXPORT_QUERIES = 14


def test_export_of_a_campaign_without_answers_is_empty(client: Client) -> None:
    campaign = make_campaign()

    assert exported(client, campaign, "campaign-trace") == ""
    assert exported(client, campaign, "campaign-tidy") == ",".join(TIDY_COLUMNS) + "\n"


def test_label_set_page_counts_labels_by_aspect(client: Client) -> None:
    campaign = make_campaign(units=0)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="Ours", created_by=campaign.created_by)
    for n, value in enumerate(["a", "b", "b", "both_bad"]):
        unit = make_unit(campaign.dataset, f"unit {n}")
        Label.objects.create(label_set=labels, unit=unit, aspect="overall", value=value)
    client.force_login(campaign.created_by)

    page = client.get(labels.get_absolute_url())

    assert page.context["values"] == ["a", "b", "both_bad"]
    assert page.context["rows"] == [("overall", [("a", 1), ("b", 2), ("both_bad", 1)], 4)]


def test_label_counts_keep_the_order_of_the_source() -> None:
    campaign = make_campaign(units=0)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="Ours", created_by=campaign.created_by)
    unit = make_unit(campaign.dataset, "one")
    for aspect in ("voice_quality", "content", "overall"):
        Label.objects.create(label_set=labels, unit=unit, aspect=aspect, value="a")

    assert list(label_counts(labels)) == ["voice_quality", "content", "overall"]
