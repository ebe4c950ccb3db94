"""The wheel: it is built, and serves from an empty folder without a checkout."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path

import httpx
import pytest

from config.operations.messages import catalogues, compile_stale
from config.operations.packages.lock import REQUIREMENTS, pins
from tests.browser.server import free_port
from tests.paths import APPS, PROJECT

#: Without the settings of this test run.
BARE = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for catalogue in catalogues():
        compile_stale(catalogue)
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, "."]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`earshot` in an environment of its own, which has the libraries of this one and nothing of the checkout."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (own,) = environment.glob("lib/python*/site-packages")
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    install = ["--python", environment / "bin" / "python", "install", "--no-deps", "--no-index", "--quiet", wheel]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    return environment / "bin" / "earshot"


@pytest.fixture(scope="module")
def served(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder where it was started, and the one-time address that it printed."""
    folder, port = tmp_path_factory.mktemp("empty"), free_port()
    process = subprocess.Popen(
        [command, "serve", "--port", str(port)],
        cwd=folder, env=BARE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout
        found = (re.search(r"http://\S+/accounts/setup/\?code=\S+", line) for line in process.stdout)
        yield folder, next(it[0] for it in found if it)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_wheel_has_every_folder_and_nothing_of_the_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        about = message_from_string(packed.read(next(it for it in names if it.endswith("/METADATA"))).decode())
    inside = {name.split("/")[2] for name in names if name.startswith("earshot_server/app/")}

    assert inside == APPS - {"deploy"} | {"locale", "static", "templates", "docs", "manage.py"}
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"earshot_server"}
    assert [name for name in names if name.endswith("django.mo")] == [
        "earshot_server/app/locale/de/LC_MESSAGES/django.mo"
    ]
    assert pins("\n".join(about.get_all("Requires-Dist", []))) == pins(REQUIREMENTS.read_text())


def test_installed_wheel_serves_from_an_empty_folder(served: tuple[Path, str]) -> None:
    folder, address = served
    with httpx.Client(follow_redirects=True) as client:
        page = client.get(address)
        style = re.search(r'href="(/static/[^"]+\.css)"', page.text)
        assert style
        found = [page.status_code, client.get(str(httpx.URL(address).join(style[1]))).status_code]
        german = client.get(address, headers={"Accept-Language": "de"})

    assert found == [200, 200]
    assert ('lang="en"' in page.text, 'lang="de"' in german.text) == (True, True)
    assert sorted(it.name for it in folder.iterdir()) == [".env", "var"]
    assert (folder / ".env").stat().st_mode & 0o077 == 0


def test_installed_wheel_has_the_other_commands_and_celerys(command: Path, served: tuple[Path, str]) -> None:
    folder, _ = served
    told = [
        subprocess.run([command, *arguments], cwd=folder, env=BARE, capture_output=True, text=True, check=True).stdout
        for arguments in (["check"], ["celery", "-A", "config", "report"])
    ]

    assert "no issues" in told[0]
    assert "earshot" in told[1] or "config" in told[1]
