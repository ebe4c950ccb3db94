"""A run's verdicts as one answer for every unit and question."""

from collections import defaultdict
from dataclasses import dataclass

from django.core.cache import cache

from judges.models import Run, Verdict, VerdictAnswer
from judges.verdicts.aggregation import Reconciled, Samples, Tally, by_order, reconcile, tally

KEPT_S = 3600
#: Unit, aspect, slot.
Place = tuple[int, str, str]


@dataclass(frozen=True)
class AspectTally:
    """How one question came out over all units."""

    aspect: str
    title: str
    tally: Tally


def samples_of(run: Run) -> dict[Place, tuple[Samples, ...]]:
    """The answers of each place by order; None where a verdict is missing or to do.

    In a run in both orders, one in which a unit was never heard has no answer. A question that did not arise has no
    answer, and is there only where it did in some verdict of the unit.
    """
    verdicts = list(Verdict.objects.filter(run=run).order_by("pk").values_list("pk", "unit_id", "order"))
    said: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    places: dict[int, set[tuple[str, str]]] = defaultdict(set)
    of_unit = {pk: unit for pk, unit, _order in verdicts}
    rows = VerdictAnswer.objects.filter(verdict__run=run)
    for pk, aspect, slot, value in rows.values_list("verdict_id", "aspect", "slot", "value"):
        said[pk][aspect, slot] = value
        places[of_unit[pk]].add((aspect, slot))
    asked = {(aspect.name, "") for aspect in run.campaign.protocol.aspects if not aspect.per_response}
    required = {(a.name, "") for a in run.campaign.protocol.aspects if a.required and not a.only_if} & asked
    found: dict[Place, list[tuple[str, str | None]]] = defaultdict(list)
    for pk, unit, order in verdicts:
        for aspect, slot in places[unit] | required:
            found[unit, aspect, slot].append((order, said[pk].get((aspect, slot))))
    both = run.orders == Run.Orders.BOTH
    return {place: _by_order(values, both=both) for place, values in found.items()}


def _by_order(said: list[tuple[str, str | None]], *, both: bool) -> tuple[Samples, ...]:
    """A single response has one order: it is not counted as read in both."""
    return tuple(map(tuple, by_order(said, both=both and len(said[0][0]) > 1)))


def reconciled_answers(run: Run) -> dict[Place, Reconciled]:
    return {place: reconcile(orders) for place, orders in samples_of(run).items()}


def tallies(run: Run) -> list[AspectTally]:
    """How the orders and samples agree, by aspect in the protocol's order; texts are left out."""
    by_aspect: dict[str, list[tuple[Samples, ...]]] = defaultdict(list)
    for (_unit, aspect, _slot), orders in samples_of(run).items():
        by_aspect[aspect].append(orders)
    chosen = run.campaign.protocol.counted_aspects
    return [AspectTally(it.name, it.title, tally(by_aspect[it.name])) for it in chosen if it.name in by_aspect]


def kept_tallies(run: Run) -> list[AspectTally]:
    """The tallies of a run that has ended, taken once: its verdicts stay as they are until it goes on."""
    if run.finished_at is None:
        return tallies(run)
    key = f"tallies-{run.pk}-{run.finished_at.timestamp()}"
    if (kept := cache.get(key)) is None:
        kept = tallies(run)
        cache.set(key, kept, KEPT_S)
    return list(kept)
