"""Keeping the figures of a dataset: computed from its rows, written where they changed."""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from corpus.figures.distributions import Document, distributions
from corpus.figures.sounds import Heard, prompts_heard, responses_heard
from corpus.figures.warnings import Warned, warnings_of
from corpus.models import Dataset, DatasetFigures, Item, ItemFigures, ItemWarning, ResponseTurn, Turn
from infrastructure.bulk_rows import insert_rows
from infrastructure.locked_database import leave_to_others

BATCH = 2000
ALL = Q()
_KEPT = ("seconds", "lufs", "n_warnings", "words")
#: So many items are brought into line in one transaction, where others are to write in between.
AT_ONCE = 1_000
#: An item and a system (None: all), by their ids.
Place = tuple[int, int | None]
#: What `_KEPT` names, by place.
Kept = dict[Place, list[Any]]


@transaction.atomic
def keep_figures(dataset: Dataset) -> None:
    """Bring what is kept of the dataset into line with its rows. Running it again changes nothing."""
    found = _found(dataset)
    _keep_warnings(dataset, found.warned)
    _keep_items(dataset, found.wanted)
    DatasetFigures.objects.update_or_create(dataset=dataset, defaults={"document": found.document})


def keep_figures_in_steps(dataset: Dataset) -> None:
    """The same in transactions of some items each: others write in between, and what they add is not looked at."""
    found = _found(dataset)
    items = list(dict.fromkeys(item for item, _system in found.wanted))
    warned, wanted = defaultdict[int, set[Warned]](set), defaultdict[int, Kept](dict)
    for warning in found.warned:
        warned[warning.item].add(warning)
    for place, kept in found.wanted.items():
        wanted[place[0]][place] = kept
    for begin in range(0, len(items), AT_ONCE):
        some = items[begin : begin + AT_ONCE]
        leave_to_others(time.monotonic())
        with transaction.atomic():
            _keep_warnings(dataset, set().union(*(warned[item] for item in some)), Q(item__in=some))
            _keep_items(dataset, {place: kept for item in some for place, kept in wanted[item].items()}, some)
    DatasetFigures.objects.update_or_create(dataset=dataset, defaults={"document": found.document})


@transaction.atomic
def keep_figures_of_words(dataset: Dataset, items: Collection[int]) -> None:
    """The same for items (their ids) of which nothing sounds, without the others; `keep_systems` is for the rest."""
    prompts, responses = prompts_heard(dataset, items), responses_heard(dataset, items)
    warned = warnings_of(prompts, responses, {})
    _keep_warnings(dataset, warned, Q(item__in=items))
    _keep_items(dataset, _figures(dataset.items.filter(pk__in=items), prompts, responses, warned), items)


def keep_systems(dataset: Dataset) -> None:
    """Bring what is kept of the dataset as a whole into line, after the figures of words of some of its items."""
    prompts, said = (
        Turn.objects.filter(item__dataset=dataset),
        ResponseTurn.objects.filter(response__item__dataset=dataset),
    )
    if any(turns.filter(clip__isnull=False).exists() for turns in (prompts, said)):
        keep_figures_in_steps(dataset)
        return
    silent = [Heard(item=0, system=pk) for pk in dataset.systems.filter(responses__turns__isnull=False).distinct()
              .values_list("pk", flat=True)]  # fmt: skip
    document, _ = distributions(silent)
    DatasetFigures.objects.update_or_create(dataset=dataset, defaults={"document": document})


class _Found(NamedTuple):
    """What is to be kept of a dataset."""

    document: Document
    warned: set[Warned]
    wanted: Kept


def _found(dataset: Dataset) -> _Found:
    prompts, responses = prompts_heard(dataset), responses_heard(dataset)
    document, limited = distributions(responses)
    warned = warnings_of(prompts, responses, limited)
    return _Found(document, warned, _figures(dataset.items.all(), prompts, responses, warned))


def _keep_warnings(dataset: Dataset, warned: set[Warned], of: Q = ALL) -> None:
    rows = dataset.warnings.filter(of).values_list("pk", *Warned._fields)
    there = {Warned(*row): pk for pk, *row in rows}
    gone = [pk for row, pk in there.items() if row not in warned]
    for begin in range(0, len(gone), BATCH):
        ItemWarning.objects.filter(pk__in=gone[begin : begin + BATCH]).delete()
    new = sorted(warned - there.keys(), key=str)
    ItemWarning.objects.bulk_create(
        [
            ItemWarning(dataset=dataset, item_id=it.item, system_id=it.system, kind=it.kind, same_as=it.same_as)
            for it in new
        ],
        BATCH,
    )


def _keep_items(dataset: Dataset, wanted: Kept, items: Collection[int] | None = None) -> None:
    """Keep this of all items, or of those (by their ids)."""
    about = ALL if items is None else Q(item__in=items)
    rows = ItemFigures.objects.filter(about, dataset=dataset)
    there = {
        (item, system): (pk, kept) for pk, item, system, *kept in rows.values_list("pk", "item", "system", *_KEPT)
    }
    new = [place for place in wanted if place not in there]
    changed = [place for place in wanted if place in there and there[place][1] != wanted[place]]
    rows.filter(pk__in=[pk for place, (pk, _kept) in there.items() if place not in wanted]).delete()
    insert_rows(
        ItemFigures, ("dataset", "item", "system", *_KEPT), ((dataset.pk, *place, *wanted[place]) for place in new)
    )
    ItemFigures.objects.bulk_update(
        [_row(dataset, place, wanted[place], pk=there[place][0]) for place in changed], _KEPT, 200
    )


def _row(dataset: Dataset, place: Place, kept: list[Any], **key: int) -> ItemFigures:
    item, system = place
    return ItemFigures(dataset=dataset, item_id=item, system_id=system, **dict(zip(_KEPT, kept, strict=True)), **key)


def _figures(
    items: QuerySet[Item], prompts: Iterable[Heard], responses: Iterable[Heard], warned: set[Warned]
) -> Kept:
    """Of every item, and of every system that answered it: what `_KEPT` names."""
    words: dict[int, list[str]] = {
        pk: [key, category] for pk, key, category in items.values_list("pk", "key", "category")
    }
    seconds: dict[Place, list[float]] = defaultdict(list)
    lufs: dict[Place, list[float]] = defaultdict(list)
    places: dict[Place, None] = dict.fromkeys((item, None) for item in words)
    for heard in responses:
        for place in ((heard.item, heard.system), (heard.item, None)):
            places[place] = None
            seconds[place] += [] if heard.seconds is None else [heard.seconds]
            lufs[place] += [] if heard.lufs is None else [heard.lufs]
    for heard in (*prompts, *responses):
        words[heard.item] += heard.texts
    n_warnings: Counter[Place] = Counter((it.item, it.system) for it in warned if it.system is not None)
    n_warnings.update((it.item, None) for it in warned)
    return {
        place: [
            max(seconds[place], default=None),
            max(lufs[place], default=None),
            n_warnings[place],
            "\n".join(words[place[0]]).casefold() if place[1] is None else "",
        ]
        for place in places
    }
