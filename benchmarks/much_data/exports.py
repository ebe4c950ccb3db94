"""100,000 answers on SQLite to a file of each format and in again: how long, how large, how much memory above idle.

    python -m benchmarks.much_data.exports [answers [format …]]

A campaign of as many people's answers, with what they heard, is written to a database of its own in a temporary
folder, and a tenth as many verdicts of a judge; its clips are noise, 400 MB in the file for the Hugging Face hub.
Each format is made by a process of its own, and taken in by another into an empty database. Idle is what that process
holds when everything is imported and nothing was read.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
import soundfile

from benchmarks.much_data.standings import open_campaign, prepare
from infrastructure.files.media import place_for

ANSWERS, UNITS, VOTERS, SYSTEMS = 100_000, 2_000, 500, 20
SECONDS, RATE = 2, 16_000
LIMIT_MB = 300
AT_ONCE = 5_000


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        django.setup()
        return one(sys.argv[2], Path(sys.argv[3]))
    if sys.argv[1:2] == ["--again"]:
        return again(sys.argv[2], Path(sys.argv[3]))
    answers = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        begin = time.perf_counter()
        fill(answers)
        print(f"{answers:,} answers and {answers // 10:,} verdicts, written in {time.perf_counter() - begin:.0f} s")
        print(f"  {'format':<14}{'rows':>9}{'seconds':>9}{'file':>10}{'idle':>9}{'above':>9}")
        from analytics.exports.formats.registry import FORMATS  # noqa: PLC0415 - after the setup

        for name in sys.argv[2:] or FORMATS:
            for which in ("--one", "--again"):
                command = [sys.executable, "-m", "benchmarks.much_data.exports", which, name, folder]
                subprocess.run(command, check=True)  # noqa: S603
            (Path(folder) / "export").unlink()
    return None


def one(name: str, folder: Path) -> None:
    from analytics.exports.making import write_export  # noqa: PLC0415 - after the setup
    from analytics.exports.request import Wanted  # noqa: PLC0415
    from analytics.exports.source import Source  # noqa: PLC0415
    from campaigns.models import Campaign  # noqa: PLC0415

    campaign = Campaign.objects.select_related("dataset").get()
    path, idle, begin = folder / "export", resident_mb(), time.perf_counter()
    n = write_export(Source(campaign, Wanted(judges=True), lambda *_: None), name, path)
    say(name, n, time.perf_counter() - begin, path.stat().st_size, idle)


def again(name: str, folder: Path) -> None:
    """Check the file and write it into an empty database, as the two jobs of an import do."""
    there = folder / f"there-{name}"
    there.mkdir()
    prepare(there)
    from accounts.models import User  # noqa: PLC0415 - after the setup
    from analytics.study_imports.uploads import look_at_study, take_in  # noqa: PLC0415
    from corpus.imports.uploads.checking import check_upload, write_checked  # noqa: PLC0415
    from corpus.imports.writing import Destination  # noqa: PLC0415
    from corpus.models import Label  # noqa: PLC0415

    destination = Destination("Again", "People", User.objects.create(username="owner"))
    path, idle, begin = folder / "export", resident_mb(), time.perf_counter()
    if name == "hugging-face":
        files, study = look_at_study(path, there, dataset_name="Again", progress=lambda *_: None)
        take_in(files, study, destination, lambda *_: None)
    else:
        checked = check_upload(path, None, dataset_name="Again", label_set_name="People", progress=lambda *_: None)
        write_checked(checked, None, destination, progress=lambda *_: None)
    say("  and in again", Label.objects.count(), time.perf_counter() - begin, path.stat().st_size, idle)


def say(name: str, n: int, taken: float, size: int, idle: float) -> None:
    above = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - idle
    verdict = "met" if above < LIMIT_MB else "MISSED"
    print(
        f"  {name:<14}{n:>9,}{taken:>7.1f} s{size / 1e6:>7.1f} MB{idle:>6.0f} MB{above:>6.0f} MB  {verdict}",
        flush=True,
    )


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def fill(n: int) -> None:
    campaign, people = open_campaign(VOTERS)
    units = make_units(campaign)
    for start in range(0, n, AT_ONCE):
        answer(campaign, units, people, range(start, min(start + AT_ONCE, n)))
    judge(campaign, units, n // 10)


def make_units(campaign: Any) -> list[Any]:
    """Pairs of two of the systems, each on an item of its own, with sound."""
    from campaigns.models import CampaignUnit  # noqa: PLC0415
    from corpus.models import Item, Response, ResponseTurn, System, Turn, Unit  # noqa: PLC0415

    rng, clips, dataset = random.Random(1), iter_clips(3 * UNITS), campaign.dataset
    systems = System.objects.bulk_create(System(dataset=dataset, name=f"system {n}") for n in range(SYSTEMS))
    items = Item.objects.bulk_create(Item(dataset=dataset, key=f"item {n}") for n in range(UNITS))
    Turn.objects.bulk_create(Turn(item=it, position=1, text="What is asked?", clip=next(clips)) for it in items)
    sides = [
        Response(item=item, system=it, key=f"{item.key}/{it.name}.wav")
        for item in items
        for it in rng.sample(systems, 2)
    ]
    responses = Response.objects.bulk_create(sides)
    ResponseTurn.objects.bulk_create(
        ResponseTurn(response=it, position=1, text="What is said.", path=it.key, clip=next(clips)) for it in responses
    )
    pairs = zip(items, responses[::2], responses[1::2], strict=True)
    units = Unit.objects.bulk_create(
        Unit(dataset=dataset, item=item, key=f"unit {n}", a=a, b=b) for n, (item, a, b) in enumerate(pairs)
    )
    return CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=n) for n, unit in enumerate(units)
    )


def iter_clips(n: int) -> Iterator[Any]:
    """Clips of noise, each another."""
    from corpus.models import Clip  # noqa: PLC0415 - after the setup

    rng = random.Random(2)
    clips = Clip.objects.bulk_create(
        Clip(
            sha256=f"{at:064x}", bytes=44 + 2 * SECONDS * RATE, container="WAV", encoding="PCM_16", seconds=SECONDS,
            rate=RATE, channels=1, clipped_samples=0, leading_silence_s=0, trailing_silence_s=0,
        )
        for at in range(n)
    )  # fmt: skip
    for clip in clips:
        with place_for(clip.path) as path, soundfile.SoundFile(path, "w", RATE, 1, "PCM_16", format="WAV") as file:
            file.buffer_write(rng.randbytes(2 * SECONDS * RATE), "int16")
        yield clip


def answer(campaign: Any, units: list[Any], people: list[Any], numbers: range) -> None:
    """One person answers one unit, in turn, with what was heard."""
    from annotation.models import Annotation, Answer, Assignment  # noqa: PLC0415 - after the setup

    rng, when = random.Random(numbers.start), datetime(2026, 1, 1, tzinfo=UTC)
    clips = {name: {"coverage": 0.97, "plays": 2} for name in ("prompt-1", "a-1", "b-1")}
    heard = {"clips": clips, "played_s": 12.5, "switches": 3, "hidden_s": 0.0}
    assignments = [
        Assignment(
            campaign=campaign, campaign_unit=units[n % len(units)], annotator=people[n // len(units) % len(people)],
            order=rng.choice(("ab", "ba")), seat=n // len(units) + 1, status="answered", reserved_at=when,
            expires_at=when + timedelta(hours=1),
        )
        for n in numbers
    ]  # fmt: skip
    Assignment.objects.bulk_create(assignments)
    annotations = Annotation.objects.bulk_create(
        Annotation(assignment=it, idempotency_key="k", shown_at=when, listening=heard, language="en", confidence=2)
        for it in assignments
    )
    values = ("a", "b", "both_good", "both_bad")
    Answer.objects.bulk_create(
        Answer(annotation=it, aspect="overall", value=rng.choice(values)) for it in annotations
    )


def judge(campaign: Any, units: list[Any], n: int) -> None:
    from judges.models import Judge, Run, Verdict, VerdictAnswer  # noqa: PLC0415 - after the setup

    owner, now = campaign.created_by, datetime(2026, 1, 2, tzinfo=UTC)
    row = Judge.objects.create(title="Judge", kind="random", kind_version="1", digest="d", created_by=owner)
    run = Run.objects.create(
        campaign=campaign, judge=row, started_by=owner, status="done", samples=n // len(units) + 1
    )
    verdicts = Verdict.objects.bulk_create(
        Verdict(run=run, unit_id=units[at % len(units)].unit_id, order="ab", sample=at // len(units), status="ok",
                judged_at=now)
        for at in range(n)
    )  # fmt: skip
    VerdictAnswer.objects.bulk_create(VerdictAnswer(verdict=it, aspect="overall", value="a") for it in verdicts)


if __name__ == "__main__":
    main()
