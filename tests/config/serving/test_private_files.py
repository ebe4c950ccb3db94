"""Nothing that Earshot writes can be read by another user of the machine."""

import http.client
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from celery import signals

from config.operations.private_files import check_private_files, tighten
from tests.browser.server import Server
from tests.paths import PROJECT

#: A few things that leave files: an upload and a clip.
WRITE = """
from django.core.files.uploadedfile import SimpleUploadedFile
from corpus.imports.uploads.actions import begin_import
from tests.factories import UserFactory
from tests.measurements.measuring import kept_clip, voice

kept_clip(voice(1))
manifest = SimpleUploadedFile("manifest.csv", b"item,turn,prompt_text,system\\n1,1,Why?,alpha\\n")
begin_import(user=UserFactory(), dataset_name="Set", manifest=manifest, archive=None, without_audio=True)
"""


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """As most machines have it; what is started here begins with it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def for_others(folder: Path) -> list[str]:
    return [
        f"{stat.filemode(path.stat().st_mode)} {path.relative_to(folder)}"
        for path in sorted([folder, *folder.rglob("*")])
        if path.stat().st_mode & 0o077
    ]


def test_installation_and_its_backup_are_for_its_user_alone(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", name="earshot_private_tests", redis_database=3)
    for folder in (server.data, server.data / "media"):  # as an older version left them
        folder.mkdir()
        folder.chmod(0o755)
    server.manage("migrate", "--verbosity", "0")
    server.manage("collectstatic", "--no-input", "--verbosity", "0")
    server.shell(WRITE)
    server.manage("backup", str(tmp_path / "backups" / "one"))
    server.start(worker=False)
    line = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    try:
        line.request("GET", "/readyz")  # asks the database, and leaves it open
        line.getresponse().read()
        if "DATABASE_URL" not in server.env:
            assert {f"earshot.sqlite3{end}" for end in ("", "-wal", "-shm")} <= {
                it.name for it in server.data.iterdir()
            }
        assert for_others(server.data) == []
    finally:
        line.close()
        server.kill()
    assert for_others(tmp_path / "backups") == []
    assert len(list(server.data.rglob("*"))) > 20


@pytest.fixture
def wide_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation as an older version left it."""
    data = tmp_path / "var"
    database = data / "earshot.sqlite3"
    there = SimpleNamespace(
        DATA_DIR=data,
        MEDIA_ROOT=data / "media",
        HOME_DIR=tmp_path,
        DATABASES={"default": {"ENGINE": "config.sqlite", "NAME": database}},
    )
    monkeypatch.setattr("config.operations.private_files.settings", there)
    there.MEDIA_ROOT.mkdir(parents=True)
    for folder in (data, there.MEDIA_ROOT):
        folder.chmod(0o755)
    for path in (database, database.with_name("earshot.sqlite3-wal"), tmp_path / ".env"):
        path.touch()
    return tmp_path


def test_check_for_deployment_names_what_others_may_read(wide_open: Path) -> None:
    named = {str(warning.msg).partition(" can be read")[0] for warning in check_private_files()}

    inside = ("var", "var/media", "var/earshot.sqlite3", "var/earshot.sqlite3-wal", ".env")
    assert named == {str(wide_open / name) for name in inside}
    assert {warning.id for warning in check_private_files()} == {"earshot.W001"}


def test_start_of_the_server_closes_it(wide_open: Path) -> None:
    assert len(tighten()) == 5
    assert (tighten(), check_private_files(), for_others(wide_open)) == ([], [], [])


def test_command_line_has_the_check() -> None:
    asked = "from django.core.checks.registry import registry as r; print([c.__name__ for c in r.deployment_checks])"
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": ""}
    ran = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {asked}"],
        cwd=PROJECT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "check_private_files" in ran.stdout


@pytest.mark.parametrize("signal", [signals.celeryd_init, signals.beat_init])
def test_worker_and_beat_write_for_their_user_alone(signal: signals.Signal) -> None:
    signal.send(sender="worker", instance=None, conf=None, options={})

    assert os.umask(0o022) == 0o077
