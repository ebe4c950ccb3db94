"""Units in which a response tells who speaks, by the latest scan of their dataset. Never shown to annotators."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from campaigns.models import Dataset, Unit, UnitMember
from measurements.identity_leaks.scans import latest_scan
from measurements.models import IdentityHit, ScannedResponse

Units = QuerySet[Unit] | Collection[int]


@dataclass(frozen=True)
class Telling:
    """Words of the response in this slot of a unit that tell who speaks."""

    slot: str
    matched: str
    of_transcript: bool


def telling_units(dataset: Dataset, units: Units) -> set[int]:
    """Those (their ids) of these units in which somebody tells."""
    scan = latest_scan(dataset)
    hits = ScannedResponse.objects.filter(scan=scan, is_hit=True).values("response")
    return set(_with_responses(hits).filter(pk__in=_ids(units)).values_list("pk", flat=True)) if scan else set()


def tellings_of(dataset: Dataset, units: Units) -> dict[int, tuple[Telling, ...]]:
    """What tells in each of these units, by slot; units in which nobody tells are left out."""
    if (scan := latest_scan(dataset)) is None:
        return {}
    placed = list(_placed(units))
    hits = IdentityHit.objects.filter(scanned__scan=scan, scanned__response__in={response for *_, response in placed})
    words: dict[int, dict[tuple[str, bool], None]] = {}
    columns = ("scanned__response", "matched", "of_transcript")
    for response, matched, of_transcript in hits.order_by("pk").values_list(*columns):
        words.setdefault(response, {})[matched, of_transcript] = None
    found: dict[int, tuple[Telling, ...]] = {}
    for unit, slot, response in placed:
        tells = tuple(Telling(slot, *said) for said in words.get(response, {}))
        if tells:
            found[unit] = found.get(unit, ()) + tells
    return found


def n_telling(dataset: Dataset) -> tuple[int, int]:
    """How many units of the dataset tell, and how many there are in which anybody's words were read."""
    scan = latest_scan(dataset)
    read = ScannedResponse.objects.filter(scan=scan) if scan else ScannedResponse.objects.none()
    telling = read.filter(is_hit=True)
    n, of = (_with_responses(rows.values("response")).filter(dataset=dataset).count() for rows in (telling, read))
    return n, of


def _with_responses(responses: QuerySet[ScannedResponse, Any]) -> QuerySet[Unit]:
    """Units in which one of these responses is heard."""
    members = UnitMember.objects.filter(response__in=responses).values("unit")
    return Unit.objects.filter(Q(a__in=responses) | Q(b__in=responses) | Q(pk__in=members))


def _placed(units: Units) -> Iterator[tuple[int, str, int]]:
    """Unit, slot, response; of each unit in the order of its slots."""
    for pk, a, b in Unit.objects.filter(pk__in=_ids(units)).values_list("pk", "a", "b"):
        yield from ((pk, slot, response) for slot, response in (("a", a), ("b", b)) if response is not None)
    members = UnitMember.objects.filter(unit__in=_ids(units)).order_by("slot")
    yield from members.values_list("unit", "slot", "response")


def _ids(units: Units) -> Any:
    return units.values("pk") if isinstance(units, QuerySet) else units
