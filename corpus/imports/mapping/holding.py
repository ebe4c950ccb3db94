"""What a dataset holds that rows of answers can be about: all of it, or as far as some rows name it."""

from pathlib import PurePosixPath

from django.db.models import Q

from corpus.imports.mapping.known import Answered, Known, Named
from corpus.models import Dataset, Response, ResponseTurn, Unit

ALL = Q()


def known_in(dataset: Dataset | None) -> Known | None:
    """All of the dataset, in three queries; None where there is no dataset yet."""
    return _known(dataset, ALL, ALL) if dataset else None


def known_about(dataset: Dataset, named: Named) -> Known:
    """As much of the dataset as these names can be about, in a fixed number of queries."""
    sides = Unit.objects.filter(dataset=dataset, key__in=named.pairs).values_list("a", "b") if named.pairs else ()
    of_pairs = {response for pair in sides for response in pair if response}
    items = set(named.items)
    ids = of_pairs | (_with_file(dataset, named.paths) if named.paths else set())
    if ids:  # a unit is found by its responses, so that all responses of its item are needed
        items |= set(Response.objects.filter(pk__in=ids).values_list("item__key", flat=True))
    about = Q(item__key__in=items)
    return _known(dataset, about, about)


def known_with(dataset: Dataset, units: Q) -> Known:
    """All responses of the dataset, and of its units those for which `units` holds."""
    return _known(dataset, ALL, units)


def _known(dataset: Dataset, responses: Q, units: Q) -> Known:
    known, by_id = Known(), dict[int, Answered]()
    known.systems.update(dataset.systems.values_list("name", flat=True))
    names = ("pk", "item__key", "system__name", "key", "turns__path")
    rows = Response.objects.filter(responses, item__dataset=dataset).order_by("pk")
    for pk, item, system, take, path in rows.values_list(*names):
        by_id[pk] = (item, system, take)
        known.add_response(by_id[pk], path or "")
    found = Unit.objects.filter(units, dataset=dataset).exclude(kind=Unit.Kind.ITEM).order_by("pk")
    for key, a, b in found.values_list("key", "a", "b"):
        known.add_unit(key, [by_id[it] for it in (a, b) if it in by_id])
    return known


def _with_file(dataset: Dataset, paths: set[str]) -> set[int]:
    """The responses whose sound has one of these paths or, for a path that none has, its file name."""
    turns = ResponseTurn.objects.filter(response__item__dataset=dataset).exclude(path="")
    exact = list(turns.filter(path__in=paths).values_list("response", "path"))
    found = {response for response, _path in exact}
    names = {PurePosixPath(path).name for path in paths - {path for _response, path in exact}}
    if not names:
        return found
    rows = turns.values_list("response", "path").iterator(chunk_size=5_000)
    return {response for response, path in rows if path.rsplit("/", 1)[-1] in names} | found
