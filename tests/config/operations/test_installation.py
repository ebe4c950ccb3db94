"""An empty folder becomes an installation by `manage.py serve` alone."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from config.firstrun import prepare, prepare_if_bare
from config.operations.installation import prepare_installation, static_files_are_current
from config.serving.requests.addresses import local_address
from tests.browser.server import free_port, wait_for
from tests.paths import PROJECT


@pytest.fixture
def collected(settings: Settings, tmp_path: Path) -> Path:
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "config.serving.staticfiles.ModuleManifestStorage"}
    }
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "page.css").write_text("p {}")
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path / "source"


def test_static_files_that_were_collected_are_current(collected: Path) -> None:
    assert static_files_are_current()


def test_static_files_are_collected_again_where_one_is_new_or_was_changed(collected: Path) -> None:
    (collected / "new.css").write_text("a {}")
    assert not static_files_are_current()

    (collected / "new.css").unlink()
    assert static_files_are_current()
    later = time.time() + 60
    os.utime(collected / "page.css", (later, later))
    assert not static_files_are_current()


def test_static_files_that_were_never_collected_are_not_current(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path / "nothing"

    assert not static_files_are_current()


@pytest.mark.django_db
def test_prepared_installation_is_left_alone(settings: Settings, tmp_path: Path, collected: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    said: list[str] = []

    prepare_installation(said.append)

    assert said == []
    assert settings.DATA_DIR.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "HTTPS"])
def test_deployment_with_settings_of_its_own_is_given_no_stray_env_file(name: str, tmp_path: Path) -> None:
    prepare_if_bare({name: "set", "EARSHOT_DATA": str(tmp_path / "var")}, tmp_path / ".env")

    assert list(tmp_path.iterdir()) == []


def test_bare_environment_is_given_a_key(tmp_path: Path) -> None:
    prepare_if_bare({"EARSHOT_DATA": str(tmp_path / "var")}, tmp_path / ".env")

    assert re.fullmatch(r"SECRET_KEY=\S{50,}\n", (tmp_path / ".env").read_text())


def test_env_file_without_a_key_is_given_one_and_keeps_the_rest(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text("TIME_ZONE=Europe/Berlin\nSECRET_KEY=\n")

    prepare(env_file, tmp_path / "var")

    assert re.fullmatch(r"TIME_ZONE=Europe/Berlin\nSECRET_KEY=\n\nSECRET_KEY=\S{50,}\n", env_file.read_text())


def test_empty_folder_of_data_is_as_if_it_was_not_set(tmp_path: Path) -> None:
    """As a line `EARSHOT_DATA=` of an .env file makes it, for the first start and for the settings alike."""
    env = {"SECRET_KEY": "x", "PATH": "", "EARSHOT_HOME": str(tmp_path), "EARSHOT_DATA": ""}
    show = (
        "from config import firstrun, settings; import os; print(settings.DATA_DIR, firstrun.data_folder(os.environ))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", show], cwd=PROJECT, env=env, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split() == [str(tmp_path / "var")] * 2


@pytest.mark.parametrize(
    ("host", "https", "names", "address"),
    [
        ("127.0.0.1", False, ["localhost"], "http://127.0.0.1:8000"),
        ("0.0.0.0", False, ["localhost"], "http://localhost:8000"),
        ("::1", False, ["localhost"], "http://[::1]:8000"),
        ("127.0.0.1", True, ["localhost", "lab.example"], "https://lab.example"),
        ("127.0.0.1", True, [".lab.example", "*"], "http://127.0.0.1:8000"),
    ],
)
def test_address_is_one_that_a_browser_finds(
    settings: Settings, host: str, https: bool, names: list[str], address: str
) -> None:
    settings.HTTPS, settings.ALLOWED_HOSTS = https, names

    assert local_address(host, 8000) == address


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[tuple[dict[str, str], list[subprocess.Popen[str]]]]:
    """An environment in which nothing is set up, and the processes that a test starts there."""
    env = {"PATH": os.environ["PATH"], "EARSHOT_DATA": str(tmp_path / "data"), "LOG_LEVEL": "WARNING"}
    processes: list[subprocess.Popen[str]] = []
    yield env | {"SECRET_KEY": "only-for-tests"}, processes
    for process in processes:
        process.send_signal(signal.SIGKILL)
        process.wait()


def serve(env: dict[str, str], port: int) -> subprocess.Popen[str]:
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    return subprocess.Popen(command, cwd=PROJECT, env=env, stdout=subprocess.PIPE, text=True)


def test_two_web_processes_that_start_at_once_prepare_the_installation_once(
    bare: tuple[dict[str, str], list[subprocess.Popen[str]]],
) -> None:
    env, processes = bare
    ports = [free_port(), free_port()]
    processes.extend(serve(env, port) for port in ports)

    for port in ports:
        wait_for(f"http://127.0.0.1:{port}/readyz", seconds=180)
    said = []
    for process in processes:
        process.terminate()
        said.append(process.communicate(timeout=30)[0])

    assert sum("Preparing the database" in it for it in said) == 1
    assert sum("Collecting the files" in it for it in said) == 1
    codes = [re.search(r"/accounts/setup/\?code=(\S{32})", it) for it in said]
    assert all(codes)


def test_port_that_is_taken_is_said_before_anything_is_prepared(
    bare: tuple[dict[str, str], list[subprocess.Popen[str]]],
) -> None:
    env, _processes = bare
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "manage.py", "serve", "--port", str(port)]
        ended = subprocess.run(
            command, cwd=PROJECT, env=env, capture_output=True, text=True, timeout=120, check=False
        )

    assert ended.returncode == 3
    assert f"Cannot listen at 127.0.0.1, port {port}" in ended.stderr
    assert "choose another port" in ended.stderr
    assert "Preparing" not in ended.stdout
