"""Kill, flush, fill and mislead an installation under load, and see whether anything is lost.

    python -m benchmarks.faults [--seed 9] [fault …]

Everything that is hurt was started by this program, in folders of its own.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.faults import results
from benchmarks.faults.limit import at_most
from benchmarks.faults.model import well
from benchmarks.faults.services import NotHere, Postgres, Redis
from benchmarks.faults.site import Templates
from benchmarks.faults.trials import TRIALS, Result, Trial
from tests.judges.server import FakeServer

#: The load of a fault, its end and the looks at it come to less, on a busy machine too (s).
LONGEST_S = 1200


def main() -> int:
    asked = _asked()
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda *_: sys.exit("ended before all faults were seen"))
    chosen = [it for it in TRIALS if not asked.faults or it.name in asked.faults]
    if not chosen:
        sys.exit(f"there is no such fault; there are: {', '.join(it.name for it in TRIALS)}")
    with tempfile.TemporaryDirectory(prefix="earshot-faults-") as folder:
        found = _all(chosen, Path(folder), asked.seed)
    return 1 if any(it.broken for it in found) else 0


def _all(chosen: list[Trial], folder: Path, seed: int) -> list[Result]:
    model = FakeServer(well)
    templates, found = Templates(folder, model.url), []
    try:
        for trial in chosen:
            print(f"{trial.name} …", flush=True)
            began = time.monotonic()
            result = _one(trial, templates, model, random.Random(f"{seed} {trial.name}"))
            result.seconds = round(time.monotonic() - began, 1)
            result.at, result.load = f"{datetime.now(UTC):%Y-%m-%d %H:%M}", round(os.getloadavg()[0], 1)
            result.seed, result.machine = seed, results.described()
            results.show(result)
            results.write([result])
            found.append(result)
    finally:
        model.close()
        for service in (templates.postgres, templates.redis):
            if service and service.process and service.process.poll() is None:
                service.kill()
    return found


def _one(trial: Trial, templates: Templates, model: FakeServer, rng: random.Random) -> Result:
    try:
        if trial.scaled and templates.postgres is None:
            with at_most(120, "the start of PostgreSQL and Redis"):
                _start_services(templates)
        with at_most(LONGEST_S, "the fault"):
            return trial.tried(trial, templates, model, rng)
    except NotHere as reason:
        return Result(trial.name, trial.where, not_run=str(reason))
    except Exception as error:  # noqa: BLE001 - the others are still to be seen, and this one counts as broken
        traceback.print_exc()
        return Result(trial.name, trial.where, broken=[f"the bench itself: {type(error).__name__}: {error}"])


def _start_services(templates: Templates) -> None:
    redis, folder = Redis(), templates.folder / "postgres"
    folder.mkdir()
    postgres = Postgres(folder)
    redis.start()
    templates.redis = redis
    postgres.start()
    templates.postgres = postgres


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("faults", nargs="*", metavar="fault")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
