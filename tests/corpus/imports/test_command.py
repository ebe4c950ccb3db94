import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from corpus.models import Clip, Dataset, ImportRecipe, Label, LabelSet
from tests.importing import PAIR, PAIRS, sha
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(PAIRS))
    return path


@pytest.fixture
def command(researcher, capsys):
    """A function: run the command and return what it prints."""

    def run(*arguments):
        call_command("import_dataset", *map(str, arguments), "--dataset", "Set", "--user", "ruth", no_color=True)
        return capsys.readouterr().out

    return run


COUNTS = "2 rows, 1 items, 3 responses, 2 units, 4 labels, 4 clips, 0 errors, 0 warnings\n"


def test_command_imports_from_a_folder(command, manifest, folder, contents, imported):
    printed = command(manifest, "--audio", folder)

    assert printed == COUNTS + "Imported into dataset set.\n"
    assert contents(Dataset.objects.get()) == contents(imported(PAIRS, labels="Labels of pairs", dataset="By hand"))


def test_command_imports_from_a_zip(command, manifest, archive, tmp_path, contents, imported):
    command(manifest, "--audio", tmp_path / "audio.zip", "--labels", "Labels")

    assert contents(Dataset.objects.get()) == contents(imported(PAIRS, dataset="By hand"))


def test_command_imports_without_audio(command, manifest):
    printed = command(manifest, "--without-audio")

    assert printed.splitlines()[0] == COUNTS.replace("4 clips", "0 clips").strip()
    assert (LabelSet.objects.get().name, Clip.objects.count()) == ("Labels of pairs", 0)


def test_command_run_dry_writes_nothing(command, manifest, folder, everything):
    before = everything()

    assert command(manifest, "--audio", folder, "--dry-run") == COUNTS
    assert everything() == before


def test_command_run_twice_changes_nothing(command, manifest, folder, everything):
    command(manifest, "--audio", folder)
    before = everything()

    command(manifest, "--audio", folder)

    assert everything() == before


def test_command_lists_the_problems_and_writes_nothing(command, manifest, folder, everything, capsys):
    (folder / "a1.wav").unlink()
    manifest.write_text(json.dumps([*PAIRS, PAIR | {"index": 2, "label": "X"}]))
    before = everything()

    with pytest.raises(CommandError, match=r"^2 errors: nothing was written\.$"):
        command(manifest, "--audio", folder)

    assert capsys.readouterr().out.splitlines()[:2] == [
        "error: row 1, audio: a1.wav is missing from the audio folder.",
        "error: row 3, label overall: Unknown label 'X'. Known are 1, 2, both_good, both_bad, tie, same. Else "
        "map its values.",
    ]
    assert everything() == before


def test_command_refuses_what_cannot_be_read(command, manifest, tmp_path, everything):
    (tmp_path / "empty.csv").write_bytes(b"")
    before = everything()
    refusals = {
        (manifest,): "Name the audio with --audio, or say --without-audio.",
        (tmp_path / "empty.csv", "--without-audio"): "The manifest is empty (0 bytes).",
        (tmp_path / "none.csv", "--without-audio"): f"[Errno 2] No such file or directory: '{tmp_path}/none.csv'",
        (manifest, "--audio", manifest): "The audio file is not a readable ZIP: File is not a zip file.",
        (manifest, "--without-audio", "--user", "nobody"): "There is no user 'nobody'.",
    }

    for arguments, message in refusals.items():
        with pytest.raises(CommandError) as refused:
            call_command("import_dataset", "--dataset", "Set", "--user", "ruth", *map(str, arguments))
        assert str(refused.value) == message

    assert everything() == before


PREPARE = """
import django
django.setup()
from django.core.management import call_command
from accounts.models import User
call_command("migrate", verbosity=0)
User.objects.create(username="ruth")
"""


class Installation:
    """A database and a data folder of its own, worked on by processes that can really be killed."""

    def __init__(self, data):
        self.database = data / "earshot.sqlite3"
        self.environment = os.environ | {
            "EARSHOT_DATA": str(data),
            "DATABASE_URL": f"sqlite:///{self.database}",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "only-for-tests",
        }

    def python(self, *arguments, kill_at=None):
        """Run Python on it; kill it once it has said `kill_at`. Return its exit code."""
        command = [sys.executable, *map(str, arguments)]
        with subprocess.Popen(
            command, cwd=PROJECT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            for line in process.stderr:
                if kill_at and line.startswith(kill_at):
                    process.kill()
        return process.returncode

    def count(self, table):
        with closing(sqlite3.connect(self.database)) as database:
            return database.execute(f"SELECT count(*) FROM corpus_{table}").fetchone()[0]  # noqa: S608


def test_command_that_is_really_killed_completes_when_run_again(tmp_path, sound, installed):
    audio, manifest = tmp_path / "audio", tmp_path / "pairs.json"
    audio.mkdir()
    for n in range(180):
        (audio / f"{n}.wav").write_bytes(sound(200 + 10 * n))
    silent = PAIR | {"instruction_path": ""}
    pairs = [silent | {"index": n, "audio1_path": f"{n}.wav", "audio2_path": f"{n + 90}.wav"} for n in range(90)]
    manifest.write_text(json.dumps(pairs))
    shutil.copytree(installed.data, tmp_path / "data")
    here = Installation(tmp_path / "data")
    assert here.python("-c", PREPARE) == 0
    command = ["manage.py", "import_dataset", manifest, "--audio", audio, "--dataset", "Set", "--user", "ruth"]

    killed = here.python(*command, kill_at="Storing files: 100 of 180")

    assert killed == -signal.SIGKILL
    assert (here.count("dataset"), here.count("unit")) == (0, 0)
    assert here.python(*command) == 0
    found = [here.count(table) for table in ("dataset", "item", "system", "response", "unit", "label", "clip")]
    assert found == [1, 1, 2, 180, 90, 180, 180]
    kept = {path.name for path in (tmp_path / "data" / "media" / "clips").glob("*/[0-9a-f]*")}
    assert kept == {sha(path) for path in audio.iterdir()}


TABLE = "utt,sys,mos\nq1,alpha,4.5\nq1,beta,3\n"
MAPPING = {"shape": "responses", "columns": {
    "utt": {"becomes": "item"}, "sys": {"becomes": "system"}, "mos": {"becomes": "answer", "others": "="},
}}  # fmt: skip


def test_command_reads_a_table_by_a_recipe_a_downloaded_one_or_a_mapping(command, researcher, tmp_path):
    path, file = tmp_path / "mos.csv", tmp_path / "mapping.json"
    path.write_text(TABLE)
    ImportRecipe.objects.create(
        owner=researcher, name="Scores", columns=["mos", "sys", "utt"], mapping=MAPPING, used_at=timezone.now()
    )

    printed = command(path, "--without-audio", "--mapping", "Scores")
    assert "2 rows, 1 items, 2 responses, 2 units, 2 labels, 0 clips, 0 errors, 1 warnings" in printed
    for n, said in enumerate((MAPPING, {"name": "x", "columns": ["utt"], "mapping": MAPPING})):
        file.write_text(json.dumps(said))
        command(path, "--without-audio", "--mapping", file, "--labels", f"Labels {n}")
    assert Label.objects.filter(value="4.5").count() == 3


def test_command_says_what_is_wrong_with_a_mapping(command, tmp_path):
    path, file = tmp_path / "mos.csv", tmp_path / "mapping.json"
    path.write_text(TABLE)
    file.write_text("{")
    for named, said in (
        (file, "cannot be read"),
        ("Zq", "You have no recipe named Zq. There is no file of this name"),
    ):
        with pytest.raises(CommandError, match=said):
            command(path, "--mapping", named)
    file.write_text('{"shape": "x"}')
    with pytest.raises(CommandError, match="A mapping is an object with shape"):
        command(path, "--mapping", file)
