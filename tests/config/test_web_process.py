"""What a web process may load, and what a fresh start needs."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.firstrun import prepare
from tests.paths import PROJECT

HEAVY = (
    "torch",
    "onnxruntime",
    "hibari",
    "py_nanotts",
    "librosa",
    "onnx",
    "moonshine_voice",
    "resemblyzer",
    "scipy.fft",
    "scipy.linalg",
    "scipy.signal",
    "scipy.sparse",
    "scipy.special",
    "scipy.stats",
    "pandas",
)

REQUEST = f"""
import django
django.setup()
import sys
print([name for name in ("scipy", "matplotlib") if name in sys.modules])
from django.test import Client
import config.asgi
Client(HTTP_HOST="localhost").get("/accounts/login/")
print([name for name in {HEAVY} if name in sys.modules])
"""


def test_a_web_request_loads_no_heavy_library_and_a_command_no_statistics() -> None:
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": ""}

    ran = subprocess.run(
        [sys.executable, "-c", REQUEST], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split("\n") == ["[]", "[]", ""]


def test_settings_without_a_secret_key_say_what_to_do(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=PROJECT,
        env={"SECRET_KEY": "", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "Run `python -m config.firstrun` once" in ran.stderr


def test_first_run_writes_a_key_once_for_its_owner_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env_file, data = tmp_path / ".env", tmp_path / "deep" / "data"
    prepare(env_file, data)
    first = env_file.read_text()

    prepare(env_file, data)

    assert env_file.read_text() == first
    assert capsys.readouterr().out == (
        f"A random SECRET_KEY was written into {env_file}. Backups do not hold it: store a copy apart.\n"
    )
    assert len(first) > 50
    assert env_file.stat().st_mode & 0o077 == 0
    assert data.is_dir()
