"""What choosing the next unit takes in a campaign with few annotations and in one with many.

    python -m benchmarks.server.choosing [few] [many]

Two campaigns over the same units, three answers asked of each, 200 annotators: 1,000 annotations in one, 100,000 in
the other, or as many as are said. The same annotators take turns in both: the next unit is chosen and reserved, and
then answered by the form of the page, whose response is the unit after it. Newcomers, with five answers of their own
in both, show what the size of the campaign costs; the others, whose own answers grow with it, what these add.

Without DATABASE_URL on SQLite in a temporary folder, with it in a test database of that PostgreSQL. Medians of the
clock, PostgreSQL's share included, and of the processor, this process alone, which say more on a busy machine.
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
#: So many newcomers choose, and as many others, each so many times.
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

    from annotation.assignment.seat_counts import wrong_counts  # noqa: PLC0415
    from benchmarks.server.choosing_fill import fill  # noqa: PLC0415

    campaigns, people = fill(sizes)
    analyse(connection)
    n_units = campaigns[0].campaign_units.count()
    print(f"{connection.vendor}, {n_units:,} units, load {os.getloadavg()[0]:.1f}")
    by_size = dict(zip(sizes, campaigns, strict=True))
    _compare("newcomers", people[:CHOOSERS], by_size)
    _compare("the others", people[-CHOOSERS:], by_size)
    if wrong := wrong_counts():
        sys.exit(f"{len(wrong)} units were counted wrongly")


def _compare(group: str, people: list[Any], campaigns: dict[int, Any]) -> None:
    """Let these people choose and answer in the campaigns by turns, and print the medians."""
    from annotation.assignment.progress import n_answered  # noqa: PLC0415 - after the setup

    own = " and ".join(f"{n_answered(campaign, people[0]):,}" for campaign in campaigns.values())
    took: dict[str, dict[int, list[Took]]] = {"next unit": {}, "submit with the next unit": {}}
    for nth in range(ROUNDS):
        for who in people:
            for size, campaign in campaigns.items():
                for name, one in _taken(campaign, who, nth).items():
                    took[name].setdefault(size, []).append(one)
    print(f" {group}, who had {own} answers of their own (load {os.getloadavg()[0]:.1f})")
    for name, by_size in took.items():
        for place, what in enumerate(("clock", "processor")):
            medians = {size: statistics.median(one[place] for one in it[WARM_UP:]) for size, it in by_size.items()}
            show(f"{name}, {what}", medians)


def _taken(campaign: Any, who: Any, nth: int) -> dict[str, Took]:
    """What it took one person to choose a unit and to answer it by the page; the next one is put down again."""
    from django.test import Client  # noqa: PLC0415 - after the setup
    from django.urls import reverse  # noqa: PLC0415

    from annotation.assignment.next_unit import give_back, next_assignment  # noqa: PLC0415
    from annotation.models import Assignment  # noqa: PLC0415

    client = Client()
    client.force_login(who)
    held, of_next = timed(lambda: next_assignment(campaign, who))
    address = reverse("answer", args=[campaign.slug, held.pk])
    form = {"overall": "1", "idempotency_key": f"round {nth}"}
    response, of_submit = timed(lambda: client.post(address, form, headers={"HX-Request": "true"}))
    if response.status_code != 200:
        sys.exit(f"{response.status_code}: {response.content.decode()[:500]}")
    following = Assignment.objects.get(campaign=campaign, annotator=who, status="reserved")
    give_back(following.pk, annotator=who, reason="other")
    return {"next unit": of_next, "submit with the next unit": of_submit}


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
