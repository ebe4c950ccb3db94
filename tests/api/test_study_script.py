"""The script of the documentation runs a study by the API alone, against a live server with its worker."""

import csv
import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.browser.server import Server
from tests.paths import PROJECT

ITEMS, SYSTEMS = ("one", "two", "three"), ("Alpha", "Beta")
PEOPLE = """
from accounts.models import User
from accounts.tokens.tokens import make_token
for name, scopes, is_researcher in (("ada", ["read", "write", "judge"], True), ("bob", ["annotate"], False)):
    user = User.objects.create_user(name, password="x", is_researcher=is_researcher)
    print(make_token(user, name="script", scopes=scopes, days=1)[1])
"""
#: Before the script: every request is noted.
COUNTED = """
import atexit, os, httpx
calls, send = [], httpx.Client.send
def noted(self, request, **more):
    calls.append(f"{request.method} {request.url.path}")
    return send(self, request, **more)
httpx.Client.send = noted
atexit.register(lambda: open(os.environ["CALLS"], "w").write("\\n".join(calls)))
"""


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    data = tmp_path / "server"
    data.mkdir()
    server = Server(data, like=installed)
    server.start()
    yield server
    server.kill()


def n_calls(file: Path) -> int:
    """How many calls the script makes beside the labelling; asking again for what is not ready yet counts once."""
    calls = [line.split() for line in file.read_text().splitlines()]
    others = [(method, path) for method, path in calls if not path.startswith(("/api/v1/label/", "/api/v1/clips/"))]
    posts = [it for it in others if it[0] != "GET"]
    return len(posts) + len({it for it in others if it[0] == "GET"})


def make_study(folder: Path) -> None:
    """Three prompts and two answers to each, as tones; Alpha's are longer. The last prompt is words alone."""
    folder.mkdir()
    rows, pitch = [["item", "system", "prompt_text", "prompt_audio", "response_audio"]], 200.0
    with zipfile.ZipFile(folder / "audio.zip", "w") as archive:
        for item in ITEMS:
            paths = [(f"{item}.wav", 0.5), *((f"{item}-{it}.wav", 0.6 + 0.4 * (it == "Alpha")) for it in SYSTEMS)]
            for path, seconds in paths:
                pitch += 20
                time = np.arange(int(seconds * 16_000)) / 16_000
                sound = io.BytesIO()
                soundfile.write(sound, 0.2 * np.sin(2 * np.pi * pitch * time), 16_000, format="WAV")
                archive.writestr(path, sound.getvalue())
                (folder / "late.wav").write_bytes(sound.getvalue())
            spoken = f"{item}.wav" if item != ITEMS[-1] else ""
            rows += [[item, it, f"Say {item}.", spoken, f"{item}-{it}.wav"] for it in SYSTEMS]
    with (folder / "manifest.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def test_script_runs_a_study_from_upload_to_export(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder)
    page = (PROJECT / "docs" / "how-to" / "run-a-study-by-api.md").read_text(encoding="utf-8")
    script = tmp_path / "study.py"
    steps = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    script.write_text("\n".join([COUNTED, *steps]), encoding="utf-8")
    researcher, annotator = server.shell(PEOPLE).split()
    tokens = {"EARSHOT": server.url, "FOLDER": str(folder), "TOKEN": researcher, "ANNOTATOR_TOKEN": annotator}

    env = os.environ | tokens | {"CALLS": str(tmp_path / "calls.txt")}
    ran = subprocess.run(
        [sys.executable, str(script)], env=env, capture_output=True, text=True, check=False, timeout=240
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    with (folder / "export-csv").open(encoding="utf-8") as file:
        answers = list(csv.DictReader(file))
    assert {row["item"] for row in answers} == set(ITEMS)
    assert {row["annotator"] for row in answers if row["annotator"]} == {"A1"}
    assert len((folder / "export-trace").read_text().splitlines()) == len(ITEMS)
    assert zipfile.is_zipfile(folder / "export-hugging-face")
    assert (folder / "counts-overall.png").read_bytes().startswith(b"\x89PNG")
    with (folder / "counts-overall.csv").open(encoding="utf-8") as file:
        assert list(csv.DictReader(file))
    assert server.rows("SELECT COUNT(*) FROM annotation_annotation") == [(3,)]
    assert server.rows("SELECT status, COUNT(*) FROM judges_verdict GROUP BY status") == [("ok", 6)]
    assert "overall The longer one 3" in ran.stdout, ran.stdout
    assert n_calls(tmp_path / "calls.txt") == 40
