"""The other side: Docker Compose, by the JSON schema of its specification, which the package check-jsonschema has."""

import subprocess
import sys
from pathlib import Path

from tests.paths import PROJECT

COMPOSE = PROJECT / "docker" / "compose.yml"


def complaints(path: Path) -> str:
    """What the schema has against the file; empty where it has nothing."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def test_compose_file_is_as_the_specification_has_it() -> None:
    assert complaints(COMPOSE) == ""


def test_schema_finds_a_word_that_compose_does_not_know(tmp_path: Path) -> None:
    wrong = tmp_path / "compose.yml"
    wrong.write_text(COMPOSE.read_text(encoding="utf-8").replace("cap_drop:", "capdrop:"), encoding="utf-8")

    assert "capdrop" in complaints(wrong)
