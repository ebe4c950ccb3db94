"""From the votes in the database to a standing, at 1,000,000 votes on SQLite.

    python -m benchmarks.much_data.standings [votes]

A campaign of that many votes between 20 systems (or as many as SYSTEMS says) is written to a database of its own in a
temporary folder. What is timed is how the counts and the votes reach the arithmetic, from what is kept and from the
answers, and the whole refresh: by the processor's time, beside which the clock's says how busy the machine was.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import django
import numpy as np

from benchmarks.timing import on_one_thread

SYSTEMS, ITEMS, VOTERS = int(os.environ.get("SYSTEMS", "20")), 250, 500
LIMIT_S, REFRESH_S = 0.050, 2.0
ROWS_AT_ONCE = 20_000


def main() -> None:
    on_one_thread("benchmarks.much_data.standings")
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

    from analytics.data.votes import cache  # noqa: PLC0415
    from analytics.data.votes.counts import folded  # noqa: PLC0415
    from analytics.data.votes.table import Selection, ballot, counted_anew, tally  # noqa: PLC0415
    from arena.standings.choices import Settings  # noqa: PLC0415
    from arena.standings.refresh import refresh  # noqa: PLC0415

    begin = time.perf_counter()
    campaign = fill(n)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{n:,} votes between {SYSTEMS} systems, written in {time.perf_counter() - begin:.0f} s")
    overall, settings = Selection("overall"), Settings("overall")

    def one_more() -> None:
        add_votes(campaign, 1)

    def line(name: str, taken: Taken, limit: float | None = None) -> None:
        verdict = "" if limit is None else f"   {'met' if taken[0] <= limit else 'MISSED'} ({limit:g} s)"
        print(f"  {name:<52} {taken[0]:8.3f} s ({taken[1]:.3f} s){verdict}", flush=True)

    line("adding all of them to the counts, once", timed(lambda: folded(campaign), times=1))
    line("the counts, as kept", timed(lambda: tally(campaign, overall), times=9), LIMIT_S)
    line(
        "the counts, with a vote that is not yet added",
        timed(lambda: tally(campaign, overall), before=one_more),
        LIMIT_S,
    )
    line("adding a vote to the counts", timed(lambda: folded(campaign), before=one_more))
    line("the counts from the answers (the night's check)", timed(lambda: counted_anew(campaign, overall), times=1))
    line("every vote as arrays, from the answers", timed(lambda: ballot(campaign, overall), times=1))
    line(
        "every vote as arrays, the first time in a process",
        timed(lambda: cache.kept_ballot(campaign, overall), times=1),
    )
    line(
        "every vote as arrays, after one more",
        timed(lambda: cache.kept_ballot(campaign, overall), before=one_more),
    )
    line("refresh, the first", timed(lambda: refresh(campaign, settings), times=1))
    line("refresh after one more vote", timed(lambda: refresh(campaign, settings), before=one_more), REFRESH_S)
    each = Settings("overall", errors="votes")
    refresh(campaign, each)
    line("the same, errors over votes", timed(lambda: refresh(campaign, each), before=one_more), REFRESH_S)
    line("refresh, nothing new", timed(lambda: refresh(campaign, settings)))


Taken = tuple[float, float]


def timed(work: Callable[[], object], *, times: int = 3, before: Callable[[], object] = lambda: None) -> Taken:
    """The medians of some times, by the processor and by the clock."""
    taken = []
    for _ in range(times):
        before()
        begin, clock = time.process_time(), time.perf_counter()
        work()
        taken.append((time.process_time() - begin, time.perf_counter() - clock))
    return statistics.median(it for it, _ in taken), statistics.median(it for _, it in taken)


def open_campaign(voters: int):  # type: ignore[no-untyped-def]
    """A campaign that compares pairs overall, over a dataset with nothing in it; and so many annotators."""
    from accounts.models import User  # noqa: PLC0415 - after the setup
    from campaigns.models import Campaign, Membership, Role  # noqa: PLC0415
    from corpus.models import Dataset  # noqa: PLC0415
    from protocols import SHIPPED, digest, to_document  # noqa: PLC0415

    owner = User.objects.create(username="owner")
    dataset = Dataset.objects.create(name="Benchmark", slug="benchmark", created_by=owner)
    document = to_document(SHIPPED["blind_overall"])
    campaign = Campaign.objects.create(
        dataset=dataset, title="Benchmark", slug="benchmark", protocol_document=document,
        protocol_digest=digest(document), created_by=owner, status="open",
    )  # fmt: skip
    people = User.objects.bulk_create(User(username=f"voter {v}") for v in range(voters))
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=user, role=Role.ANNOTATOR, pseudonym=f"A{v}")
        for v, user in enumerate(people)
    )
    return campaign, people


def fill(n: int):  # type: ignore[no-untyped-def]  # the models come with the setup
    """A campaign with `n` votes; every unit is voted on equally often, by whom and how at random."""
    from campaigns.models import CampaignUnit  # noqa: PLC0415
    from corpus.models import Item, Response, System, Unit  # noqa: PLC0415 - after the setup

    campaign, _voters = open_campaign(VOTERS)
    dataset = campaign.dataset
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
    CampaignUnit.objects.bulk_create(
        (CampaignUnit(campaign=campaign, unit=unit, position=p) for p, unit in enumerate(units)),
        batch_size=ROWS_AT_ONCE,
    )
    add_votes(campaign, n)
    return campaign


def add_votes(campaign, n: int) -> None:  # type: ignore[no-untyped-def]
    """Votes in bulk, each logged beside its answer as `note_votes` does."""
    from django.db import transaction  # noqa: PLC0415 - after the setup

    from annotation.answers.vote_log import note_votes  # noqa: PLC0415
    from annotation.models import Annotation, Answer, Assignment  # noqa: PLC0415
    from campaigns.models import CampaignUnit  # noqa: PLC0415

    places = list(CampaignUnit.objects.filter(campaign=campaign).order_by("position"))
    voters = list(campaign.memberships.filter(role="annotator").order_by("pk").values_list("user", flat=True))
    before = Assignment.objects.filter(campaign=campaign).count() if n < ROWS_AT_ONCE else 0
    rng = np.random.default_rng(before + 1)
    now = datetime.now(UTC)
    times = {"reserved_at": now, "shown_at": now, "expires_at": now + timedelta(hours=1)}
    for begin in range(before, before + n, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, before + n - begin)
        orders, values = rng.choice(["ab", "ba"], count), rng.choice(["a", "b", "both_good", "both_bad"], count)
        rounds = [divmod(begin + place, len(places)) for place in range(count)]
        with transaction.atomic():
            assignments = Assignment.objects.bulk_create(
                Assignment(
                    campaign=campaign, campaign_unit=places[unit], order=str(order), seat=seat + 1, status="answered",
                    annotator_id=voters[(unit + 7 * seat) % VOTERS], **times,
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
            note_votes([assignment.pk for assignment in assignments], first=True)


if __name__ == "__main__":
    main()
