import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from analytics.data.label_counts import label_counts
from analytics.exports.labels import TIDY_COLUMNS
from annotation.answers.submit import record_answers
from campaigns.models import Campaign, Role
from corpus.imports.writing import write_labels
from corpus.models import LabelSet
from corpus.tidy.rows import TidyAnswer
from tests.factories import (
    DIRECT_ANSWERS,
    RARE_A,
    RARE_B,
    make_assignment,
    make_campaign,
    make_label,
    make_member,
    make_unit,
)

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
    return client.get(reverse(form, args=[campaign.slug])).getvalue().decode()


@pytest.mark.databases
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


@pytest.mark.databases
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


@pytest.mark.databases
@pytest.mark.parametrize("form", ["campaign-trace", "campaign-tidy"])
def test_export_costs_the_same_queries_for_more_rows(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, form: str
) -> None:
    few, many = answered_campaign(units=1), answered_campaign(units=3)
    for campaign in (few, many):
        client.force_login(make_member(campaign, Role.ADMIN))
        with django_assert_num_queries(EXPORT_QUERIES):
            client.get(reverse(form, args=[campaign.slug])).getvalue()


#: session, user, campaign, roles, names hidden or not, pseudonyms, which annotations, annotations, answers, marks,
#: revisions, units, turns of items, of a and of b, members with their systems; once a day the entry of the audit log,
#: between a savepoint and its release, after a look for it
EXPORT_QUERIES = 19


def test_export_of_a_campaign_without_answers_is_empty(client: Client) -> None:
    campaign = make_campaign()

    assert exported(client, campaign, "campaign-trace") == ""
    assert exported(client, campaign, "campaign-tidy") == ",".join(TIDY_COLUMNS) + "\n"


def test_label_set_page_counts_labels_by_aspect(client: Client) -> None:
    campaign = make_campaign(units=0)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="Ours", created_by=campaign.created_by)
    for n, value in enumerate(["a", "b", "b", "both_bad"]):
        unit = make_unit(campaign.dataset, f"unit {n}")
        make_label(labels, unit, value)
    client.force_login(campaign.created_by)

    page = client.get(labels.get_absolute_url())

    assert page.context["values"] == ["a", "b", "both_bad"]
    assert page.context["rows"] == [("overall", [("a", 1), ("b", 2), ("both_bad", 1)], 4)]


@pytest.mark.databases
def test_label_counts_keep_the_order_of_the_source() -> None:
    campaign = make_campaign(units=0)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="Ours", created_by=campaign.created_by)
    unit = make_unit(campaign.dataset, "one")
    for aspect in ("voice_quality", "content", "overall"):
        make_label(labels, unit, "a", aspect=aspect)

    assert list(label_counts(labels)) == ["voice_quality", "content", "overall"]


def labelled_with(kind: str, answers: list[tuple[str, str, str]]) -> LabelSet:
    """A label set over one unit of this kind, with these answers: aspect, slot, value."""
    campaign = make_campaign(units=0)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="Ours", created_by=campaign.created_by)
    unit = make_unit(campaign.dataset, "one", kind=kind)
    write_labels([(labels, unit.pk, TidyAnswer(*answer)) for answer in answers])
    return labels


def test_label_set_page_counts_ratings_and_slots_and_leaves_written_answers_out(client: Client) -> None:
    ratings = [("prosody", "a", "10"), ("prosody", "b", "9"), ("best_system", "", "b")]
    labels = labelled_with("item", [*ratings, ("reason", "", "It is flat."), ("reason", "a", "b")])
    client.force_login(labels.created_by)

    page = client.get(labels.get_absolute_url())

    assert page.context["values"] == ["b", "9", "10"]
    assert page.context["rows"] == [
        ("prosody", [("b", 0), ("9", 1), ("10", 1)], 2),
        ("best_system", [("b", 1), ("9", 0), ("10", 0)], 1),
        ("reason", [("b", 1), ("9", 0), ("10", 0)], 2),
    ]
    assert '<th scope="col">b</th>' in page.content.decode()


def test_label_set_page_names_slots_by_letter_where_labels_are_numbers(client: Client) -> None:
    labels = labelled_with("pair", [("comparison", "", "-2"), ("clearer", "", "b")])
    client.force_login(labels.created_by)

    page = client.get(labels.get_absolute_url()).content.decode()

    assert [name in page for name in ('<th scope="col">b</th>', '<th scope="col">-2</th>', "2 for system b")] == [
        True, True, False,
    ]  # fmt: skip


@pytest.mark.databases
@pytest.mark.parametrize(("kind", "status"), [("pair", 200), ("single", 404), ("item", 404)])
def test_only_label_sets_of_pairs_have_the_trace_shape(client: Client, kind: str, status: int) -> None:
    labels = labelled_with(kind, [("overall", "", "b")])
    client.force_login(labels.created_by)
    trace = reverse("label-set-trace", args=[labels.pk])

    page = client.get(labels.get_absolute_url()).content.decode()

    assert client.get(trace).status_code == status
    assert (trace in page) == (status == 200)


def test_table_of_all_raters_is_offered_where_there_are_several(client: Client) -> None:
    labels = labelled_with("pair", [("overall", "", "b")])
    client.force_login(labels.created_by)
    address = reverse("label-set-all-raters", args=[labels.pk])
    pages = [labels.get_absolute_url(), labels.dataset.get_absolute_url()]
    alone = [address in client.get(page).content.decode() for page in pages]

    LabelSet.objects.create(dataset=labels.dataset, name="Ours", rater="z", created_by=labels.created_by)

    assert alone == [False, False]
    assert [address in client.get(page).content.decode() for page in pages] == [True, True]


@pytest.mark.databases
@pytest.mark.parametrize("raters", [1, 3])
def test_table_of_all_raters_costs_the_same_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, raters: int
) -> None:
    labels = labelled_with("pair", [("overall", "", "b")])
    for n in range(raters):
        other = LabelSet.objects.create(
            dataset=labels.dataset, name="Ours", rater=f"{n}", created_by=labels.created_by
        )
        make_label(other, make_unit(labels.dataset, f"{n}"), "a")
    client.force_login(labels.created_by)

    with django_assert_num_queries(ALL_RATERS_QUERIES):
        client.get(reverse("label-set-all-raters", args=[labels.pk])).getvalue()


#: session, user, label set, those of its name, which annotations and labels, annotations, labels, units, turns of
#: items, of a and of b, members; and for the audit log whether this download has an entry of the day, and the entry
ALL_RATERS_QUERIES = 16
