"""The table of a dataset's items: searched, filtered and sorted by what is kept of each item."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Exists, F, FilteredRelation, FloatField, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce

from corpus.models import Dataset, Item, ItemFigures, ItemWarning, Response, ResponseTurn, System, Turn

#: How the table may be sorted; each by what comes first.
SORTS = {
    "": [F("pk").asc()],
    "key": [F("key").asc()],
    "-key": [F("key").desc()],
    "seconds": [F("kept__seconds").asc(nulls_last=True), F("pk").asc()],
    "-seconds": [F("kept__seconds").desc(nulls_last=True), F("pk").asc()],
    "lufs": [F("kept__lufs").asc(nulls_last=True), F("pk").asc()],
    "-lufs": [F("kept__lufs").desc(nulls_last=True), F("pk").asc()],
    "warnings": [F("kept__n_warnings").asc(nulls_last=True), F("pk").asc()],
    "-warnings": [F("kept__n_warnings").desc(nulls_last=True), F("pk").asc()],
}
ANY = "any"
#: The column of what is kept, and beyond which number no value lies: items without one come last.
_KEPT = {"seconds": "kept__seconds", "lufs": "kept__lufs", "warnings": "kept__n_warnings"}
_BEYOND = 1e30


@dataclass(frozen=True)
class Wanted:
    """Which items, in which order. With a `system`, warnings, lengths and levels are those of its responses."""

    words: str = ""
    category: str = ""
    system: System | None = None
    warning: str = ""
    same_as: str = ""
    missing: bool = False
    sort: str = ""


def items_wanted(dataset: Dataset, wanted: Wanted) -> QuerySet[Item]:
    kept = FilteredRelation("figures", condition=Q(figures__system=wanted.system))
    rows = dataset.items.filter(_searched(dataset, wanted.words))
    if wanted.category:
        rows = rows.filter(category=wanted.category)
    if wanted.warning:
        rows = rows.filter(pk__in=_warned(dataset, wanted).values("item"))
    if wanted.missing:
        rows = rows.filter(_missing(dataset, wanted.system))
    elif wanted.system:
        rows = rows.filter(Exists(_answers(wanted.system)))
    return rows.annotate(kept=kept).order_by(*SORTS[wanted.sort])


def with_order(rows: QuerySet[Item], sort: str) -> tuple[QuerySet[Item], tuple[str, ...]]:
    """The same items with the names to sort them by, none of which is undefined: what lists with a cursor need."""
    name, sign = sort.removeprefix("-"), "-" if sort.startswith("-") else ""
    if name not in _KEPT:
        return rows, (f"{sign}{name}" if name else "pk",)
    last = Value(-_BEYOND if sign else _BEYOND)
    rank = Coalesce(Cast(_KEPT[name], FloatField()), last, output_field=FloatField())
    return rows.annotate(rank=rank), (f"{sign}rank", "pk")


def _searched(dataset: Dataset, words: str) -> Q:
    """Every word is somewhere in the item's key, category, prompts or responses, in capitals or not."""
    kept = ItemFigures.objects.filter(dataset=dataset, system=None)
    for word in words.split():
        kept = kept.filter(words__contains=word.casefold())
    return Q(pk__in=kept.values("item")) | Q(key__icontains=words) if words.strip() else Q()


def _warned(dataset: Dataset, wanted: Wanted) -> QuerySet[ItemWarning]:
    rows = dataset.warnings.all()
    if wanted.warning != ANY:
        rows = rows.filter(kind=wanted.warning)
    if wanted.same_as:
        rows = rows.filter(same_as=wanted.same_as)
    return rows.filter(system=wanted.system) if wanted.system else rows


def _missing(dataset: Dataset, system: System | None) -> Q:
    """Items without a response of the system, or of any of the dataset's systems."""
    systems = [system] if system else list(dataset.systems.all())
    return reduce(or_, (Q(~Exists(_answers(it))) for it in systems), Q(pk=None))


def _answers(system: System) -> QuerySet[Response]:
    return Response.objects.filter(item=OuterRef("pk"), system=system)


@dataclass
class Said:
    """A response in a row of the table."""

    response: Response
    turns: list[ResponseTurn] = field(default_factory=list)


@dataclass
class ItemRow:
    """An item with all that its row of the table shows."""

    item: Item
    prompts: list[Turn] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    warnings: list[ItemWarning] = field(default_factory=list)
    missing: list[System] = field(default_factory=list)


def rows_of(items: Iterable[Item], systems: Iterable[System]) -> list[ItemRow]:
    """The rows of these items with the responses of these systems, in four queries however many they are."""
    rows = {item.pk: ItemRow(item) for item in items}
    systems = list(systems)
    answers: dict[int, Said] = {}
    turns = Turn.objects.filter(item__in=rows).select_related("clip").order_by("item", "position")
    for turn in turns:
        rows[turn.item_id].prompts.append(turn)
    responses = Response.objects.filter(item__in=rows, system__in=systems).select_related("system")
    for response in responses.order_by("system__name", "pk"):
        answers[response.pk] = Said(response)
        rows[response.item_id].said.append(answers[response.pk])
    said = ResponseTurn.objects.filter(response__in=answers).select_related("clip").order_by("position")
    for one in said:
        answers[one.response_id].turns.append(one)
    of_these = Q(system=None) | Q(system__in=systems)
    for warning in ItemWarning.objects.filter(of_these, item__in=rows).select_related("system").order_by("pk"):
        rows[warning.item_id].warnings.append(warning)
    for row in rows.values():
        there = {one.response.system_id for one in row.said}
        row.missing = [system for system in systems if system.pk not in there]
    return list(rows.values())


def warning_counts(dataset: Dataset) -> dict[str, dict[int | None, int]]:
    """How many items have each kind of warning, by system (None: the prompts)."""
    found: dict[str, dict[int | None, int]] = defaultdict(dict)
    counted: Any = dataset.warnings.values("kind", "system").annotate(n=Count("item", distinct=True))
    for row in counted.order_by("kind"):
        found[row["kind"]][row["system"]] = row["n"]
    return dict(found)
