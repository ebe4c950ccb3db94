"""The client as it is installed: built into a wheel, in a folder of its own, against a server that runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.server import Server as RunningServer
from tests.paths import PROJECT

PEOPLE = """
from accounts.models import User
from accounts.tokens.tokens import make_token
for name, scopes, is_researcher in (("ada", ["read", "write", "judge"], True), ("bob", ["annotate"], False)):
    user = User.objects.create_user(name, password="x", is_researcher=is_researcher)
    print(make_token(user, name="client", scopes=scopes, days=1)[1])
"""


@dataclass(frozen=True)
class Installed:
    """Where the client is installed, and the environment in which it finds its server and tokens."""

    folder: Path
    env: dict[str, str]

    def python(self, *arguments: str, code: int = 0) -> str:
        ran = subprocess.run(
            [sys.executable, *arguments],
            env=self.env,
            cwd=self.folder.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(into), str(PROJECT / "client")], check=True)
    (found,) = into.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, installed: RunningServer) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("server"), like=installed)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def client(wheel: Path, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("client") / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*install, str(wheel)], check=True)
    researcher, annotator = server.shell(PEOPLE).split()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "PYTEST_"))}
    env |= {
        "PYTHONPATH": str(folder),
        "EARSHOT_URL": server.url,
        "EARSHOT_TOKEN": researcher,
        "ANNOTATOR_TOKEN": annotator,
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
    }
    return Installed(folder, env)
