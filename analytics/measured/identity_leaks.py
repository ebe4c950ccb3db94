"""How many of each system's responses tell who speaks, for those who may know."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext_noop

from analytics.stats.intervals import proportion
from analytics.stats.results import Estimate
from campaigns.models import Dataset
from campaigns.tidy.cells import csv_line
from measurements.identity_leaks.scans import latest_scan, silent_pairs
from measurements.identity_leaks.units import n_telling
from measurements.models import IdentityHit, IdentityScan

MOST_LISTED = 100
NO_TEXT = gettext_noop("no response has a text")


@dataclass(frozen=True)
class Found:
    """The latest scan: the share per system and of all units, and the first of the words."""

    scan: IdentityScan
    shares: list[tuple[str, int, Estimate]]
    hits: list[IdentityHit]
    n_hits: int
    units_telling: int
    units: Estimate


def found_in(dataset: Dataset) -> Found | None:
    """None where nobody has looked."""
    if (scan := latest_scan(dataset)) is None:
        return None
    counted = scan.responses.values("response__system__name").annotate(
        n=Count("pk"), telling=Count("pk", filter=Q(is_hit=True))
    )
    read = {row["response__system__name"]: (row["telling"], row["n"]) for row in counted}
    shares = []
    for name in dataset.systems.order_by("name").values_list("name", flat=True):
        telling, n = read.get(name, (0, 0))
        share = proportion(telling, n, method="share that tells who speaks", reason=NO_TEXT)
        shares.append((name, telling, share))
    n_units, of_units = n_telling(dataset)
    units = proportion(n_units, of_units, method="share of units in which somebody tells", reason=NO_TEXT)
    hits = IdentityHit.objects.filter(scanned__scan=scan)
    listed = hits.select_related("scanned__response__system", "scanned__response__item", "turn").order_by("pk")
    return Found(scan, shares, list(listed[:MOST_LISTED]), hits.count(), n_units, units)


def silent_pair_lines(dataset: Dataset) -> Iterator[str]:
    """Pairs in which nobody tells, as a campaign's “Pairs from a file” takes them."""
    yield csv_line(["item", "system_a", "system_b", "take_a", "take_b"])
    for a, b in silent_pairs(dataset):
        yield csv_line([a.item.key, a.system.name, b.system.name, a.key, b.key])
