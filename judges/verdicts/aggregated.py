"""A run's verdicts as one answer for every unit and question."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.cache import cache

from judges.models import Run, Verdict, VerdictAnswer
from judges.verdicts.aggregation import Reconciled, Tally, reconcile, tally

KEPT_S = 3600
#: Unit, aspect, slot.
Place = tuple[int, str, str]
Samples = Mapping[str, list[str | None]]


@dataclass(frozen=True)
class AspectTally:
    """How one question came out over all units."""

    aspect: str
    title: str
    tally: Tally


def samples_of(run: Run) -> dict[Place, dict[str, list[str | None]]]:
    """Every answer by place and order, as many as there are samples; None where a verdict is missing or to do.

    In a run in both orders, one in which a unit was never heard is missing too. A question that did not arise has no
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
    found: dict[Place, dict[str, list[str | None]]] = {}
    for pk, unit, order in verdicts:
        for aspect, slot in places[unit] | required:
            by_order = found.setdefault((unit, aspect, slot), {})
            by_order.setdefault(order, []).append(said[pk].get((aspect, slot)))
    if run.orders == Run.Orders.BOTH:
        for by_order in found.values():
            for order in list(by_order):
                by_order.setdefault(order[::-1], [None])  # a table that came in may have no line for it
    return found


def reconciled_answers(run: Run) -> dict[Place, Reconciled]:
    return {place: reconcile(samples) for place, samples in samples_of(run).items()}


def tallies(run: Run) -> list[AspectTally]:
    """How the orders and samples agree, by aspect in the protocol's order; texts are left out."""
    by_aspect: dict[str, list[Samples]] = defaultdict(list)
    for (_unit, aspect, _slot), samples in samples_of(run).items():
        by_aspect[aspect].append(samples)
    chosen = [aspect for aspect in run.campaign.protocol.aspects if not aspect.scale.is_text]
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
