"""The wheel, its command and its notebook against a live server."""

import csv
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import nbformat
import numpy as np
import pytest
import soundfile
from nbclient import NotebookClient

from tests.browser.server import Server as RunningServer
from tests.client.conftest import Installed
from tests.paths import PROJECT

NOTEBOOK = PROJECT / "client" / "tour.ipynb"


def make_recordings(folder: Path, *, systems: tuple[str, ...] = ("alpha", "beta")) -> Path:
    for n, system in enumerate(systems):
        (folder / system).mkdir(parents=True)
        for item in ("one", "two"):
            time = np.arange(8_000 + 2_000 * n) / 16_000
            soundfile.write(folder / system / f"{item}.wav", 0.2 * np.sin(2 * np.pi * (200 + 60 * n) * time), 16_000)
    return folder


def test_wheel_is_typed_and_brings_three_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(about).decode()

    needs = sorted(line.split()[1].partition("<")[0].partition(">")[0] for line in metadata.splitlines()
                   if line.startswith("Requires-Dist:"))  # fmt: skip
    assert needs == ["httpx", "pandas", "tqdm"]
    assert "License-Expression: MIT" in metadata
    assert "earshot_client/py.typed" in names
    assert not [name for name in names if not name.startswith(("earshot_client/", "earshot_client-"))]


def test_command_runs_a_study_from_a_folder(client: Installed, server: RunningServer, tmp_path: Path) -> None:
    folder = make_recordings(tmp_path / "recordings")
    command = ("-m", "earshot_client.command", "--quiet")

    slug = client.python(
        *command, "launch", str(folder), "--title", "Which tone?", "--listening", "none", "--loudness", "none"
    ).strip()
    link = client.python(*command, "invite", slug).strip()
    progress = client.python(*command, "progress", slug)
    client.python(*command, "judge", slug, "longest", "--to", str(tmp_path / "verdicts.csv"))
    client.python(*command, "answers", slug, "--to", str(tmp_path / "answers.csv"))
    saved = client.python(*command, "report", slug, "labels", "--keep", "--to", str(tmp_path / "figures"))
    client.python(*command, "pause", slug)
    refused = client.python(*command, "open", "no-such-study", code=1)

    assert slug == "which-tone"
    assert link.startswith(f"{server.url}/join/")
    assert "answers_wanted" in progress
    with (tmp_path / "verdicts.csv").open(encoding="utf-8") as file:
        assert {row["status"] for row in csv.DictReader(file)} == {"ok"}
    assert (tmp_path / "answers.csv").read_text().startswith("unit,item,")
    assert f"{server.url}/reports/" in saved
    assert "404 not_found" in refused
    sql = "SELECT status, target_lufs FROM campaigns_campaign WHERE slug='which-tone'"
    assert server.rows(sql) == [("paused", None)]


def test_folder_with_errors_is_refused_row_by_row(client: Installed, tmp_path: Path) -> None:
    folder = make_recordings(tmp_path / "faulty", systems=("alpha",))
    (folder / "manifest.csv").write_text("item,system,prompt_text,response_audio\none,alpha,Hi.,gone.wav\n")

    said = client.python("-m", "earshot_client.command", "launch", str(folder), "--title", "Nothing", code=1)

    assert "gone.wav" in said
    assert "Traceback" not in said


def test_notebook_runs_as_it_is_published(client: Installed) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell.id for cell in notebook.cells if cell.get("outputs")] == []  # it is kept without its output

    with environment(client.env):
        NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(client.folder.parent)}}).execute()

    shown = "\n".join(str(output) for cell in notebook.cells for output in cell.get("outputs", []))
    assert "'closed'" in shown
    assert "target_lufs" in shown
    assert "stderr" not in shown, shown  # no warnings


@contextmanager
def environment(env: dict[str, str]) -> Iterator[None]:
    """A kernel is started with the environment of its parent."""
    with mock.patch.dict(os.environ, env):
        yield


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "pyproject.toml"])
def test_package_has_what_it_is_published_with(name: str) -> None:
    assert (PROJECT / "client" / name).is_file()
