"""Used answers, those left out, and those to checks: what counts, what goes out, and what comes in again."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from analytics.data.inclusion import MORE, USED, WITH_EXCLUDED, Use, n_left_out, read_use
from analytics.data.label_counts import campaign_label_counts, label_counts
from analytics.data.labels import campaign_labels, imported_labels
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import Assignment, Reason
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from campaigns.models import Campaign, CampaignUnit, Role
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db

ALL = Use(excluded=True, checks=True, adjudicated=True)


@pytest.fixture
def campaign() -> Campaign:
    """Two units: two people answer the first, one of them a gold unit and the same unit again as well.

    The answer of the second is left out by a person, that to the gold unit by a rule.
    """
    campaign = make_campaign(units=2, answers_per_unit=2)
    ann, bob = make_member(campaign), make_member(campaign)
    first, second = campaign.campaign_units.all()
    gold = CampaignUnit.objects.create(
        campaign=campaign, unit=second.unit, position=8, purpose="gold", expected={"overall": ["a", "both_good"]}
    )
    repeat = CampaignUnit.objects.create(campaign=campaign, unit=first.unit, position=9, purpose="repeat")
    answer(campaign, ann, first)
    left_out = answer(campaign, bob, first, seat=2)
    failed = answer(campaign, ann, gold)
    answer(campaign, ann, repeat)
    exclude_answers([left_out], reason=Reason.OTHER, decider=Decider(UserFactory(username="Rumpelstiltskin")))
    exclude_answers([failed], reason=Reason.GOLD, decider=Decider(rule="Gold below 0.7"))
    return campaign


def answer(campaign: Campaign, annotator: object, unit: CampaignUnit, *, seat: int = 1) -> Assignment:
    assignment = make_assignment(campaign, annotator, campaign_unit=unit, seat=seat)
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
    return assignment


def table(client: Client, campaign: Campaign, *more: str) -> str:
    client.force_login(make_member(campaign, Role.ADMIN))
    return client.get(reverse("campaign-tidy", args=[campaign.slug]), {"with": more}).getvalue().decode()


def rows_of(text: str) -> list[dict[str, str]]:
    return [row for row in csv.DictReader(io.StringIO(text, newline="")) if row["aspect"] == "overall"]


def said(text: str) -> list[tuple[str, str, str]]:
    return [(row["purpose"], row["excluded"], row["excluded_by"]) for row in rows_of(text)]


@pytest.mark.databases
@each(
    "more, expected",
    [
        ([], [("study", "", "")]),
        (["excluded"], [("study", "", ""), ("study", "other", "person")]),
        (["checks"], [("study", "", ""), ("repeat", "", "")]),
        (
            ["excluded", "checks", "nonsense"],
            [("study", "", ""), ("study", "other", "person"), ("gold", "gold", "rule"), ("repeat", "", "")],
        ),
    ],
    undo=True,
)
def test_table_has_the_used_answers_and_what_is_asked_for_beside_them(
    client: Client, campaign: Campaign, more: list[str], expected: list[tuple[str, str, str]]
) -> None:
    assert said(table(client, campaign, *more)) == expected


def test_whether_a_check_was_passed_can_be_computed_from_the_table(client: Client, campaign: Campaign) -> None:
    [gold] = [row for row in rows_of(table(client, campaign, *MORE)) if row["purpose"] == "gold"]

    assert json.loads(gold["expected"]) == {"overall": ["a", "both_good"]}
    assert gold["value"] == "a"


@pytest.mark.databases
def test_table_names_no_person_who_decided_and_nobody_elses_name(client: Client, campaign: Campaign) -> None:
    text = table(client, campaign, *MORE)

    names = set(campaign.memberships.values_list("user__username", flat=True)) | {"Rumpelstiltskin"}
    assert [name for name in names if name in text] == []


@pytest.mark.databases
def test_trace_shape_says_which_labels_are_left_out_and_never_has_checks(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.ADMIN))
    address = reverse("campaign-trace", args=[campaign.slug])

    used, more = (
        [json.loads(line) for line in client.get(address, {"with": words}).getvalue().decode().splitlines()]
        for words in ([], list(MORE))
    )

    assert [record.get("excluded") for record in used] == [None]
    assert [record.get("excluded") for record in more] == [None, "other"]


@pytest.mark.databases
def test_an_answer_that_is_taken_in_again_is_used_and_bears_no_mark(client: Client, campaign: Campaign) -> None:
    include_answers(Assignment.objects.filter(excluded=True), decider=Decider(UserFactory()))

    assert said(table(client, campaign, *MORE)) == [
        ("study", "", ""),
        ("study", "", ""),
        ("gold", "", ""),
        ("repeat", "", ""),
    ]
    assert n_left_out(campaign) == 0


# -- in again ----------------------------------------------------------------------------------------------------


Import = Callable[[str, Dataset], Dataset]


@pytest.fixture
def bring_in(tmp_path: Path) -> Import:
    def import_table(text: str, dataset: Dataset) -> Dataset:
        file = tmp_path / "answers.csv"
        file.write_bytes(text.encode())
        checked = check_upload(
            file, None, dataset_name=dataset.name, label_set_name="Again", progress=lambda *_: None
        )
        assert checked.errors == []
        return write_checked(
            checked, None, Destination(dataset.name, "Again", dataset.created_by), progress=lambda *_: None
        )

    return import_table


@each("more", [[], ["excluded"], ["checks"], list(MORE)], undo=True)
def test_table_comes_in_and_goes_out_as_it_was(
    client: Client, campaign: Campaign, bring_in: Import, more: list[str]
) -> None:
    text = table(client, campaign, *more)

    dataset = bring_in(text, campaign.dataset)

    client.force_login(campaign.created_by)
    address = reverse("label-set-all-raters", args=[dataset.label_sets.first().pk])
    assert client.get(address, {"with": more}).getvalue().decode() == text
    again = bring_in(text, campaign.dataset)
    assert client.get(address, {"with": more}).getvalue().decode() == text
    assert again.label_sets.count() == dataset.label_sets.count()


@pytest.mark.databases
def test_what_is_imported_is_what_was_stored_left_out_or_not(
    client: Client, campaign: Campaign, bring_in: Import
) -> None:
    dataset = bring_in(table(client, campaign, *MORE), campaign.dataset)

    sets = dataset.label_sets.all()
    for use in (USED, WITH_EXCLUDED, ALL):
        assert list(imported_labels(*sets, use=use)) == list(campaign_labels(campaign, use))


@pytest.mark.databases
def test_answers_to_checks_are_label_sets_of_their_own(client: Client, campaign: Campaign, bring_in: Import) -> None:
    dataset = bring_in(table(client, campaign, *MORE), campaign.dataset)

    assert sorted(row.purpose for row in dataset.label_sets.all()) == ["gold", "repeat", "study", "study"]
    assert [row.is_of_checks for row in dataset.label_sets.order_by("purpose")] == [True, True, False, False]


@pytest.mark.databases
def test_labels_left_out_are_counted_only_where_that_is_asked(
    client: Client, campaign: Campaign, bring_in: Import
) -> None:
    dataset = bring_in(table(client, campaign, "excluded"), campaign.dataset)
    _, bob = dataset.label_sets.order_by("pk")

    assert label_counts(bob) == {}
    assert label_counts(bob, WITH_EXCLUDED)["overall"] == {"a": 1}
    assert campaign_label_counts(campaign)["overall"] == {"a": 1}
    assert campaign_label_counts(campaign, WITH_EXCLUDED)["overall"] == {"a": 2}


@pytest.mark.databases
def test_counts_of_labels_are_kept_until_something_is_said_or_decided(
    campaign: Campaign, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    cache.clear()
    seen = [campaign_label_counts(campaign)["overall"]["a"]]
    with django_assert_num_queries(4):
        seen.append(campaign_label_counts(campaign)["overall"]["a"])
    late, (_first, second) = make_member(campaign), campaign.campaign_units.filter(purpose="study")
    row = answer(campaign, late, second, seat=2)
    seen.append(campaign_label_counts(campaign)["overall"]["a"])
    take_back(campaign, late)
    clicked = DIRECT_ANSWERS | {"overall": "2"}
    record_answers(row.pk, annotator=late, clicked=clicked, idempotency_key="changed")
    seen.append(campaign_label_counts(campaign)["overall"]["a"])
    include_answers([campaign.assignments.get(excluded=True, campaign_unit__purpose="study")], decider=Decider(late))
    seen.append(campaign_label_counts(campaign)["overall"]["a"])
    campaign.memberships.filter(user=late).update(answers_withdrawn_at=timezone.now())
    seen.append(campaign_label_counts(campaign)["overall"]["a"])
    cache.clear()

    assert seen == [1, 1, 2, 1, 2, 2]


@pytest.mark.databases
def test_release_with_a_mark_of_exclusion_brings_in_the_pair_and_not_its_labels(
    campaign: Campaign, tmp_path: Path
) -> None:
    pair = {"index": 7, "instruction_text": "Why?", "model_a": "alpha", "model_b": "beta", "source": "x"}
    rows = [
        pair | {"annotator": "ann", "label": {"overall": "1"}},
        pair | {"annotator": "bob", "label": {"overall": "2"}, "excluded": "gold"},
    ]
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    checked = check_upload(
        tmp_path / "pairs.json", None, dataset_name="Pairs", label_set_name="Release", progress=lambda *_: None
    )

    dataset = write_checked(
        checked, None, Destination("Pairs", "Release", campaign.created_by), progress=lambda *_: None
    )

    assert [row.rater for row in dataset.label_sets.all()] == ["ann"]
    source = dataset.units.get().source
    assert (source["source"], "excluded" in source) == ("x", False)


# -- pages -------------------------------------------------------------------------------------------------------


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_page_of_labels_switches_between_with_and_without(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.VIEWER))
    address = reverse("labels", args=[campaign.slug])

    without, with_them = (text_of(client.get(address, {"with": more}).content.decode()) for more in ("", "excluded"))

    assert "1 answer was left out of the analysis, and is not counted here." in without
    assert "overall 1 0 0 1" in without
    assert "With 1 answer that was left out of the analysis." in with_them
    assert "overall 2 0 0 2" in with_them


@pytest.mark.databases
def test_page_of_an_imported_label_set_switches_too(client: Client, campaign: Campaign, bring_in: Import) -> None:
    dataset = bring_in(table(client, campaign, "excluded"), campaign.dataset)
    bob = dataset.label_sets.order_by("pk").last()
    client.force_login(campaign.created_by)

    without, with_them = (
        text_of(client.get(bob.get_absolute_url(), {"with": more}).content.decode()) for more in ("", "excluded")
    )

    assert ("overall" in without, "overall" in with_them) == (False, True)
    assert "1 answer was left out" in without


def test_who_may_not_export_sees_counts_and_no_way_out(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.REVIEWER))

    page = client.get(reverse("labels", args=[campaign.slug])).content.decode()

    assert reverse("campaign-tidy", args=[campaign.slug]) not in page


def test_campaign_without_answers_says_what_comes_next(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert "No answer yet." in client.get(reverse("labels", args=[campaign.slug])).content.decode()


@pytest.mark.databases
def test_page_of_labels_costs_the_same_queries_for_more_answers(
    client: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    few = make_campaign(units=1)
    answer(few, make_member(few), few.campaign_units.get())
    for one in (few, campaign):
        client.force_login(make_member(one, Role.ADMIN))
        with django_assert_num_queries(
            15
        ):  # three of them for what the tabs count, four for whether the counts still hold
            client.get(reverse("labels", args=[one.slug]))


@pytest.mark.databases
def test_words_of_an_address_that_mean_nothing_are_passed_over() -> None:
    assert read_use(["excluded", "x", "excluded"]) == WITH_EXCLUDED
    assert Use(excluded=True, checks=True).words == ("excluded", "checks")
