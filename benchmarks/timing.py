"""Medians on one thread, and ratios between them.

What is timed is the processor's time and not the clock's: on one thread of an idle machine the two are the same, and
on a busy one the first still means something.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def on_one_thread(module: str) -> None:
    """Start this benchmark again, if need be, with libraries that keep to one thread: they ask before they load."""
    if any(os.environ.get(name) != "1" for name in _THREADS):
        os.execve(  # noqa: S606 — the same program, with another environment
            sys.executable,
            [sys.executable, "-m", module, *sys.argv[1:]],
            os.environ | dict.fromkeys(_THREADS, "1"),
        )


def seconds(work: Callable[[], object], *, times: int = 7) -> float:
    """The median time of `work`, which is called once before, so that it has loaded what it needs."""
    work()
    taken = []
    for _ in range(times):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return statistics.median(taken)


def told(duration: float) -> str:
    """A duration in the unit that suits it.

    >>> told(0.0000351), told(0.0123), told(2.5)
    ('35.1 µs', '12.3 ms', '2.50 s')
    """
    if duration < 1e-3:
        return f"{duration * 1e6:.1f} µs"
    return f"{duration * 1e3:.1f} ms" if duration < 1 else f"{duration:.2f} s"


def show(name: str, duration: float, *, target: float | None = None, beside: float | None = None) -> None:
    """Print a line: what, how long, against which target, and how many times the duration of `beside`."""
    line = f"  {name:<66} {told(duration):>10}"
    if target is not None:
        line += f"   target {told(target):>8}  {'met' if duration < target else 'MISSED'}"
    if beside is not None:
        line += f"   {duration / beside:,.1f} times ours"
    print(line)
