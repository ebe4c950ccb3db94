"""The published research data as plain labels, and the figures that others computed from it."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def truth(shared_data: Path) -> Callable[[str], dict[str, Any]]:
    """A function: the reference figures of that name."""
    return lambda name: json.loads((shared_data / "truth" / f"{name}.json").read_text())


@pytest.fixture(scope="session")
def table(shared_data: Path) -> Callable[[str], list[dict[str, str]]]:
    """A function: the rows of that CSV file."""

    def read(name: str) -> list[dict[str, str]]:
        with (shared_data / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    return read


@pytest.fixture(scope="session")
def release(shared_data: Path) -> list[dict[str, Any]]:
    """The HCoT release in the order of its index."""
    lines = (shared_data / "hcot" / "hcot_speakbench.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda row: row["index"])
