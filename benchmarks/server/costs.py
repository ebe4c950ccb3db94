"""What one answer and one verdict cost: milliseconds of the processor, queries, bytes in each table.

    python -m benchmarks.server.costs [answers]

One annotator after the other answers units of a campaign through the pages (the unit, one report of listening, the
submission with the next unit), without a network; then a judge that needs no model gives as many verdicts. Without
DATABASE_URL on SQLite in a temporary folder, with it in a test database of that PostgreSQL. Time is of the processor,
this process alone: PostgreSQL's own share is not in it. Bytes are those of tables with their indexes after they were
written anew (VACUUM), so without what updates leave behind; the log of changes (WAL) is PostgreSQL's alone.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django

ANSWERS, PER_PERSON = 600, 50
WARM_UP = 20


@dataclass
class Cost:
    """Of one kind of action: milliseconds and queries of each."""

    ms: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EARSHOT_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        django.setup()
        from django.conf import settings  # noqa: PLC0415 - after the setup
        from django.test.utils import setup_databases, setup_test_environment, teardown_databases  # noqa: PLC0415

        setup_test_environment()
        settings.MEDIA_ROOT = Path(folder) / "media"
        kept = setup_databases(verbosity=0, interactive=False)
        try:
            measure(n)
        finally:
            teardown_databases(kept, verbosity=0)


def measure(n: int) -> None:
    from django.db import connection  # noqa: PLC0415 - after the setup

    print(f"{connection.vendor}, {n} answers, load {os.getloadavg()[0]:.1f}")
    campaign = make_study(n)
    show("answer", *measured(n, lambda: answers(campaign, n)))
    show("verdict", *measured(n, lambda: verdicts(campaign)))


def measured(n: int, work: Any) -> tuple[dict[str, Cost], dict[str, float], float]:
    """The costs that the work tells of, and bytes per action of each table that grew, and of the log of changes."""
    before, wal = table_bytes(), wal_bytes()
    costs: dict[str, Cost] = work()
    written = wal_bytes() - wal  # before the tables are written anew, which is logged too
    after = table_bytes()
    grown = {table: (size - before.get(table, 0)) / n for table, size in after.items()}
    return costs, {table: size for table, size in grown.items() if size >= 1}, written / n


def show(what: str, costs: dict[str, Cost], grown: dict[str, float], written: float) -> None:
    print(f"\none {what}")
    for name, cost in costs.items():
        middle = statistics.median(cost.ms)
        print(f"  {name:<34}{middle:>8.1f} ms {statistics.mean(cost.queries):>7.1f} queries")
    for table, size in sorted(grown.items(), key=lambda row: -row[1]):
        print(f"  {table:<34}{size:>8,.0f} bytes")
    print(f"  {'all tables':<34}{sum(grown.values()):>8,.0f} bytes" + (f", log {written:,.0f}" if written else ""))


# -- the work ----------------------------------------------------------------------------------------------------


def make_study(n: int) -> Any:
    """Pairs under HCoT, four aspects each, that everybody answers; listening is asked for and reported."""
    from tests.annotation.test_listening import deliver_fakes  # noqa: PLC0415 - after the setup
    from tests.factories import make_campaign  # noqa: PLC0415

    campaign = make_campaign(units=PER_PERSON, listening="full", answers_per_unit=max(1, n // PER_PERSON))
    deliver_fakes(campaign)
    return campaign


def answers(campaign: Any, n: int) -> dict[str, Cost]:
    from tests.factories import make_member  # noqa: PLC0415 - after the setup

    costs = {name: Cost() for name in ("page", "report of listening", "submission, with the next page")}
    for _ in range(n // PER_PERSON):
        answer_all(campaign, make_member(campaign), costs)
    for cost in costs.values():
        del cost.ms[:WARM_UP], cost.queries[:WARM_UP]
    return costs


def answer_all(campaign: Any, person: Any, costs: dict[str, Cost]) -> None:
    from django.test import Client  # noqa: PLC0415 - after the setup

    from annotation.listening.reports import clip_seconds  # noqa: PLC0415
    from annotation.models import Assignment  # noqa: PLC0415
    from tests.factories import DIRECT_ANSWERS  # noqa: PLC0415

    browser = Client()
    browser.force_login(person)
    page, report, submission = costs.values()
    for at in range(PER_PERSON):
        with spent(page):
            browser.get(f"/label/{campaign.slug}/")
        held = Assignment.objects.get(annotator=person, status="reserved")
        Assignment.objects.filter(pk=held.pk).update(shown_at="2026-01-01T00:00Z", reserved_at="2026-01-01T00:00Z")
        heard = clip_seconds(held)
        url = f"/label/{campaign.slug}/{held.pk}/"
        with spent(report):
            browser.post(f"{url}heard/", {"heard": listening(at, heard)})
        with spent(submission):
            answer = browser.post(url, DIRECT_ANSWERS | {"idempotency_key": str(at)}, headers={"HX-Request": "true"})
        if answer.status_code != 200:
            raise SystemExit(f"{answer.status_code}: {answer.content.decode()[:500]}")


def listening(at: int, heard: dict[str, float]) -> str:
    """A report as the page sends it: every clip once from end to end."""
    ranges = {clip: [[0.0, seconds]] for clip, seconds in heard.items()}
    report = {"number": at + 1, "ranges": ranges, "plays": dict.fromkeys(heard, 1), "switches": 3, "hidden_s": 0.0}
    return json.dumps([report])


def verdicts(campaign: Any) -> dict[str, Cost]:
    from tests.judges.running import a_judge, a_run, worked  # noqa: PLC0415 - after the setup

    cost, begun = Cost(), time.process_time()
    samples = campaign.answers_per_unit
    with counted() as queries:
        run = worked(a_run(campaign, a_judge(campaign, "random"), samples=samples), slice_s=3600)
    n = run.verdicts.exclude(status="waiting").count()
    cost.ms.append(1000 * (time.process_time() - begun) / n)
    cost.queries.append(len(queries) // n)
    return {f"claimed, judged, kept ({n})": cost}


# -- the measures ------------------------------------------------------------------------------------------------


@contextmanager
def spent(cost: Cost) -> Iterator[None]:
    with counted() as queries:
        begin = time.process_time()
        yield
        cost.ms.append(1000 * (time.process_time() - begin))
    cost.queries.append(len(queries))


@contextmanager
def counted() -> Iterator[list[str]]:
    """Every statement, without Django's own record of them, which costs time."""
    from django.db import connection  # noqa: PLC0415 - after the setup

    seen: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


def table_bytes() -> dict[str, int]:
    from django.db import connection  # noqa: PLC0415 - after the setup

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM FULL")
            cursor.execute("SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables")
        else:
            cursor.execute("VACUUM")
            cursor.execute(
                "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) GROUP BY tbl_name"
            )
        return {str(name): int(size) for name, size in cursor.fetchall()}


def wal_bytes() -> int:
    from django.db import connection  # noqa: PLC0415 - after the setup

    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn() - '0/0'")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
