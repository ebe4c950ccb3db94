"""150,000 verdicts imported into SQLite while another process writes: how long each of its writes waits.

    python -m benchmarks.much_data.verdict_import [verdicts]

A campaign of 7,824 units takes in a table of as many judges as it needs, by the job that the page queues. Beside it
a process of its own writes a row every 20 ms, as a request does, and by turns one into a database that nobody else
uses: what such a write takes on this machine at this moment, with no import in its way. Printed for both: the median,
p99 and the longest (at most 2 s beside the import); and the seconds of the import.
"""

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import django
from django.core.files import File

from benchmarks.much_data.standings import open_campaign, prepare

VERDICTS, UNITS = 156_480, 7_824
SYSTEMS = 4
PAUSE_S, LONGEST_S = 0.02, 2.0


def main() -> None:
    if sys.argv[1:2] == ["--beside"]:
        django.setup()
        return write_beside(Path(sys.argv[2]))
    n = int(sys.argv[1]) if len(sys.argv) > 1 else VERDICTS
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        longest = measure(n, Path(folder))
    sys.exit(longest > LONGEST_S)


def measure(n: int, folder: Path) -> float:
    """Import `n` verdicts; the longest write beside it, in seconds."""
    from corpus.models import Unit  # noqa: PLC0415 - after the setup
    from judges.imported.reading import Options  # noqa: PLC0415
    from judges.imported.uploads import begin_verdict_import, import_verdicts_of  # noqa: PLC0415

    campaign = open_campaign(2)[0]
    add_units(campaign)
    keys = list(Unit.objects.order_by("pk").values_list("key", flat=True))
    table = folder / "verdicts.csv"
    lines = (f"{keys[at % UNITS]},judge {at // UNITS},overall,AB,{1 + at % 2}" for at in range(n))
    table.write_text("\n".join(["unit,judge,aspect,order,verdict", *lines, ""]))
    stop = folder / "stop"
    command = [sys.executable, "-m", "benchmarks.much_data.verdict_import", "--beside", str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as beside:  # noqa: S603
        time.sleep(5)  # until it is set up
        begin = time.perf_counter()
        with table.open("rb") as file:
            row = begin_verdict_import(campaign, File(file), options=Options(), user=campaign.created_by)
        import_verdicts_of(str(row.pk), lambda *_: None)
        took = time.perf_counter() - begin
        stop.touch()
        found = [[float(it) for it in line.split()] for line in beside.stdout or ()]
    waits, alone = [row[0] for row in found], [row[1] for row in found]
    row.refresh_from_db()
    print(f"{row.report['new']:,} verdicts {row.status} in {took:.1f} s, load {os.getloadavg()[0]:.1f} at the end")
    show(f"beside it (longest: at most {LONGEST_S:g} s)", waits)
    show("into a database of their own", alone)
    return max(waits)


def show(where: str, waits: Sequence[float]) -> None:
    p99 = statistics.quantiles(waits, n=100)[98]
    print(
        f"{len(waits):,} writes {where}: median {statistics.median(waits):.3f} s, p99 {p99:.3f} s, "
        f"longest {max(waits):.3f} s"
    )


def add_units(campaign: Any) -> None:
    """Each item is answered by four systems, and each of the six pairs of these is a unit."""
    from campaigns.models import CampaignUnit  # noqa: PLC0415
    from corpus.models import Item, Response, System, Unit  # noqa: PLC0415 - after the setup

    dataset = campaign.dataset
    systems = System.objects.bulk_create(System(dataset=dataset, name=f"system {n}") for n in range(SYSTEMS))
    items = Item.objects.bulk_create(Item(dataset=dataset, key=f"item {n}") for n in range(UNITS // 6))
    units = []
    for item in items:
        said = Response.objects.bulk_create(Response(item=item, system=system, key="x") for system in systems)
        pairs = combinations(said, 2)
        units += [Unit(dataset=dataset, item=item, key=f"{item.pk}-{a.pk}-{b.pk}", a=a, b=b) for a, b in pairs]
    units = Unit.objects.bulk_create(units)
    CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=at) for at, unit in enumerate(units)
    )


def write_beside(stop: Path) -> None:
    from campaigns.models import Campaign  # noqa: PLC0415 - after the setup

    own = sqlite3.connect(stop.with_name("own.sqlite3"), isolation_level=None)
    own.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE campaign (title)")
    own.execute("INSERT INTO campaign VALUES ('')")
    while not stop.exists():
        beside = seconds(lambda: Campaign.objects.update(title=f"At {time.time():.3f}"))
        alone = seconds(lambda: own.execute("UPDATE campaign SET title = ?", [f"At {time.time():.3f}"]))
        print(f"{beside:.4f} {alone:.4f}", flush=True)
        time.sleep(PAUSE_S)


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
