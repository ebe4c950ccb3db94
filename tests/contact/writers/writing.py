"""Other tools' own programs, run where these tools are installed as published.

That is an environment of its own: `make writers` makes .venv/writers from packages.txt beside this file. They reach
no network. One server of theirs is started, pyMUSHRA's, on the loopback address, as long as a test needs it.
"""

import os
import subprocess
from pathlib import Path

from tests.needs import lacking
from tests.paths import PROJECT

PYTHON = PROJECT / ".venv" / "writers" / "bin" / "python"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def run(*arguments: object, folder: Path | None = None, **environment: object) -> str:
    """What Python prints where the writers are installed, in a folder and with variables of the environment."""
    if not PYTHON.exists():
        lacking("the tools that write files are not installed: `make writers` does it")
    command = [str(PYTHON), "-W", "ignore", *map(str, arguments)]
    environ = os.environ | OFFLINE | {name: str(value) for name, value in environment.items()}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=folder, env=environ
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
