"""What a label set says of each system in numbers, counted by the database for a page that shows no more."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, QuerySet

from analytics.data.inclusion import USED, Use
from corpus.models import Label, LabelSet, Unit


@dataclass(frozen=True)
class SystemNumbers:
    """The numbers that responses of one system got for one aspect; `sd` is None for one number alone."""

    aspect: str
    system: str
    n: int
    mean: float
    sd: float | None
    low: float
    high: float


def numbers_by_system(label_set: LabelSet, use: Use = USED) -> list[SystemNumbers]:
    """By aspect in alphabet, the highest mean first. Aspects with anything that is no number are left out."""
    found: dict[str, dict[str, list[tuple[float, int]]]] = defaultdict(lambda: defaultdict(list))
    words = set[str]()
    for aspect, system, value, n in _values(label_set, use):
        try:
            found[aspect][system].append((float(value), n))
        except ValueError:
            words.add(aspect)
    rows = [
        _numbers(aspect, system, values)
        for aspect, systems in found.items()
        if aspect not in words
        for system, values in systems.items()
    ]
    return sorted(rows, key=lambda it: (it.aspect, -it.mean, it.system))


def _values(label_set: LabelSet, use: Use) -> Iterator[tuple[str, str, str, int]]:
    """Aspect, system, value, and how often: of single responses, of each side of pairs, of each slot of items."""
    labels = Label.objects.filter(annotation__label_set=label_set).order_by()
    if not use.excluded:
        labels = labels.filter(annotation__excluded="")
    unit = "annotation__unit__"
    yield from _counted(labels.filter(**{f"{unit}kind": Unit.Kind.SINGLE}), f"{unit}a__system__name")
    for slot in "ab":
        sides = labels.filter(**{f"{unit}kind": Unit.Kind.PAIR, "slot": slot})
        yield from _counted(sides, f"{unit}{slot}__system__name")
    slots = labels.filter(**{f"{unit}kind": Unit.Kind.ITEM, f"{unit}members__slot": F("slot")})
    yield from _counted(slots, f"{unit}members__response__system__name")


def _counted(labels: QuerySet[Label], system: str) -> Iterator[tuple[str, str, str, int]]:
    for aspect, name, value, n in labels.values_list("aspect", system, "value").annotate(n=Count("pk")):
        yield str(aspect), str(name), str(value), int(n)


def _numbers(aspect: str, system: str, values: list[tuple[float, int]]) -> SystemNumbers:
    numbers, times = np.array([it for it, _ in values]), np.array([n for _, n in values])
    n = int(times.sum())
    mean = float(numbers @ times / n)
    sd = float(np.sqrt((numbers - mean) ** 2 @ times / (n - 1))) if n > 1 else None
    return SystemNumbers(aspect, system, n, mean, sd, float(numbers.min()), float(numbers.max()))
