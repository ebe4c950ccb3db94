"""Every page of a campaign with 20,000 units and 100,000 answers, on SQLite.

    python -m benchmarks.much_data.pages [folder [word in the names of pages]]

The campaign is written into a database of its own: five of 50 people answer each pair overall, every hundredth answer
is flagged, and two judges have a verdict on each. Then every address of the campaign that can be read is asked for,
once to fill what is kept, and again three times; the median is what counts. A page that shows rows is to take 300 ms
at most, one with figures, when they are kept, 1 s. With a folder the database stays there and is used again. The
table is written to `benchmarks/results/pages.md`.
"""

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.machine import described
from benchmarks.much_data.dashboard import fill
from benchmarks.much_data.standings import prepare
from benchmarks.timing import on_one_thread

if TYPE_CHECKING:
    from campaigns.models import Campaign

UNITS, SEATS, RUNS, TIMES = 20_000, 5, 2, 3
ROWS_MS, FIGURES_MS = 300, 1000
#: Pages whose content is computed from all answers, and kept.
WITH_FIGURES = re.compile(
    r"^(results|report|comparison|board|label-set-board|probe-report|quality|planning|rubric-acc)"
)
#: Files of all answers, which are streamed.
FILES = {"campaign-trace", "campaign-tidy", "run-file", "comparison-file", "board-file", "arena-votes"}
RESULT = Path(__file__).resolve().parents[1] / "results" / "pages.md"


@dataclass(frozen=True)
class Timed:
    page: str
    first_ms: float
    ms: float
    processor_ms: float
    queries: int

    @property
    def limit_ms(self) -> int:
        return FIGURES_MS if WITH_FIGURES.match(self.page) else ROWS_MS

    @property
    def line(self) -> str:
        met = "met" if self.ms <= self.limit_ms else "MISSED"
        numbers = f"{self.first_ms:.0f} | {self.ms:.0f} | {self.processor_ms:.0f} | {self.queries} | {self.limit_ms}"
        return f"| {self.page} | {numbers} | {met} |"


def main() -> None:
    on_one_thread("benchmarks.much_data.pages")
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        prepare(folder)
        found = list(measured(word))
    if not word:
        RESULT.write_text(as_text(found), encoding="utf-8")


def measured(word: str) -> Iterator[Timed]:
    from django.core.management import call_command  # noqa: PLC0415 - after the setup
    from django.test import Client  # noqa: PLC0415

    from campaigns.models import Campaign  # noqa: PLC0415
    from config.serving.gc_tuning import freeze_objects  # noqa: PLC0415

    campaign = Campaign.objects.first() or filled()
    call_command("collectstatic", interactive=False, verbosity=0)
    freeze_objects()
    client = Client(SERVER_NAME="localhost")
    client.force_login(campaign.created_by)
    for name, address in addresses(campaign):
        if word in name and name not in FILES and (timed := time_page(client, name, address)):
            print(timed.line, flush=True)
            yield timed


def filled() -> "Campaign":
    from django.db import connection  # noqa: PLC0415 - after the setup

    from annotation.models import Annotation  # noqa: PLC0415

    begin = time.perf_counter()
    campaign = fill("blind_overall", UNITS * SEATS, seats=SEATS, runs=RUNS)
    Annotation.objects.filter(pk__in=range(0, UNITS * SEATS, 100)).update(flag="It hums")
    campaign.status, campaign.answers_per_unit = "open", SEATS
    campaign.save()
    campaign.campaign_units.filter(purpose="study").update(seats_taken=SEATS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"written in {time.perf_counter() - begin:.0f} s", flush=True)
    return campaign


def addresses(campaign: "Campaign") -> Iterator[tuple[str, str]]:
    """Every address below the campaign, with a row for each parameter, and the pages of all kinds of reports."""
    from analytics.reports.kinds import KINDS  # noqa: PLC0415 - after the setup
    from tests.world import PARAMETER, pages  # noqa: PLC0415

    unit, run = campaign.campaign_units.order_by("position")[UNITS // 2], campaign.runs.order_by("pk")[0]
    item = unit.unit.item_id
    values = {
        "campaigns/<slug:slug>": campaign.slug,
        "datasets/<slug:slug>": campaign.dataset.slug,
        "items/<int:pk>": item,
        "runs/<int:pk>": run.pk,
        "verdicts/<int:verdict>": run.verdicts.order_by("pk")[0].pk,
        "people/<int:pk>": campaign.memberships.filter(role="annotator").order_by("pk")[0].pk,
        "review/<int:pk>": unit.pk,
        "disagreements/<int:pk>": unit.pk,
    }
    yield "manage", f"/manage/campaign/{campaign.slug}/"
    yield "delete", f"/manage/campaign/{campaign.slug}/delete/"
    for name, route, _view in pages():
        kinds = list(KINDS) if "results/<slug:kind>" in route else [""]
        for kind in kinds if route.startswith(("campaigns/<slug:slug>", "datasets/<slug:slug>")) else []:
            known = values | ({"results/<slug:kind>": kind} if kind else {})
            address = "/" + PARAMETER.sub(lambda at: value(known, route[: at.end()]), route)  # noqa: B023
            if "?" not in address:
                yield f"{name} {kind}".strip(), address


def value(known: dict[str, Any], until: str) -> str:
    return next((str(known[key]) for key in known if until.endswith(key)), "?")


def time_page(client: Any, name: str, address: str) -> Timed | None:
    """None for what cannot be read: an address for POST only, or of something that this campaign has not."""
    from django.db import connection  # noqa: PLC0415 - after the setup
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    took, worked = [], []
    for _ in range(TIMES + 1):
        begin, busy = time.perf_counter(), time.process_time()
        response = client.get(address)
        if response.status_code != 200 or not response.get("Content-Type", "").startswith("text/html"):
            return None
        took.append(1000 * (time.perf_counter() - begin))
        worked.append(1000 * (time.process_time() - busy))
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return Timed(name, took[0], median(took[1:]), median(worked[1:]), len(queries))


def as_text(found: list[Timed]) -> str:
    there = described()
    missed = sum(it.ms > it.limit_ms for it in found)
    slow = sum(it.processor_ms > it.limit_ms for it in found)
    lines = [it.line for it in sorted(found, key=lambda it: -it.processor_ms)]
    return "\n".join([
        "# Pages of a large campaign",
        "",
        f"`python -m benchmarks.much_data.pages` on {there['day']}: one thread of {there['processor']}, Python "
        f"{there['python']}, SQLite,",
        f"load {there['load at the start']:.1f}. {UNITS:,} units, {UNITS * SEATS:,} answers, {RUNS} judges.",
        "Milliseconds through all of Django, those with the most work first: the first time, and the median of",
        f"{TIMES} later ones, by the clock and of the processor. Of {len(found)} pages {missed} missed their limit",
        f"by the clock, {slow} by the processor’s time alone, which does not count what others on the machine took.",
        "",
        "| page | first, ms | later, ms | processor, ms | queries | limit, ms | by the clock |",
        "|---|--:|--:|--:|--:|--:|---|",
        *lines,
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
