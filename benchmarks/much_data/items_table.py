"""The table of a dataset's items: 20,000 of them with three systems' responses, on SQLite or PostgreSQL.

    python -m benchmarks.much_data.items_table [items]

Each request goes through all of Django, as a page and with its template; 300 ms are wanted of each. The database is
SQLite in a folder of its own, or the empty one that `DATABASE_URL` names.
"""

import os
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from benchmarks.much_data.standings import prepare, timed
from benchmarks.timing import on_one_thread

if TYPE_CHECKING:
    from accounts.models import User
    from corpus.models import Dataset

SYSTEMS, LIMIT_S, BATCH = ("Alpha", "Beta", "Gamma"), 0.3, 2000
WORDS = ("river", "window", "orange", "teacher", "morning", "violin", "paper", "garden", "winter", "bridge", "letter")
ASKED = {
    "the dataset's page": None,
    "the first page": "",
    "the last page": "page=1000&size=25",
    "page 100 of 100 rows": "page=100&size=100",
    "a search for a word": "q=violin",
    "a search for two words, sorted by length": "q=violin+winter&sort=-seconds",
    "a search without a hit": "q=zqxv",
    "sorted by key": "sort=-key",
    "sorted by length, the last page": "sort=-seconds&page=1000",
    "sorted by loudness of one system": "system={system}&sort=-lufs",
    "sorted by the number of warnings": "sort=-warnings",
    "one category, sorted by length": "category=maths&sort=seconds",
    "with any warning": "warning=any",
    "clipped, of one system": "warning=clipped&system={system}",
    "a response is missing": "missing=on",
    "a response of one system is missing": "missing=on&system={system}",
    "everything at once": "q=violin&category=maths&warning=any&system={system}&sort=-seconds&size=100",
}


def main() -> None:
    on_one_thread("benchmarks.much_data.items_table")
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        _prepare(Path(folder))
        report(n)


def _prepare(folder: Path) -> None:
    """SQLite in the folder, or the database that is named."""
    named = os.environ.get("DATABASE_URL")
    if not named:
        prepare(folder)
        return
    os.environ |= {
        "EARSHOT_DATA": str(folder), "SECRET_KEY": "benchmark", "DJANGO_SETTINGS_MODULE": "config.settings",
    }  # fmt: skip
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - after the setup

    call_command("migrate", verbosity=0)


def report(n: int) -> None:
    from django.core.management import call_command  # noqa: PLC0415 - after the setup
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from accounts.models import User  # noqa: PLC0415
    from corpus.figures.keeping import keep_figures  # noqa: PLC0415

    user = User.objects.create(username="owner", is_researcher=True)
    dataset = fill(n, user)
    first = timed(lambda: keep_figures(dataset), times=1)
    again = timed(lambda: keep_figures(dataset), times=1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    print(f"{n:,} items, {len(SYSTEMS)} systems, {connection.vendor}; seconds by the processor and by the clock\n")
    print(f"keeping the figures: {first[0]:.2f} s ({first[1]:.2f} s); again: {again[0]:.2f} s ({again[1]:.2f} s)\n")
    print("| request | processor (ms) | clock (ms) | 300 ms |\n|---|---|---|---|")
    for name, asked in ASKED.items():
        line(client, dataset, name, asked)


def line(client: Any, dataset: "Dataset", name: str, asked: str | None) -> None:
    address = dataset.get_absolute_url()
    if asked is not None:
        address += "items/?" + asked.format(system=dataset.systems.first().pk)  # type: ignore[union-attr]

    def fetch() -> None:
        if client.get(address).status_code != 200:
            raise RuntimeError(f"{address} did not come")

    fetch()
    processor, clock = timed(fetch, times=5)
    met = "met" if clock <= LIMIT_S else "MISSED"
    print(f"| {name} | {1000 * processor:.0f} | {1000 * clock:.0f} | {met} |", flush=True)


def fill(n: int, user: "User", name: str = "Many items") -> "Dataset":
    """A dataset with prompts and responses as an import leaves them, without files; some are faulty or missing."""
    from corpus.models import Dataset, Item, Response, ResponseTurn, System, Turn  # noqa: PLC0415 - after the setup

    rng = random.Random(1)
    dataset = Dataset.objects.create(name=name, slug=name.lower().replace(" ", "-"), created_by=user)
    systems = [System.objects.create(dataset=dataset, name=it) for it in SYSTEMS]
    categories = ("facts", "maths", "stories", "advice")
    items = Item.objects.bulk_create(
        [Item(dataset=dataset, key=f"item-{k:05}", category=categories[k % 4]) for k in range(n)], BATCH
    )
    clips = _clips(n * (len(systems) + 1), rng)
    turns = [Turn(item=it, position=1, text=_text(rng, 12), clip=clips.pop()) for it in items]
    Turn.objects.bulk_create(turns, BATCH)
    wanted = [(it, system) for it in items for system in systems if rng.random() > 0.002]
    said = Response.objects.bulk_create(
        [Response(item=it, system=system, key=f"{it}/{system}") for it, system in wanted], BATCH
    )
    answers = [ResponseTurn(response=it, position=1, text=_text(rng, 25), clip=clips.pop()) for it in said]
    ResponseTurn.objects.bulk_create(answers, BATCH)
    return dataset


def _text(rng: random.Random, n: int) -> str:
    return " ".join(rng.choices(WORDS, k=n)).capitalize() + "."


def _clips(n: int, rng: random.Random) -> list[Any]:
    from corpus.models import Clip  # noqa: PLC0415 - after the setup

    rows = []
    for k in range(n):
        seconds, fault = rng.lognormvariate(1.6, 0.35), rng.random()
        if fault < 0.001:
            seconds *= 12
        rows.append(
            Clip(
                sha256=f"{k:064x}", sound_sha256=f"{k if fault < 0.999 else k // 2:064d}", bytes=32_044,
                container="WAV", encoding="PCM_16", seconds=seconds, rate=16_000, channels=1,
                integrated_lufs=None if 0.001 < fault < 0.002 else rng.gauss(-23, 1.5),
                true_peak_dbtp=rng.gauss(-4, 1),
                clipped_samples=int(seconds * 500) if 0.002 < fault < 0.003 else 0,
                leading_silence_s=seconds if 0.001 < fault < 0.002 else 0.1, trailing_silence_s=0.1,
            )
        )  # fmt: skip
    return Clip.objects.bulk_create(rows, BATCH)


if __name__ == "__main__":
    main()
