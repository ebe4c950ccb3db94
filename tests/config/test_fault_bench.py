"""The fault bench ends by itself, whatever hangs; and what it says after a blow can be wrong."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.faults import limit
from benchmarks.faults.invariants import unsaid
from benchmarks.faults.limit import at_most
from benchmarks.faults.people import Said
from benchmarks.faults.services import is_alive, until


def hang() -> None:
    with at_most(1, "the fault"):
        try:
            time.sleep(60)
        finally:
            time.sleep(60)


def test_what_hangs_is_given_up_and_so_is_its_cleaning_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "GRACE_S", 1)
    began = time.monotonic()

    with pytest.raises(TimeoutError, match="the fault took longer than 1 s"):
        hang()

    assert time.monotonic() - began < 30


def test_what_ends_in_time_is_left_alone() -> None:
    with at_most(1, "the fault"):
        pass
    time.sleep(1.2)


def test_process_that_died_and_was_not_fetched_is_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    try:
        until(lambda: not is_alive(process.pid), "it is dead", 30)
        assert Path(f"/proc/{process.pid}").exists()
    finally:
        process.wait()
    assert not is_alive(process.pid)
    assert is_alive(os.getpid())


def test_only_what_was_said_since_the_blow_before_counts() -> None:
    said = Said()
    said.note("annotator", "The server could not be reached.")
    before = dict(said.seen)
    said.note("researcher", "No worker is running.")
    wanted = [("annotator", "could not be reached"), ("researcher", "No worker")]

    assert unsaid(said.since(before), wanted) == ["the annotator was never told /could not be reached/"]
    assert unsaid(said.since({}), wanted) == []
