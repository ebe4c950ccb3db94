"""Numbers that are known of units beside what is said of them: columns of their import, and tables from elsewhere."""

import math
from collections.abc import Mapping

import numpy as np

from campaigns.models import Campaign
from corpus.models import Unit
from measurements.unit_numbers import numbers_of
from stats.arrays import Floats

Numbers = dict[int, dict[str, float]]


def unit_numbers(campaign: Campaign) -> Numbers:
    """By unit of the campaign and name."""
    wanted = campaign.campaign_units.order_by().values("unit")
    rows = Unit.objects.filter(pk__in=wanted).order_by("pk").values_list("pk", "source", "numbers")
    return {pk: numbers_of(source, numbers) for pk, source, numbers in rows}


def gap_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """What both responses of a pair have, so that they can differ in it.

    >>> gap_names(("snr", "tokens_a", "tokens_b", "x_a"))
    ('tokens',)
    """
    return tuple(name[:-2] for name in names if name.endswith("_a") and f"{name[:-2]}_b" in names)


def unit_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """What a unit has as a whole.

    >>> unit_names(("snr", "tokens_a", "tokens_b"))
    ('snr',)
    """
    both = {f"{name}_{slot}" for name in gap_names(names) for slot in "ab"}
    return tuple(name for name in names if name not in both)


def number_of(found: Numbers, units: list[int], name: str) -> Floats:
    """Of each of the units, NaN where it is unknown; of what both responses have, what a has more of than b."""

    def one(numbers: Mapping[str, float]) -> float:
        if name in numbers:
            return numbers[name]
        return numbers.get(f"{name}_a", math.nan) - numbers.get(f"{name}_b", math.nan)

    return np.array([one(found.get(unit, {})) for unit in units], dtype=np.float64)
