"""The units against each other, against systemd's own check where it is installed, and against the code."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from celery.app.utils import find_app
from django.core.management import get_commands, load_command_class

from config.celery import app
from tests.cases import each
from tests.config.operations.test_settings_reference import settings_variables
from tests.paths import PROJECT

UNITS = PROJECT / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
#: Without these a fault in the program is a fault of the machine.
HARDENING = {
    "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
    "PrivateDevices": "yes", "RestrictSUIDSGID": "yes", "CapabilityBoundingSet": "", "User": "earshot",
}  # fmt: skip


def directives(name: str) -> list[tuple[str, str, str]]:
    """Section, name and value of every line that is neither empty nor a comment."""
    found, section = [], ""
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, sign, value = line.partition("=")
            assert sign, f"{name}: {line}"
            found.append((section, key, value))
    return found


def values(name: str, key: str) -> list[str]:
    return [value for _, known, value in directives(name) if known == key]


def commands(name: str) -> list[str]:
    return values(name, "ExecStartPre") + values(name, "ExecStart")


def test_there_is_a_unit_for_everything_that_runs() -> None:
    assert [f"earshot-{name}.service" for name in ("backup", "beat", "web", "worker")] == SERVICES
    assert (UNITS / "earshot-backup.timer").is_file()


@each("name", SERVICES)
def test_service_is_hardened_limited_and_comes_back(name: str) -> None:
    assert {key: values(name, key)[-1] for key in HARDENING} == HARDENING
    assert values(name, "MemoryMax")
    assert values(name, "Restart") == ([] if name == "earshot-backup.service" else ["always"])


@each("name", SERVICES)
def test_environment_is_that_of_the_settings(name: str) -> None:
    (given,) = values(name, "Environment")
    set_here = dict(word.split("=") for word in given.split())
    assert set(set_here) <= set(settings_variables()) | {"PYTHONUNBUFFERED"}
    assert set_here["EARSHOT_DATA"] == f"/var/lib/{values(name, 'StateDirectory')[0]}"


@each("name", SERVICES)
def test_commands_are_there_and_take_these_options(name: str) -> None:
    managed = 0
    for line in commands(name):
        if found := re.search(r"manage\.py (\w+)(.*)", line):
            command = load_command_class(get_commands()[found[1]], found[1])
            arguments = re.sub(r'"[^"]*"', "folder", found[2]).strip("' ").split()
            command.create_parser("manage.py", found[1]).parse_args(arguments)
            managed += 1
        else:
            assert find_app(re.findall(r"celery -A (\w+) (?:worker|beat) ", line)[0]) is app
    assert managed == {"earshot-web.service": 3, "earshot-backup.service": 1}.get(name, 0)


@pytest.mark.parametrize("name", [*SERVICES, "earshot-backup.timer"])
def test_systemd_itself_finds_nothing_to_say(name: str, tmp_path: Path) -> None:
    """With programs that are there in place of those at /opt/earshot."""
    if not (analyze := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze is not installed")
    for path in UNITS.iterdir():
        text = re.sub(r"/opt/earshot/\.venv/bin/\w+", "/bin/true", path.read_text(encoding="utf-8"))
        (tmp_path / path.name).write_text(text.replace("WorkingDirectory=/opt/earshot", "WorkingDirectory=/"))
    said = subprocess.run(
        [analyze, "verify", "--man=no", "--recursive-errors=no", str(tmp_path / name)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (said.returncode, [line for line in said.stderr.splitlines() if "earshot" in line]) == (0, [])
