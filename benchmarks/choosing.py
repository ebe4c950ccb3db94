"""What choosing the next unit takes in a campaign with few annotations and in one with many.

    python -m benchmarks.choosing [few] [many]

Two campaigns over the same units, three answers asked of each, 200 annotators: 1,000 annotations in one, 100,000 in
the other, or as many as are said. The same annotators take turns in both: the next unit is chosen and reserved, and
then answered by the form of the page, whose response is the unit after it. Without DATABASE_URL on SQLite in a
temporary folder, with it in a test database of that PostgreSQL. Medians of the clock, PostgreSQL's share included,
and of the processor, this process alone, which say more on a busy machine.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import django

SIZES = (1_000, 100_000)
#: So many annotators choose, each so many times.
CHOOSERS, ROUNDS = 30, 2
WARM_UP = 10
Took = tuple[float, float]


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:3]] or list(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EARSHOT_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        django.setup()
        from django.test.utils import setup_databases, setup_test_environment, teardown_databases  # noqa: PLC0415

        setup_test_environment()
        kept = setup_databases(verbosity=0, interactive=False)
        try:
            measure(sizes)
        finally:
            teardown_databases(kept, verbosity=0)


def measure(sizes: list[int]) -> None:
    from django.db import connection  # noqa: PLC0415 - after the setup

    from annotation.seat_counts import wrong_counts  # noqa: PLC0415
    from benchmarks.choosing_fill import fill  # noqa: PLC0415

    campaigns, people = fill(sizes)
    analyse(connection)
    n_units = campaigns[0].campaign_units.count()
    print(f"{connection.vendor}, {n_units:,} units, load {os.getloadavg()[0]:.1f}")
    took: dict[str, dict[int, list[Took]]] = {"next unit": {}, "submit with the next unit": {}}
    for nth in range(ROUNDS):
        for who in people[:CHOOSERS]:
            for size, campaign in zip(sizes, campaigns, strict=True):
                _one(campaign, who, nth, lambda name, s, size=size: took[name].setdefault(size, []).append(s))
    for name, by_size in took.items():
        for place, what in enumerate(("clock", "processor")):
            medians = {size: statistics.median(one[place] for one in it[WARM_UP:]) for size, it in by_size.items()}
            show(f"{name}, {what}", medians)
    if wrong := wrong_counts():
        sys.exit(f"{len(wrong)} units were counted wrongly")


def _one(campaign: Any, who: Any, nth: int, note: Callable[[str, Took], None]) -> None:
    """One person chooses a unit, answers it by the page, and puts the next one down."""
    from django.test import Client  # noqa: PLC0415 - after the setup
    from django.urls import reverse  # noqa: PLC0415

    from annotation.assignments import give_back, next_assignment  # noqa: PLC0415
    from annotation.models import Assignment  # noqa: PLC0415

    client = Client()
    client.force_login(who)
    held, seconds = timed(lambda: next_assignment(campaign, who))
    note("next unit", seconds)
    address = reverse("answer", args=[campaign.slug, held.pk])
    form = {"overall": "1", "idempotency_key": f"round {nth}"}
    response, seconds = timed(lambda: client.post(address, form, headers={"HX-Request": "true"}))
    if response.status_code != 200:
        sys.exit(f"{response.status_code}: {response.content.decode()[:500]}")
    note("submit with the next unit", seconds)
    following = Assignment.objects.get(campaign=campaign, annotator=who, status="reserved")
    give_back(following.pk, annotator=who, reason="other")


def timed(work: Callable[[], Any]) -> tuple[Any, Took]:
    """What comes of the work, and the seconds that it took: of the clock, and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return found, (time.perf_counter() - clock, time.process_time() - processor)


def analyse(connection: Any) -> None:
    """What a database that is not new knows of its tables."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def show(name: str, medians: dict[int, float]) -> None:
    few, many = sorted(medians)
    told = ", ".join(f"{medians[size] * 1e3:.1f} ms with {size:,} annotations" for size in (few, many))
    print(f"  {name}: {told}; {medians[many] / medians[few]:.2f} times")


if __name__ == "__main__":
    main()
