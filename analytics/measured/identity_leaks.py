"""How many of each system's responses name their system, for those who may know."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Q

from corpus.models import Dataset
from infrastructure.files.csv_files import csv_line
from infrastructure.wording.reasons import ReasonCode
from measurements.identity_leaks.scans import latest_scan, silent_pairs
from measurements.identity_leaks.units import n_units_with_leaks
from measurements.models import IdentityHit, IdentityScan
from stats.proportions import proportion
from stats.results import Estimate

MOST_LISTED = 100
NO_TEXT = ReasonCode("no_response_has_text", "no response has a text")


@dataclass(frozen=True)
class Found:
    """The latest scan: the share per system and of all units, and the first of the words."""

    scan: IdentityScan
    shares: list[tuple[str, int, Estimate]]
    hits: list[IdentityHit]
    n_hits: int
    n_units_with_leaks: int
    units: Estimate


def found_in(dataset: Dataset) -> Found | None:
    """None before the first scan."""
    if (scan := latest_scan(dataset)) is None:
        return None
    counted = scan.responses.values("response__system__name").annotate(
        n=Count("pk"), leaks=Count("pk", filter=Q(is_hit=True))
    )
    read = {row["response__system__name"]: (row["leaks"], row["n"]) for row in counted}
    shares = []
    for name in dataset.systems.order_by("name").values_list("name", flat=True):
        leaks, n = read.get(name, (0, 0))
        share = proportion(leaks, n, method="share that names its system", reason=NO_TEXT())
        shares.append((name, leaks, share))
    n_units, of_units = n_units_with_leaks(dataset)
    units = proportion(n_units, of_units, method="share of units with an identity leak", reason=NO_TEXT())
    hits = IdentityHit.objects.filter(scanned__scan=scan)
    listed = hits.select_related("scanned__response__system", "scanned__response__item", "turn").order_by("pk")
    return Found(scan, shares, list(listed[:MOST_LISTED]), hits.count(), n_units, units)


def silent_pair_lines(dataset: Dataset) -> Iterator[str]:
    """Pairs without identity leaks, as a campaign's “Pairs from a file” takes them."""
    yield csv_line(["item", "system_a", "system_b", "take_a", "take_b"])
    for a, b in silent_pairs(dataset):
        yield csv_line([a.item.key, a.system.name, b.system.name, a.key, b.key])
