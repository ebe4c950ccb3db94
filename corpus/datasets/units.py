"""Which units of a dataset a campaign puts before its raters."""

import hashlib
import json
import random
from collections.abc import Collection
from itertools import combinations
from string import ascii_lowercase

from django.db.models import Q, QuerySet

from corpus.models import Dataset, Response, Unit, UnitMember
from corpus.tidy.keys import unit_key

#: Systems by their ids; none means all of the dataset.
Systems = Collection[int]
PairOfSystems = tuple[str, str]


def slots_of(unit: Unit) -> dict[str, int]:
    """The unit's responses (their ids) by slot, from `a` on."""
    if unit.kind == Unit.Kind.ITEM:
        return dict(unit.members.values_list("slot", "response_id"))
    return {slot: pk for slot, pk in (("a", unit.a_id), ("b", unit.b_id)) if pk is not None}


def imported_pairs(dataset: Dataset, *, systems: Systems = ()) -> list[Unit]:
    """The pairs that came with the dataset, in its order."""
    pairs = dataset.units.filter(imported=True).order_by("pk")
    return list(pairs.filter(a__system__in=systems, b__system__in=systems) if systems else pairs)


def responses_of(dataset: Dataset, *, systems: Systems = ()) -> QuerySet[Response]:
    """What the systems said, every take of it, in the order of the dataset."""
    rows = Response.objects.filter(item__dataset=dataset).select_related("item", "system").order_by("pk")
    return rows.filter(system__in=systems) if systems else rows


def single_responses(dataset: Dataset, *, systems: Systems = ()) -> list[Unit]:
    """Every response as a unit of its own."""
    rows = responses_of(dataset, systems=systems)
    units = [
        Unit(
            dataset=dataset,
            item_id=row.item_id,
            kind=Unit.Kind.SINGLE,
            key=unit_key(row.item.key, row.system.name, row.key),
            a=row,
        )
        for row in rows
    ]
    Unit.objects.bulk_create(units, 500, ignore_conflicts=True)
    return list(dataset.units.filter(kind=Unit.Kind.SINGLE, a__in=rows))


def shared_items(dataset: Dataset, *, systems: Systems = ()) -> dict[int, list[Response]]:
    """The first takes (at most 26) of every item that two or more systems answered, by item."""
    return {item: rows[:26] for item, rows in _responses_by_item(dataset, systems).items() if len(rows) > 1}


def whole_items(dataset: Dataset, *, systems: Systems = ()) -> list[Unit]:
    """Every item that two or more systems answered, with all of their first takes."""
    by_item = shared_items(dataset, systems=systems)
    units = [
        Unit(dataset=dataset, item_id=item, kind=Unit.Kind.ITEM, key=_item_key(rows))
        for item, rows in by_item.items()
    ]
    Unit.objects.bulk_create(units, 500, ignore_conflicts=True)
    held = {unit.key: unit for unit in dataset.units.filter(kind=Unit.Kind.ITEM)}
    members = [
        UnitMember(unit=held[_item_key(rows)], slot=slot, response=row)
        for rows in by_item.values()
        for slot, row in zip(ascii_lowercase, rows, strict=False)
    ]
    UnitMember.objects.bulk_create(members, 500, ignore_conflicts=True)
    return [held[_item_key(rows)] for rows in by_item.values()]


def _item_key(rows: list[Response]) -> str:
    """Names the responses too, so that an item with another system's answer is another unit.

    The same responses have the same key in every installation, so that answers find their unit again.
    """
    names = json.dumps([[row.system.name, row.key] for row in rows])
    named = hashlib.sha256(names.encode()).hexdigest()[:12]
    return f"{rows[0].item.key} | all {named}"


def pairs_of_systems(
    dataset: Dataset, *, per_pair: int | None = None, systems: Systems = (), seed: int = 0
) -> list[Unit]:
    """Every two systems on every item both answered, or `per_pair` items for each two systems.

    The units are rows of the dataset: asking twice gives the same ones.
    """
    return as_units(dataset, paired_responses(dataset, per_pair=per_pair, systems=systems, seed=seed))


def paired_responses(
    dataset: Dataset, *, per_pair: int | None = None, systems: Systems = (), seed: int = 0
) -> list[tuple[Response, Response]]:
    """The responses that `pairs_of_systems` puts side by side. Writes nothing.

    The items of a subset are dealt in turn, so that no item is used much more often than another.
    """
    by_pair: dict[PairOfSystems, list[tuple[Response, Response]]] = {}
    for responses in _responses_by_item(dataset, systems).values():
        for a, b in combinations(responses, 2):
            if a.system_id != b.system_id:
                by_pair.setdefault((a.system.name, b.system.name), []).append((a, b))
    return _dealt(by_pair, per_pair, random.Random(seed))  # noqa: S311 - a shuffle, not a secret


def _responses_by_item(dataset: Dataset, systems: Systems) -> dict[int, list[Response]]:
    """The first take of each system, by item, systems in name order."""
    by_item: dict[int, dict[str, Response]] = {}
    for row in responses_of(dataset, systems=systems).order_by("item_id", "system__name", "pk"):
        by_item.setdefault(row.item_id, {}).setdefault(row.system.name, row)
    return {item: list(systems.values()) for item, systems in by_item.items()}


def _dealt(
    by_pair: dict[PairOfSystems, list[tuple[Response, Response]]], per_pair: int | None, rng: random.Random
) -> list[tuple[Response, Response]]:
    used: dict[int, int] = {}
    chosen = []
    for _, candidates in sorted(by_pair.items()):
        rng.shuffle(candidates)
        candidates.sort(key=lambda pair: used.get(pair[0].item_id, 0))
        for a, b in candidates[:per_pair]:
            used[a.item_id] = used.get(a.item_id, 0) + 1
            chosen.append((a, b))
    return chosen


def as_units(dataset: Dataset, pairs: list[tuple[Response, Response]]) -> list[Unit]:
    """These pairs as rows of the dataset. Where a pair is not of first takes, its key names the takes."""
    first = _first_takes(dataset)
    wanted = {_pair_key(a, b, first): (a, b) for a, b in pairs}
    rows = [Unit(dataset=dataset, item_id=a.item_id, key=key, a=a, b=b) for key, (a, b) in wanted.items()]
    Unit.objects.bulk_create(rows, 500, ignore_conflicts=True)
    return [unit for unit in dataset.units.all() if unit.key in wanted]


def pair_unit(a: Response, b: Response) -> Unit:
    """The two responses to one item as a row of the dataset, in whichever order it has them, or a new one.

    For one pair alone, without a look at the rest of the dataset; the row is the one that `as_units` would give.
    """
    either = Q(a=a, b=b) | Q(a=b, b=a)
    if unit := Unit.objects.filter(either, kind=Unit.Kind.PAIR).order_by("pk").first():
        return unit
    earlier = (Response.objects.filter(item=it.item_id, system=it.system_id, pk__lt=it.pk) for it in (a, b))
    later_takes = any(takes.exists() for takes in earlier)
    key = _pair_key(a, b, set() if later_takes else {a.pk, b.pk})
    columns = {"item_id": a.item_id, "a": a, "b": b}
    return Unit.objects.get_or_create(dataset_id=a.item.dataset_id, key=key, defaults=columns)[0]


def _first_takes(dataset: Dataset) -> set[int]:
    return {row.pk for rows in _responses_by_item(dataset, ()).values() for row in rows}


def _pair_key(a: Response, b: Response, first: set[int]) -> str:
    takes = () if a.pk in first and b.pk in first else (a.key, b.key)
    return unit_key(a.item.key, a.system.name, b.system.name, *takes)
