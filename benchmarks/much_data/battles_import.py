"""140,000 battles in the shape of LMArena's 140k release, checked and written: seconds, and the most memory of each.

    python -m benchmarks.much_data.battles_import [battles] [file]

The file is made here, of words drawn at random: the columns of the release, one to four turns, responses of about
2,600 characters. It stays where a path is named. The two jobs of the page run in this process, on SQLite or, with
`DATABASE_URL`, PostgreSQL, while another process writes a row every 20 ms. Printed for both: seconds by the clock and
of the processor, the most memory so far, and how long the other process waited. Against 300 s and 600 MB.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import pyarrow as pa
import pyarrow.parquet as pq
from django.core.files.uploadedfile import UploadedFile

from benchmarks.much_data.standings import open_campaign, prepare
from benchmarks.much_data.verdict_import import show, write_beside

BATTLES, ROWS_AT_ONCE = 140_000, 1_000
LONGEST_S, MOST_MB = 300, 600
SYSTEMS, LANGUAGES = 53, ("en", "pl", "ru", "zh", "de", "ja")
WINNERS = ("model_a", "model_b", "tie", "both_bad")
TURNS, MORE_TURNS = 4, 0.25
PROMPT, RESPONSE = (3, 120), (20, 800)
MESSAGE = pa.struct([
    ("role", pa.string()),
    ("content", pa.list_(pa.struct([(name, pa.string()) for name in ("type", "text", "image", "mimeType")]))),
])  # fmt: skip
TAGS = pa.struct([
    ("creative_writing_v0.1", pa.struct([("creative_writing", pa.bool_()), ("score", pa.string())])),
    ("criteria_v0.1", pa.struct([(name, pa.bool_()) for name in ("complexity", "creativity", "specificity")])),
    ("if_v0.1", pa.struct([("if", pa.bool_()), ("score", pa.int64())])),
    ("math_v0.1", pa.struct([("math", pa.bool_())])),
])  # fmt: skip
SIDES = pa.list_(pa.struct([("user", MESSAGE), ("model_side_a", MESSAGE), ("model_side_b", MESSAGE)]))
SCHEMA = pa.schema([
    ("id", pa.string()), ("model_a", pa.string()), ("model_b", pa.string()), ("winner", pa.string()),
    ("evaluation_session_id", pa.string()), ("evaluation_order", pa.int16()), ("conversation_a", pa.list_(MESSAGE)),
    ("conversation_b", pa.list_(MESSAGE)), ("full_conversation", SIDES),
    ("conv_metadata", pa.struct([("turns", pa.int64()), ("sum_assistant_a_tokens", pa.int64())])),
    ("category_tag", TAGS), ("language", pa.string()), ("is_code", pa.bool_()), ("timestamp", pa.timestamp("us")),
])  # fmt: skip


def main() -> None:
    if sys.argv[1:2] == ["--beside"]:
        django.setup()
        return write_beside(Path(sys.argv[2]))
    n = int(sys.argv[1]) if len(sys.argv) > 1 else BATTLES
    with tempfile.TemporaryDirectory() as folder:
        battles = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "battles.parquet"
        if not battles.exists():
            # A process of its own, whose memory is not counted.
            code = f"from benchmarks.much_data.battles_import import *; make({n}, Path({str(battles)!r}))"
            subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603
        prepare(Path(folder))
        print(f"{n:,} battles in {battles.stat().st_size / 1024**2:,.0f} MB; idle: {most_mb()} MB", flush=True)
        took = measure(battles, Path(folder))
    sys.exit(took > LONGEST_S or most_mb() > MOST_MB)


def make(n: int, path: Path) -> None:
    rng = random.Random(0)
    words = ["".join(rng.choices("etaoinshrdlucmfw", k=rng.randint(2, 9))) for _ in range(5_000)]
    with pq.ParquetWriter(path, SCHEMA) as writer:
        for begin in range(0, n, ROWS_AT_ONCE):
            rows = [battle(at, rng, words) for at in range(begin, min(n, begin + ROWS_AT_ONCE))]
            writer.write_table(pa.Table.from_pylist(rows, SCHEMA))


def battle(at: int, rng: random.Random, words: list[str]) -> dict[str, Any]:
    a, b = rng.sample(range(SYSTEMS), 2)
    turns = list(talks(rng, words))
    sides: list[list[Any]] = [[it for user, *said in turns for it in (user, said[side])] for side in (0, 1)]
    return {
        "id": f"{at:08x}-{rng.getrandbits(64):016x}", "model_a": f"model-{a}", "model_b": f"model-{b}",
        "winner": rng.choice(WINNERS), "evaluation_session_id": f"{rng.getrandbits(64):016x}", "evaluation_order": 1,
        "conversation_a": sides[0], "conversation_b": sides[1],
        "full_conversation": [{"user": it[0], "model_side_a": it[1], "model_side_b": it[2]} for it in turns],
        "conv_metadata": {"turns": len(turns), "sum_assistant_a_tokens": 700},
        "category_tag": {"math_v0.1": {"math": rng.random() < 0.1}, "if_v0.1": {"if": rng.random() < 0.2, "score": 3},
                         "creative_writing_v0.1": {"creative_writing": rng.random() < 0.1, "score": "2"},
                         "criteria_v0.1": {"complexity": True, "creativity": False, "specificity": True}},
        "language": rng.choice(LANGUAGES), "is_code": False, "timestamp": (1_745_000_000 + 30 * at) * 1_000_000,
    }  # fmt: skip


def talks(rng: random.Random, words: list[str]) -> Iterator[tuple[Any, Any, Any]]:
    """The turns of a battle: what was asked, and what either side said."""
    for n in range(TURNS):
        if n and rng.random() > MORE_TURNS:
            return
        asked, *said = (" ".join(rng.choices(words, k=rng.randint(*size))) for size in (PROMPT, RESPONSE, RESPONSE))
        yield message("user", asked), message("assistant", said[0]), message("assistant", said[1])


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text, "image": None, "mimeType": None}]}


def measure(battles: Path, folder: Path) -> float:
    """Check and write the file by the page's jobs; the seconds by the clock."""
    from accounts.models import User  # noqa: PLC0415 - after the setup
    from config.serving.gc_tuning import freeze_objects  # noqa: PLC0415
    from corpus.imports.uploads.actions import begin_import, confirm_import  # noqa: PLC0415
    from corpus.imports.uploads.jobs import check_import, write_import  # noqa: PLC0415
    from corpus.models import Label, ResponseTurn  # noqa: PLC0415

    freeze_objects()  # as the server does, in which the worker of the embedded mode runs
    open_campaign(2)  # which the other process writes to
    user = User.objects.create(username="ruth", is_researcher=True)
    with battles.open("rb") as file:
        manifest = UploadedFile(file, "battles.parquet")
        row = begin_import(user=user, dataset_name="LMArena", manifest=manifest, archive=None)
    stop = folder / "stop"
    command = [sys.executable, "-m", "benchmarks.much_data.battles_import", "--beside", str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as beside:  # noqa: S603
        time.sleep(5)  # until it is set up
        took = timed("check", lambda: check_import(str(row.pk), quiet))
        row.refresh_from_db()
        print({name: row.report.get(name) for name in ("items", "responses", "labels", "errors", "warnings")})
        confirm_import(row, user=user)
        took += timed("writing", lambda: write_import(str(row.pk), quiet))
        stop.touch()
        found = [[float(it) for it in line.split()] for line in beside.stdout or ()]
    row.refresh_from_db()
    print(f"{row.status}: {Label.objects.count():,} labels, {ResponseTurn.objects.count():,} turns of responses")
    show("beside it", [it[0] for it in found])
    print(
        f"together {took:.0f} s of {LONGEST_S}, {most_mb()} MB of {MOST_MB}; load {os.getloadavg()[0]:.1f} at the end"
    )
    return took


def quiet(done: int, total: int, note: object) -> None:
    """Nobody watches."""


def timed(name: str, work: Any) -> float:
    begin, used = time.perf_counter(), time.process_time()
    work()
    took = time.perf_counter() - begin
    print(f"{name}: {took:.0f} s by the clock, {time.process_time() - used:.0f} s of the processor, {most_mb()} MB",
          flush=True)  # fmt: skip
    return took


def most_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
