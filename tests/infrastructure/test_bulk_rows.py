"""Rows that are inserted without objects are those that Django's own `bulk_create` would insert."""

import pytest
from django.db import IntegrityError, transaction

from corpus.models import Dataset, Item, Turn
from infrastructure.bulk_rows import insert_rows
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
FIELDS = ("item", "position", "text", "path", "clip")


@pytest.fixture
def item():
    dataset = Dataset.objects.create(name="Set", slug="set", created_by=UserFactory())
    return Item.objects.create(dataset=dataset, key="one")


def turns():
    return list(Turn.objects.order_by("position").values_list(*FIELDS))


def test_values_come_out_as_they_went_in(item, monkeypatch):
    monkeypatch.setattr("infrastructure.bulk_rows.BATCH", 2)
    rows = [(item.pk, n, f"100 % of “{n}”, 'quoted' %s", "", None) for n in range(1, 6)]

    insert_rows(Turn, FIELDS, iter(rows))

    assert turns() == rows


def test_row_that_is_there_is_refused_or_left_as_it_is(item):
    insert_rows(Turn, FIELDS, [(item.pk, 1, "first", "", None)])

    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(Turn, FIELDS, [(item.pk, 1, "second", "", None)])
    insert_rows(Turn, FIELDS, [(item.pk, 1, "second", "", None), (item.pk, 2, "third", "", None)], skip_existing=True)

    assert [row[1:3] for row in turns()] == [(1, "first"), (2, "third")]


def test_no_rows_are_no_query(django_assert_num_queries):
    with django_assert_num_queries(0):
        insert_rows(Item, ("dataset", "key", "category", "facts"), [])
