"""Units with an identity leak, by the latest scan of their dataset. Never shown to annotators."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from corpus.models import Dataset, Unit, UnitMember
from measurements.identity_leaks.scans import latest_scan
from measurements.models import IdentityHit, IdentityScan, ScannedResponse

Units = QuerySet[Unit] | Collection[int]


@dataclass(frozen=True)
class IdentityLeak:
    """Words of the response in this slot of a unit that name its system."""

    slot: str
    matched: str
    of_transcript: bool


def units_with_leaks(scan: IdentityScan | None, units: Units) -> set[int]:
    """Those (their ids) of these units with an identity leak by this scan; none without a scan."""
    hits = ScannedResponse.objects.filter(scan=scan, is_hit=True).values("response")
    return set(_with_responses(hits).filter(pk__in=_ids(units)).values_list("pk", flat=True)) if scan else set()


def identity_leaks_of(dataset: Dataset, units: Units) -> dict[int, tuple[IdentityLeak, ...]]:
    """The identity leaks of each of these units, by slot; units without one are left out."""
    if (scan := latest_scan(dataset)) is None:
        return {}
    placed = list(_placed(units))
    hits = IdentityHit.objects.filter(scanned__scan=scan, scanned__response__in={response for *_, response in placed})
    words: dict[int, dict[tuple[str, bool], None]] = {}
    columns = ("scanned__response", "matched", "of_transcript")
    for response, matched, of_transcript in hits.order_by("pk").values_list(*columns):
        words.setdefault(response, {})[matched, of_transcript] = None
    found: dict[int, tuple[IdentityLeak, ...]] = {}
    for unit, slot, response in placed:
        leaks = tuple(IdentityLeak(slot, *said) for said in words.get(response, {}))
        if leaks:
            found[unit] = found.get(unit, ()) + leaks
    return found


def n_units_with_leaks(dataset: Dataset) -> tuple[int, int]:
    """How many units of the dataset have an identity leak, and how many were searched."""
    scan = latest_scan(dataset)
    read = ScannedResponse.objects.filter(scan=scan) if scan else ScannedResponse.objects.none()
    leaky = read.filter(is_hit=True)
    n, of = (_with_responses(rows.values("response")).filter(dataset=dataset).count() for rows in (leaky, read))
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
