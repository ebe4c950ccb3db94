"""Prepared queries find what the ordinary ones find, for whoever asks, and are built once."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import CharField, Count, DateTimeField, QuerySet, UUIDField
from django.utils import timezone

from annotation.models import Assignment
from campaigns.models import Campaign
from infrastructure.compiled_queries import Given, Prepared
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
Build = Callable[[], "QuerySet[Any, Any]"]


@pytest.fixture
def assignments() -> list[Assignment]:
    """Of three people in each of two campaigns."""
    made = [make_campaign(units=3), make_campaign(units=3)]
    return [
        make_assignment(campaign, make_member(campaign), seat=seat, order=order)
        for campaign in made
        for seat, order in enumerate(("ab", "ba", "ab"), start=1)
    ]


def of_person() -> "QuerySet[Any, Any]":
    mine = Assignment.objects.filter(campaign=Given("campaign"), annotator=Given("annotator"))
    return mine.order_by("seat").values_list("campaign", "seat", "order")


@pytest.mark.databases
def test_rows_are_those_of_the_ordinary_query(assignments: list[Assignment]) -> None:
    prepared = Prepared(of_person)

    for it in assignments:
        asked = {"campaign": it.campaign_id, "annotator": it.annotator_id}
        ordinary = Assignment.objects.filter(**asked).order_by("seat").values_list("campaign", "seat", "order")
        assert prepared.rows(**asked) == list(ordinary) == [(it.campaign_id, it.seat, it.order)]
    assert prepared.rows(campaign=assignments[0].campaign_id, annotator=assignments[-1].annotator_id) == []


def test_query_is_built_once(assignments: list[Assignment]) -> None:
    built = []

    def build() -> "QuerySet[Any, Any]":
        built.append(1)
        return of_person()

    prepared = Prepared(build)
    for it in assignments:
        prepared.rows(campaign=it.campaign_id, annotator=it.annotator_id)

    assert len(built) == 1


@pytest.mark.databases
def test_values_are_written_as_their_fields_write_them(assignments: list[Assignment]) -> None:
    """A UUID and a time are texts for SQLite, and PostgreSQL's own for PostgreSQL."""
    wanted = assignments[2]
    of_one = Prepared(lambda: Assignment.objects.filter(pk=Given("pk", UUIDField())).values_list("seat"))
    since = Prepared(
        lambda: (
            Assignment.objects.filter(reserved_at__gt=Given("since", DateTimeField()))
            .order_by()
            .values_list("campaign")
            .annotate(n=Count("pk"))
        )
    )
    in_order = Prepared(lambda: Assignment.objects.filter(order=Given("order", CharField())).values_list("order"))

    assert of_one.rows(pk=wanted.pk) == [(wanted.seat,)]
    assert of_one.rows(pk=uuid.uuid4()) == []
    assert dict(since.rows(since=timezone.now() - timedelta(hours=1))) == {
        campaign.pk: 3 for campaign in Campaign.objects.all()
    }
    assert since.rows(since=timezone.now() + timedelta(hours=1)) == []
    assert set(in_order.rows(order=wanted.order)) == {(wanted.order,)}
    assert in_order.rows(order="' OR 1=1 --") == []


@pytest.mark.databases
def test_value_that_a_count_is_held_against_is_nothing_to_group_by(assignments: list[Assignment]) -> None:
    fuller = Prepared(
        lambda: (
            Assignment.objects.order_by()
            .values("campaign")
            .annotate(n=Count("pk"))
            .filter(n__gte=Given("n"))
            .values_list("campaign", "n")
        )
    )

    assert dict(fuller.rows(n=3)) == {campaign.pk: 3 for campaign in Campaign.objects.all()}
    assert fuller.rows(n=4) == []
    assert fuller.number(n=3) in {campaign.pk for campaign in Campaign.objects.all()}
    assert fuller.number(n=4) == 0


def test_missing_value_is_an_error_and_asks_nothing(assignments: list[Assignment]) -> None:
    with pytest.raises(KeyError, match="annotator"):
        Prepared(of_person).rows(campaign=assignments[0].campaign_id)


@pytest.mark.django_db(transaction=True)
def test_threads_share_one_and_get_each_their_own_rows(assignments: list[Assignment]) -> None:
    prepared = Prepared(of_person)

    def ask(it: Assignment) -> list[Any]:
        try:
            return prepared.rows(campaign=it.campaign_id, annotator=it.annotator_id)
        finally:
            connection.close()

    many = assignments * 20
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, many))

    assert found == [[(it.campaign_id, it.seat, it.order)] for it in many]
