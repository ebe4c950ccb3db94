"""What an imported label set's numbers are for each system, beside pandas' figures, and on the set's page."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from django.test import Client

from analytics.data.inclusion import WITH_EXCLUDED
from analytics.data.label_means import numbers_by_system
from corpus.models import ImportedAnnotation, LabelSet
from tests.cases import each
from tests.factories import RARE_A, RARE_B, DatasetFactory, make_label, make_unit

pytestmark = pytest.mark.django_db
SLOTS = {"single": [("", RARE_A)], "pair": [("a", RARE_A), ("b", RARE_B)], "item": [("a", RARE_A), ("b", RARE_B)]}


def rated(kind: str, *, units: int = 12) -> tuple[LabelSet, pd.DataFrame]:
    """Two aspects of decimals for each response of each unit, and the same as a table."""
    dataset, rng = DatasetFactory(), np.random.default_rng(3)
    labels = LabelSet.objects.create(dataset=dataset, name="MOS", created_by=dataset.created_by)
    rows = []
    for n in range(units):
        unit = make_unit(dataset, str(n), kind=kind, with_audio=False)
        for slot, system in SLOTS[kind]:
            for aspect in ("clarity", "overall"):
                value = float(rng.integers(100, 500)) / 100
                make_label(labels, unit, str(value), aspect=aspect, slot=slot)
                rows.append((aspect, system, value))
    return labels, pd.DataFrame(rows, columns=["aspect", "system", "value"])


@each("kind", list(SLOTS), undo=True)
def test_means_are_those_of_pandas_for_every_kind_of_unit(kind: str) -> None:
    labels, table = rated(kind)
    expected = table.groupby(["aspect", "system"])["value"].agg(["count", "mean", "std", "min", "max"])

    found = numbers_by_system(labels)

    assert len(found) == len(expected)
    for it in found:
        told = expected.loc[(it.aspect, it.system)]
        assert [it.n, it.mean, it.sd, it.low, it.high] == pytest.approx(told.tolist())
    assert [(it.aspect, -it.mean) for it in found] == sorted((it.aspect, -it.mean) for it in found)


@pytest.mark.databases
def test_words_and_winners_have_no_mean() -> None:
    labels, _ = rated("pair", units=2)
    unit = labels.annotations.first().unit
    make_label(labels, unit, "a", aspect="who")
    make_label(labels, unit, "4", aspect="mixed", slot="a")
    make_label(labels, unit, "quite good", aspect="mixed", slot="b")

    assert {it.aspect for it in numbers_by_system(labels)} == {"clarity", "overall"}


@pytest.mark.databases
def test_one_number_has_no_standard_deviation_and_what_was_left_out_stays_out() -> None:
    labels, _ = rated("single", units=2)
    first = ImportedAnnotation.objects.order_by("pk").first()
    ImportedAnnotation.objects.filter(pk=first.pk).update(excluded="speed")

    assert [(it.n, it.sd) for it in numbers_by_system(labels)] == [(1, None)] * 2
    assert [it.n for it in numbers_by_system(labels, WITH_EXCLUDED)] == [2, 2]


def test_page_shows_them_in_one_language_and_the_other(client: Client) -> None:
    labels, table = rated("single")
    client.force_login(labels.created_by)

    page = client.get(labels.get_absolute_url()).content.decode()

    said = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))
    mean = table[table.aspect == "overall"]["value"].mean()
    assert f"overall {RARE_A} {mean:.2f}" in said
