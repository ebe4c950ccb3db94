"""SIGKILL while the files of a deleted dataset are being removed: the next worker removes the rest."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.server import Server
from tests.paths import PROJECT

pytestmark = pytest.mark.databases
CLIPS = 12
SET_UP = """
import hashlib
from corpus.models import Clip, Dataset, Item, Turn
from infrastructure.deletion.actions import archive, delete
from infrastructure.deletion.subjects import subject_of
from tests.factories import UserFactory

owner = UserFactory(is_researcher=True)
kept, gone = (Dataset.objects.create(name=name, slug=name, created_by=owner) for name in ("kept", "gone"))
for n in range(12):
    for dataset in (kept, gone):
        said = f"{dataset.slug} {n}".encode()
        clip = Clip.objects.create(
            sha256=hashlib.sha256(said).hexdigest(), bytes=len(said), container="WAV", encoding="PCM_16", seconds=1,
            rate=16000, channels=1, clipped_samples=0, leading_silence_s=0, trailing_silence_s=0,
        )
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        clip.path.write_bytes(said)
        item = Item.objects.create(dataset=dataset, key=str(n))
        Turn.objects.create(item=item, position=1, clip=clip)
archive(subject_of("dataset"), gone, by=owner)
print(delete(subject_of("dataset"), gone, typed=None, by=owner).subject)
"""
#: The third file that is removed takes the process with it, before and without any clearing up.
KILLED = """
import os, signal
from pathlib import Path
from infrastructure.deletion.purging import purge
unlink, left = Path.unlink, iter(range(3))

def unlink_or_die(path, missing_ok=False):
    if next(left, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
    unlink(path, missing_ok=missing_ok)

Path.unlink = unlink_or_die
purge("{about}", lambda *_said: None)
"""
AGAIN = 'from infrastructure.deletion.purging import purge; purge("{about}", lambda *_said: None)'


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    server = Server(tmp_path, name="earshot_killed_sweep_tests", redis_database=8, like=installed)
    yield server
    server.kill()


def holding(server: Server, said: bytes) -> list[Path]:
    return [path for path in server.data.rglob("*") if path.is_file() and path.read_bytes().startswith(said)]


def test_kill_in_the_sweep_of_files_leaves_nothing_once_it_runs_again(server: Server) -> None:
    about = server.shell(SET_UP).split()[-1]
    assert len(holding(server, b"gone ")) == CLIPS
    kills = 0
    while server.rows("SELECT COUNT(*) FROM infrastructure_deletion") != [(0,)]:
        command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", KILLED.format(about=about)]
        ended = subprocess.run(command, cwd=PROJECT, env=server.env, check=False)
        kills += ended.returncode == -9
        assert server.rows("SELECT name FROM corpus_dataset") == [("kept",)]
        if kills == 1:
            assert 0 < len(holding(server, b"gone ")) < CLIPS, "in the middle of the files"
        if kills == 2:
            server.shell(AGAIN.format(about=about))

    assert kills == 2
    assert holding(server, b"gone ") == []
    assert len(holding(server, b"kept ")) == CLIPS
    assert server.rows("SELECT COUNT(*) FROM corpus_clip") == [(CLIPS,)]
