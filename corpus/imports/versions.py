"""Versions of a dataset: what each import added to it, by whom and when."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from django.db.models import Count, Manager, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from corpus.models import (
    Dataset,
    Import,
    ImportedAnnotation,
    Item,
    Response,
    ResponseTurn,
    System,
    Turn,
    Unit,
    Version,
)
from corpus.models.versions import PARTS

_ALL = Q()


class Source(Protocol):
    """Where what is imported comes from and goes to."""

    @property
    def dataset_name(self) -> str: ...
    @property
    def user(self) -> User: ...
    @property
    def upload(self) -> Import | None: ...
    @property
    def file(self) -> str: ...


@contextmanager
def new_version(source: Source) -> Iterator[None]:
    """Add a version for what is written inside to the dataset; none where that changes nothing."""
    before = _counted(source.dataset_name)
    yield
    if added := _gained(before, _counted(source.dataset_name)):
        dataset = Dataset.objects.get(name=source.dataset_name)
        _version(source, dataset, added).save()


@contextmanager
def counted_about(dataset: Dataset, items: Collection[str]) -> Iterator[dict[str, int]]:
    """A dictionary that has, afterwards, what was written inside about these items (their keys), by parts."""
    added: dict[str, int] = {}
    before = _counted(dataset.name, items)
    yield added
    added |= _gained(before, _counted(dataset.name, items))


def add_to_version(
    source: Source, dataset: Dataset, version: Version | None, added: dict[str, int]
) -> Version | None:
    """Add what was written now to the version of this import, in the transaction that wrote it.

    There is none before something was added; after a kill the import goes on with the one that it had.
    """
    if version is None and source.upload:
        version = dataset.versions.filter(upload=source.upload).first()
    if any(added.values()):
        version = version or _version(source, dataset, {})
        sums = {name: version.added.get(name, 0) + added.get(name, 0) for name in PARTS}
        version.added = {name: n for name, n in sums.items() if n}
        version.save()
    return version


def last_version(dataset: Dataset | None, *, before: Import | None = None) -> int:
    """The number of the last version; with `before`, of those not made by this import. 0 where there is none."""
    if dataset is None:
        return 0
    versions = dataset.versions.exclude(upload=before) if before else dataset.versions.all()
    return versions.aggregate(last=Max("number"))["last"] or 0


def _version(source: Source, dataset: Dataset, added: dict[str, int]) -> Version:
    return Version(
        dataset=dataset,
        number=dataset.versions.count() + 1,
        made_by=source.user,
        upload=source.upload,
        file=(source.upload.manifest_name if source.upload else source.file)[:255],
        added=added,
    )


def _gained(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: n - before[name] for name, n in after.items() if n > before[name]}


def _counted(name: str, items: Collection[str] | None = None) -> dict[str, int]:
    """How much of each part the dataset has, or these items, in one query; nothing of one that is not there yet."""

    def of(item: str = "") -> Q:
        return _ALL if items is None else Q(**{f"{item}key__in": list(items)})

    heard = Q(clip__isnull=False)
    counted = {
        "items": _n(Item.objects, "dataset", of()),
        "systems": _n(System.objects, "dataset"),
        "responses": _n(Response.objects, "item__dataset", of("item__")),
        "recordings": _n(Turn.objects, "item__dataset", heard & of("item__"))
        + _n(ResponseTurn.objects, "response__item__dataset", heard & of("response__item__")),
        "pairs": _n(Unit.objects, "dataset", Q(imported=True) & of("item__")),
        "labels": _n(ImportedAnnotation.objects, "label_set__dataset", of("unit__item__")),
    }
    there = Dataset.objects.filter(name=name).values_list(*counted.values()).first()
    return dict(zip(counted, there or [0] * len(counted), strict=True))


def _n(kind: Manager[Any], dataset: str, of: Q = _ALL) -> Coalesce:
    """The number of rows of the dataset in the outer query."""
    rows = kind.filter(of, **{dataset: OuterRef("pk")}).order_by()
    return Coalesce(Subquery(rows.values(dataset).annotate(n=Count("pk")).values("n")), 0)
