"""The table and the file that a run of the bench leaves."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.faults.trials import TRIALS, Result

FOLDER = Path(__file__).resolve().parent.parent / "results"
COLUMNS = ("fault", "where", "blows", "acknowledged", "refused", "longest wait", "judged", "holds", "took")
HEAD = f"| {' | '.join(COLUMNS)} |\n|---|---|--:|--:|--:|--:|--:|---|---|\n"


def show(result: Result) -> None:
    print(f"  {verdict(result)}, {result.seconds:.0f} s, {result.acknowledged} acknowledged, {result.judged} judged")
    for line in (*result.broken, *result.notes):
        print(f"    {line}")
    for row in result.said:
        print(f"      {row['who']} × {row['times']}: {row['saw']}")


def verdict(result: Result) -> str:
    if result.not_run:
        return f"not run: {result.not_run}"
    return "**BROKEN**" if result.broken else "all"


def write(found: Sequence[Result]) -> None:
    """Each fault's last try is kept; of those that were not tried now, the one before."""
    FOLDER.mkdir(exist_ok=True)
    kept, about = FOLDER / "faults.json", machine()
    before = json.loads(kept.read_text(encoding="utf-8"))["faults"] if kept.exists() else []
    last = {it["name"]: Result(**it) for it in before} | {it.name: it for it in found}
    rows = [last[it.name] for it in TRIALS if it.name in last]
    document = {"machine": about, "faults": [asdict(it) for it in rows]}
    kept.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (FOLDER / "faults.md").write_text(page(rows, about), encoding="utf-8")


def described() -> str:
    return ", ".join(f"{name}: {it}" for name, it in machine().items())


def page(found: Sequence[Result], about: dict[str, object]) -> str:
    described = ", ".join(f"{name}: {it}" for name, it in about.items())
    lines = [f"# Faults\n\n`make bench-faults`; {described}.\n\n", HEAD]
    for it in found:
        lines.append(
            f"| {it.name} | {it.where} | {len(it.blows)} | {it.acknowledged} | {it.refused} "
            f"| {it.longest_wait_s:.1f} s | {it.judged} | {verdict(it)} "
            f"| {it.seconds:.0f} s, {it.at}, load {it.load:g}{_elsewhere(it, described)} |\n"
        )
    for it in found:
        lines.append(f"\n## {it.name}, {it.where}\n\n")
        lines += [f"- {line}\n" for line in (*it.broken, *it.notes)]
        lines += [f"- blow: {blow} × {it.blows.count(blow)}\n" for blow in dict.fromkeys(it.blows)]
        lines += [f"- the {row['who']} saw, {row['times']} times: {row['saw']}\n" for row in it.said[:8]]
    return "".join(lines)


def _elsewhere(it: Result, described: str) -> str:
    """The machine of a fault's last try, where it was another one."""
    return f"; on {it.machine}" if it.machine not in ("", described) else ""


def machine() -> dict[str, object]:
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, "unknown")
