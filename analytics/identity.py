"""How many of each system's responses tell who speaks, for those who may know."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Q

from analytics.stats.intervals import proportion
from analytics.stats.results import Estimate
from campaigns.models import Dataset
from judges.identity_scans import latest_scan, silent_pairs
from judges.models import IdentityHit, IdentityScan

MOST_LISTED = 100


@dataclass(frozen=True)
class Found:
    """The latest scan: the share per system, and the first of the words."""

    scan: IdentityScan
    shares: list[tuple[str, int, Estimate]]
    hits: list[IdentityHit]
    n_hits: int


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
        share = proportion(telling, n, method="share that tells who speaks", reason="no response has a text")
        shares.append((name, telling, share))
    hits = IdentityHit.objects.filter(scanned__scan=scan)
    listed = hits.select_related("scanned__response__system", "scanned__response__item", "turn").order_by("pk")
    return Found(scan, shares, list(listed[:MOST_LISTED]), hits.count())


def silent_pair_lines(dataset: Dataset) -> Iterator[str]:
    """Pairs in which nobody tells, as a campaign's “Pairs from a file” takes them."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["item", "system_a", "system_b", "take_a", "take_b"])
    for a, b in silent_pairs(dataset):
        table.writerow([a.item.key, a.system.name, b.system.name, a.key, b.key])
    yield lines.getvalue()
