"""From the votes in the database to a standing, at 1,000,000 votes on SQLite.

    python -m benchmarks.standings [votes]

A campaign of that many votes between 20 systems is written to a database of its own in a temporary folder. What is
timed is the GROUP BY that looks whether there is anything new, the same statement without Django, and the whole
refresh.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import django
import numpy as np

SYSTEMS, ITEMS, VOTERS = 20, 250, 500
LIMIT_S = 0.050
ROWS_AT_ONCE = 20_000


def main() -> None:
    votes = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        report(votes)


def prepare(folder: Path) -> None:
    """A new database, before anything of Django is imported."""
    os.environ |= {
        "EARSHOT_DATA": str(folder),
        "SECRET_KEY": "benchmark",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("REDIS_URL", None)
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - after the setup

    call_command("migrate", verbosity=0)


def report(n: int) -> None:
    from django.db import connection  # noqa: PLC0415 - after the setup

    from analytics.datasets import Selection, ballot, group_by, tally  # noqa: PLC0415
    from arena.choices import Settings  # noqa: PLC0415
    from arena.standings import refresh  # noqa: PLC0415

    begin = time.perf_counter()
    campaign = fill(n)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{n:,} votes between {SYSTEMS} systems, written in {time.perf_counter() - begin:.0f} s")
    overall = Selection("overall")
    sql, parameters = group_by(campaign, overall).query.sql_with_params()

    def bare() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            cursor.fetchall()

    counting = timed(bare)
    verdict = "met" if counting <= LIMIT_S else "MISSED"
    print(f"  the GROUP BY alone          {counting:8.3f} s   {verdict} ({LIMIT_S} s)")
    print(f"  tally, as Django asks       {timed(lambda: tally(campaign, overall)):8.3f} s")
    print(f"  every vote as arrays        {timed(lambda: ballot(campaign, overall), times=1):8.3f} s")
    print(f"  refresh, anything new       {timed(lambda: refresh(campaign, Settings('overall')), times=1):8.3f} s")
    print(f"  refresh, nothing new        {timed(lambda: refresh(campaign, Settings('overall'))):8.3f} s")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)
        for row in cursor.fetchall():
            print("   ", row[3])


def timed(work: Callable[[], object], *, times: int = 3) -> float:
    """The shortest of some times by the clock: a database waits for the disk, too."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def fill(n: int):  # type: ignore[no-untyped-def]  # the models come with the setup
    """A campaign with `n` votes; every unit is voted on equally often, by whom and how at random."""
    from accounts.models import User  # noqa: PLC0415 - after the setup
    from annotation.models import Annotation, Answer, Assignment  # noqa: PLC0415
    from campaigns.models import (  # noqa: PLC0415
        Campaign,
        CampaignUnit,
        Dataset,
        Item,
        Membership,
        Response,
        Role,
        System,
        Unit,
    )
    from campaigns.protocols import SHIPPED, digest, to_document  # noqa: PLC0415

    owner = User.objects.create(username="owner")
    dataset = Dataset.objects.create(name="Benchmark", slug="benchmark", created_by=owner)
    document = to_document(SHIPPED["blind_overall"])
    campaign = Campaign.objects.create(
        dataset=dataset, title="Benchmark", slug="benchmark", protocol_document=document,
        protocol_digest=digest(document), created_by=owner, status="open",
    )  # fmt: skip
    voters = User.objects.bulk_create(User(username=f"voter {v}") for v in range(VOTERS))
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=user, role=Role.ANNOTATOR, pseudonym=f"A{v}")
        for v, user in enumerate(voters)
    )
    systems = System.objects.bulk_create(System(dataset=dataset, name=f"system {s}") for s in range(SYSTEMS))
    items = Item.objects.bulk_create(Item(dataset=dataset, key=f"item {i}") for i in range(ITEMS))
    units = []
    for item in items:
        said = Response.objects.bulk_create(Response(item=item, system=system, key="x") for system in systems)
        units += [
            Unit(dataset=dataset, item=item, key=f"{item.pk} {a.pk} {b.pk}", a=a, b=b)
            for a, b in combinations(said, 2)
        ]
    units = Unit.objects.bulk_create(units, batch_size=ROWS_AT_ONCE)
    places = CampaignUnit.objects.bulk_create(
        (CampaignUnit(campaign=campaign, unit=unit, position=p) for p, unit in enumerate(units)),
        batch_size=ROWS_AT_ONCE,
    )
    rng = np.random.default_rng(1)
    now = datetime.now(UTC)
    times = {"reserved_at": now, "shown_at": now, "expires_at": now + timedelta(hours=1)}
    for begin in range(0, n, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, n - begin)
        orders, values = rng.choice(["ab", "ba"], count), rng.choice(["a", "b", "both_good", "both_bad"], count)
        rounds = [divmod(begin + place, len(places)) for place in range(count)]
        assignments = Assignment.objects.bulk_create(
            Assignment(
                campaign=campaign, campaign_unit=places[unit], order=str(order), seat=seat + 1, status="answered",
                annotator=voters[(unit + 7 * seat) % VOTERS], **times,
            )
            for (seat, unit), order in zip(rounds, orders, strict=True)
        )  # fmt: skip
        annotations = Annotation.objects.bulk_create(
            Annotation(assignment=assignment, idempotency_key="k", shown_at=now) for assignment in assignments
        )
        Answer.objects.bulk_create(
            Answer(annotation=annotation, aspect="overall", value=str(value))
            for annotation, value in zip(annotations, values, strict=True)
        )
    return campaign


if __name__ == "__main__":
    main()
