"""What hangs on a subject is told by some app, column by column, so that no row and no file is left by oversight."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db.models import DO_NOTHING, SET_NULL, ForeignKey, Model

from campaigns.models import Campaign
from corpus.models import Clip, Dataset, Import
from infrastructure.background import kinds
from infrastructure.deletion import subjects
from infrastructure.deletion.subjects import in_order, parts_of
from infrastructure.models import Job
from judges.models import Judge
from tests.cases import each

#: Jobs that are not about a dataset, campaign or judge.
OF_THE_INSTALLATION = {"delete", "clear-demo", "back-up", "test-backup", "clear-storage", "measure-storage"}


def references() -> Iterator[Any]:
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.get_fields():
            if isinstance(field, ForeignKey) and field.remote_field.on_delete is not DO_NOTHING:
                yield field


def hanging_on(model: type[Model]) -> set[type[Model]]:
    """What refers to the model, directly or over others, whether it would go by itself or stand in the way."""
    found, new = set(), {model}
    while new:
        lineage = {it for one in new for it in (one, *one._meta.parents)} - {Clip}
        found |= new
        new = {
            f.model for f in references() if f.related_model in lineage and f.remote_field.on_delete is not SET_NULL
        }
        new -= found
    return found - {model, Job}


@each("model", [Dataset, Campaign, Judge, Import])
def test_all_that_hangs_on_it_is_told(model: type[Model]) -> None:
    told = {part.model for part in parts_of(model)}

    parents = {parent for it in told for parent in it._meta.parents}
    assert hanging_on(model) - told - parents == set()


@each("model", [Dataset, Campaign, Judge, Import])
def test_what_has_lost_it_goes_too(model: type[Model]) -> None:
    gone = {part.model for part in parts_of(model)} | {model}
    emptied = {
        (field.model, field.name)
        for field in references()
        if field.remote_field.on_delete is SET_NULL and field.related_model in gone and field.model not in gone
    }

    assert emptied == set()


@each("model", [Dataset, Campaign, Judge, Import])
def test_nothing_goes_before_what_refers_to_it(model: type[Model]) -> None:
    order = [part.model for part in in_order(model)]

    for field in references():
        if field.model in order and field.related_model in order and field.model is not field.related_model:
            last = len(order) - 1 - order[::-1].index(field.model)
            assert last < order.index(field.related_model), field


@pytest.mark.django_db
def test_every_kind_of_job_goes_with_what_it_is_about() -> None:
    kinds.kind_of("")
    told = {kind for its in subjects._jobs.values() for kind in its}

    assert set(kinds._kinds) - OF_THE_INSTALLATION == told
    assert Import in subjects._jobs
