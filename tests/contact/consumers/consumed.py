"""Programs of a few lines that run where the libraries of those who read exports are installed, as published.

That is an environment of its own: `make consumers` makes .venv/consumers from packages.txt beside this file, since
arena-rank needs another NumPy.
"""

import json
import subprocess
from typing import Any

from tests.needs import lacking
from tests.paths import PROJECT

PYTHON = PROJECT / ".venv" / "consumers" / "bin" / "python"


def consumed(program: str, *arguments: object) -> Any:
    """What a program prints as JSON that runs where the consumers are installed."""
    if not PYTHON.exists():
        lacking("the consumers' libraries are not installed: `make consumers` does it")
    command = [str(PYTHON), "-W", "ignore", "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
