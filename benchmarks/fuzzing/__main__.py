"""Damaged, wrong and hostile files through every upload route.

    python -m benchmarks.fuzzing [inputs] [seed]

Two processes of their own, each with a database, a folder for media and one for temporary files, are given inputs by
their number, so that `python -m benchmarks.fuzzing one <number> [seed]` shows one again. An input passes if it is
taken, or refused in the product's own words; a crash, 5 s, a file left behind or a process that dies is a finding.
Ends with 1 if there are findings. Writes benchmarks/results/fuzzing.{md,json}.
"""

import json
import logging
import os
import random
import resource
import selectors
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.machine import described

INPUTS, SEED = 20_400, 9
PROCESSES = 2
SLOW_S, DEAD_S = 5.0, 60.0
#: Address space of a process; what wants more than this gets a MemoryError, which is a finding.
MOST_MEMORY = 6 * 1024**3
#: Above the process at rest. A manifest of 100 MB may want some hundred.
MOST_GROWTH_MB = 1_500
RESULTS = Path(__file__).parents[1] / "results"


@dataclass
class Tally:
    """The results of the inputs of one route."""

    taken: int = 0
    refused: int = 0
    longest_s: float = 0.0
    #: the largest resident size of the process after one of these inputs, in MB above the process at rest
    growth_mb: float = 0.0


@dataclass
class Outcome:
    inputs: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)
    routes: dict[str, Tally] = field(default_factory=dict)

    def note(self, said: dict[str, Any]) -> None:
        self.inputs += 1
        tally = self.routes.setdefault(said["route"], Tally())
        if self.inputs % 1000 == 0:
            print(f"  {self.inputs} inputs, {len(self.findings)} findings", file=sys.stderr)
        if "fault" in said:
            self._keep(said)
            return
        setattr(tally, said["outcome"], getattr(tally, said["outcome"]) + 1)
        tally.longest_s = max(tally.longest_s, said["took_s"])
        tally.growth_mb = max(tally.growth_mb, said["growth_mb"])
        if said["took_s"] > SLOW_S or said["growth_mb"] > MOST_GROWTH_MB:
            self._keep(said | {"fault": "slow" if said["took_s"] > SLOW_S else "memory"})

    def _keep(self, finding: dict[str, Any]) -> None:
        self.findings.append(finding)
        print(json.dumps(finding), file=sys.stderr)


class Worker:
    """A process that is given numbers of inputs, and that is started again where it dies or hangs."""

    def __init__(self, numbers: range, seed: int, folder: Path) -> None:
        self.numbers, self.seed, self.folder = numbers, seed, folder
        self.at: dict[str, Any] | None = None
        self._start(numbers)

    def _start(self, numbers: range) -> None:
        folder = self.folder / str(numbers.start)  # a new installation for whoever comes after one that died
        folder.mkdir(parents=True)
        command = [sys.executable, "-X", "faulthandler", "-m", "benchmarks.fuzzing", "work"]
        command += [str(self.seed), str(folder), str(numbers.start), str(numbers.stop), str(numbers.step)]
        self.log = (folder / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log)
        self.since = time.monotonic()

    def heard(self, outcome: Outcome) -> bool:
        """Take in a line; whether there will be more."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if line:
            said = json.loads(line)
            self.since = time.monotonic()
            if "begins" in said:
                self.at = said
            else:
                outcome.note(said)
                self.at = None
            return True
        code = self.process.wait()
        if code == 0:
            return False
        if self.at is None:
            raise RuntimeError(f"The process ended with {code}:\n{self._last_words()}")
        return self._go_on(outcome, f"the process died with {code}")

    def _last_words(self) -> str:
        """What it wrote at its end; of the modules that it had loaded, nothing."""
        written = Path(self.log.name).read_text(encoding="utf-8", errors="replace")
        return written.partition("\nExtension modules: ")[0][-3000:]

    def watch(self) -> None:
        if self.at and time.monotonic() - self.since > DEAD_S:
            self.process.kill()
            self.process.wait()

    def _go_on(self, outcome: Outcome, fault: str) -> bool:
        assert self.at
        died = {"number": self.at["begins"], "route": self.at["route"], "fault": fault}
        outcome.note(died | {"log": self._last_words()})
        rest = range(self.at["begins"] + self.numbers.step, self.numbers.stop, self.numbers.step)
        self.at = None
        if rest:
            self._start(rest)
        return bool(rest)


def main(inputs: int, seed: int) -> int:
    outcome, begin = Outcome(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="earshot-fuzzing-") as folder:
        workers = [Worker(range(n, inputs, PROCESSES), seed, Path(folder) / str(n)) for n in range(PROCESSES)]
        while workers:
            workers = [worker for worker in workers if _round(worker, outcome)]
    _tell(outcome, inputs, seed, time.monotonic() - begin)
    return 1 if outcome.findings else 0


def _round(worker: Worker, outcome: Outcome) -> bool:
    with selectors.DefaultSelector() as waiting:
        assert worker.process.stdout
        waiting.register(worker.process.stdout, selectors.EVENT_READ)
        if waiting.select(timeout=0.2):
            return worker.heard(outcome)
    worker.watch()
    return True


def work(seed: int, folder: Path, numbers: range) -> None:
    """In a process of its own: every input, a line before it and one after."""
    routes = _opened(folder)
    logging.disable()
    base_mb = _peak_mb()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for number in numbers:
        rng = random.Random(f"{seed}-{number}")
        route = routes.share_out(rng)
        name, content = routes.input_for(route, rng)
        print(json.dumps({"begins": number, "route": route.name}), flush=True)
        said: dict[str, Any] = {"number": number, "route": route.name}
        begin, busy = time.monotonic(), time.process_time()
        try:
            said["outcome"] = routes.try_one(route, name, content)
        except Exception as fault:  # noqa: BLE001 - all of them are findings
            said["fault"] = f"{type(fault).__name__}: {str(fault)[:300]}"
            frames = traceback.extract_tb(fault.__traceback__)[-6:]
            said["where"] = [f"{frame.filename}:{frame.lineno}" for frame in frames]
        # On a machine that is busy with other things the clock says little; what waits without computing hangs, too.
        busy, took = time.process_time() - busy, time.monotonic() - begin
        said["took_s"] = busy if busy > took / 50 else took
        print(json.dumps(said | {"growth_mb": _peak_mb() - base_mb}), flush=True)


def show(number: int, seed: int) -> None:
    """One input again, with its whole traceback; the file is left in the working folder."""
    with tempfile.TemporaryDirectory(prefix="earshot-fuzzing-") as folder:
        routes = _opened(Path(folder))
        rng = random.Random(f"{seed}-{number}")
        route = routes.share_out(rng)
        name, content = routes.input_for(route, rng)
        print(route.name, name, len(content), content[:200])
        Path(f"fuzzed-{number}").write_bytes(content)
        print(routes.try_one(route, name, content))


def _opened(folder: Path) -> Any:
    """The upload routes of a new installation in this folder. Django reads its settings only now."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = str(folder)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": "", "EARSHOT_DATA": str(folder / "data"),
        "REDIS_URL": "", "LOG_LEVEL": "ERROR",
    }  # fmt: skip
    del os.environ["DATABASE_URL"]
    import django
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command

    django.setup()
    (folder / "data").mkdir(exist_ok=True)
    settings.MIGRATION_MODULES = dict.fromkeys(app.label for app in apps.get_app_configs())
    call_command("migrate", run_syncdb=True, verbosity=0)  # the tables as they are now, without their history
    from benchmarks.fuzzing.routes import UploadRoutes

    routes = UploadRoutes()
    tempfile.tempdir = str(temporary)
    return routes


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _machine() -> str:
    load = ", ".join(f"{it:.1f}" for it in os.getloadavg())
    it = described()
    return f"{it['day']}: {it['cores']} cores of {it['processor']}, Python {it['python']}, load {load} at its end"


def _tell(outcome: Outcome, inputs: int, seed: int, seconds: float) -> None:
    RESULTS.mkdir(exist_ok=True)
    faults = Counter(finding["fault"] for finding in outcome.findings)
    told = {
        "inputs": outcome.inputs, "asked": inputs, "seed": seed, "seconds": round(seconds), "machine": _machine(),
        "findings": outcome.findings[:200],
        "routes": {name: asdict(it) for name, it in sorted(outcome.routes.items())},
    }  # fmt: skip
    (RESULTS / "fuzzing.json").write_text(json.dumps(told, indent=1) + "\n")
    lines = [
        "# Damaged and hostile uploads", "",
        f"`python -m benchmarks.fuzzing {inputs} {seed}` on {told['machine']}.", "",
        f"{outcome.inputs:,} inputs in {seconds:,.0f} s; findings (crash, over {SLOW_S:g} s, file left behind, "
        f"memory, death of the process): {len(outcome.findings)}.", "",
        "| route | taken | refused | longest (s) | memory above rest (MB) |", "|---|--:|--:|--:|--:|",
        *(f"| {name} | {it.taken:,} | {it.refused:,} | {it.longest_s:.2f} | {it.growth_mb:.0f} |"
          for name, it in sorted(outcome.routes.items())),
        *(["", *(f"- {n} × {fault}" for fault, n in faults.most_common())] if faults else []),
    ]  # fmt: skip
    (RESULTS / "fuzzing.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["work", seed, folder, first, last, step]:
            work(int(seed), Path(folder), range(int(first), int(last), int(step)))
        case ["one", number, *rest]:
            show(int(number), int(rest[0]) if rest else SEED)
        case given:
            asked = [int(it) for it in given]
            sys.exit(main(*(asked + [INPUTS, SEED][len(asked) :])))
