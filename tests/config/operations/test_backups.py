"""A backup taken while people label is whole, and comes back the same into an empty installation."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from config.operations.backup_manifest import MANIFEST, Manifest
from config.operations.backups import thin
from tests.browser.server import Server
from tests.config.serving.clients import Labeller, Visitor
from tests.config.serving.test_killed import SET_UP, answered, until
from tests.needs import needs

IS_POSTGRESQL = "DATABASE_URL" in os.environ
pytestmark = [
    pytest.mark.databases,
    needs(not IS_POSTGRESQL or (shutil.which("pg_dump") and shutil.which("pg_restore")), "pg_dump is not installed"),
]

#: A little more than a campaign has: files as clips and deliveries are, and one that somebody is still writing.
FILES = """
from corpus.models import Clip
from pathlib import Path
from django.conf import settings
clips = Path(settings.MEDIA_ROOT) / "clips" / "ab"
clips.mkdir(parents=True)
(clips / "abc").write_bytes(b"sound" * 1000)
(clips / ".unfinished-x").write_bytes(b"half")
"""
ANSWERS = "SELECT assignment_id, recorded_at FROM annotation_annotation ORDER BY recorded_at"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, installed: Server) -> Iterator[Server]:
    """With people, units, clips, and a folder `kept` that a backup went into."""
    server = Server(tmp_path_factory.mktemp("one"), name="earshot_backup_tests", redis_database=8, like=installed)
    (server.data / "people").write_text(server.shell(SET_UP + FILES))
    server.manage("backup", str(server.data / "kept" / "monday"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, installed: Server) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("two"), name="earshot_restore_tests", redis_database=8, like=installed)
    yield server
    server.kill()


#: Prints why each command is refused.
REFUSED = """
from django.core.management import CommandError, call_command
for arguments in {commands!r}:
    try:
        call_command(*arguments)
    except CommandError as refusal:
        print(refusal)
"""


def refusals(server: Server, *commands: tuple[str, ...]) -> list[str]:
    return server.shell(REFUSED.format(commands=commands)).splitlines()


def test_restore_refuses_what_it_could_harm_and_what_is_damaged(
    server: Server, empty: Server, tmp_path: Path
) -> None:
    kept = server.data / "kept" / "monday"
    damaged = tmp_path / "damaged"
    shutil.copytree(kept, damaged)
    (damaged / "media/clips/ab/abc").write_bytes(b"noise" * 1000)

    not_empty, there_already = refusals(server, ("restore", str(kept)), ("backup", str(kept)))
    no_backup, not_whole = refusals(empty, ("restore", str(tmp_path / "nothing")), ("restore", str(damaged)))

    assert "This installation is not empty" in not_empty
    assert "is there already" in there_already
    assert "holds no backup" in no_backup
    assert "clips/ab/abc is missing or not as it was. Nothing was" in not_whole


def test_restore_makes_the_data_folder_and_says_where_it_cannot(
    server: Server, installed: Server, tmp_path: Path
) -> None:
    kept = str(server.data / "kept" / "monday")
    new = Server(tmp_path / "copied", name="earshot_folder_tests", redis_database=8, like=installed)
    (tmp_path / "file").touch()

    new.env["EARSHOT_DATA"] = str(tmp_path / "file" / "data")
    (refused,) = refusals(new, ("restore", kept))
    new.env["EARSHOT_DATA"] = str(tmp_path / "new" / "data")
    new.manage("restore", kept)

    assert refused.startswith(f"The data folder {tmp_path}/file/data cannot be made: Not a directory.")
    assert (tmp_path / "new" / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / "data" / "media/clips/ab/abc").read_bytes() == b"sound" * 1000


#: What a false manifest says, and what is said of it.
FALSE = {
    "table": ({"rows": {"zqxv": 3}}, r"there is no table zqxv"),
    "name": ({"rows": {'zqxv" UNION SELECT 1 --': 3}}, r"there is no table zqxv"),
    "number": ({"rows": {"accounts_user": 7000}}, r"accounts_user has \d+ rows and not 7000"),
    "migration": ({"migrations": {"accounts": "0999_zqxv"}}, r"accounts was at 0999_zqxv"),
    "values": ({"rows": ["accounts_user"]}, r"holds no backup: rows has other values than it should"),
    "path": ({"files": {"../../zqxv": ""}}, r"holds no backup: '\.\./\.\./zqxv' is no path below"),
}


def test_false_manifest_is_refused_in_words_and_nothing_is_left_behind(
    server: Server, empty: Server, tmp_path: Path
) -> None:
    kept = server.data / "kept" / "monday"
    for name, (said, _refusal) in FALSE.items():
        shutil.copytree(kept, tmp_path / name)
        held = json.loads((kept / MANIFEST).read_text())
        (tmp_path / name / MANIFEST).write_text(json.dumps(held | said))

    found = refusals(empty, *(("restore", str(tmp_path / name)) for name in FALSE))

    for refused, (_said, refusal) in zip(found, FALSE.values(), strict=True):
        assert re.search(refusal, refused)
        assert re.search(r"holds no backup|Nothing was (restored|left behind)\.$", refused)
    assert empty.rows("SELECT count(*) FROM accounts_user") == [(0,)]
    assert not [path for path in (empty.data / "media").rglob("*") if path.is_file()]


#: Checks a backup, one that was cut off, and one whose rows come back other than they were; prints what is said.
CHECKS = """
import json, shutil
from pathlib import Path
from config.operations.backup_manifest import BackupFailed
from config.operations.backups import check
kept, aside = Path({kept!r}), Path({aside!r})
check(kept)
for name in ("cut", "other"):
    shutil.copytree(kept, aside / name)
(dump,) = (aside / "cut").glob("database.*")
dump.write_bytes(dump.read_bytes()[:-100])
manifest = aside / "other" / "manifest.json"
held = json.loads(manifest.read_text())
key = "sums" if held["sums"] else "rows"
held[key]["campaigns_campaign"] = type(held[key]["campaigns_campaign"])(7)
manifest.write_text(json.dumps(held))
for name in ("cut", "other"):
    try:
        check(aside / name)
    except BackupFailed as failure:
        print(failure)
"""


def test_backup_is_checked_by_restoring_it_aside(server: Server, tmp_path: Path) -> None:
    said = server.shell(CHECKS.format(kept=str(server.data / "kept" / "monday"), aside=str(tmp_path)))

    cut, other = said.splitlines()
    assert re.fullmatch(r"The backup is damaged: database\.\w+ is not as it was\. Nothing was restored\.", cut)
    assert re.fullmatch(r"The backup does not come back as it was: .*campaigns_campaign.* not .*", other)
    if "DATABASE_URL" in server.env:
        assert server.rows("SELECT datname FROM pg_database WHERE datname LIKE '%backup%check%'") == []


def test_older_backups_beside_a_new_one_are_removed(tmp_path: Path) -> None:
    for day, made_at in (("c-first", "2026-11-01"), ("a-second", "2026-11-02"), ("b-third", "2026-11-03")):
        (tmp_path / day).mkdir()
        manifest = Manifest(made_at, "sqlite", {}, {}, {})
        (tmp_path / day / MANIFEST).write_text(json.dumps(asdict(manifest)))

    assert thin(tmp_path, keep=2) == [tmp_path / "c-first"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-second", "b-third"]


def test_backup_while_people_label_comes_back_the_same(server: Server, empty: Server) -> None:
    told = [line.split() for line in (server.data / "people").read_text().splitlines()]
    slug = next(value for name, value in told if name == "slug")
    people = [Labeller(Visitor(server, value), slug) for name, value in told if name == "labeller"]
    server.start()
    for person in people:
        person.start()
    until(lambda: answered(people) >= 5, "people label")
    before = server.rows(ANSWERS)
    server.manage("backup", str(server.data / "kept" / "tuesday"))
    for person in people:
        person.join()
    after = server.rows(ANSWERS)

    empty.manage("restore", str(server.data / "kept" / "tuesday"))

    restored = empty.rows(ANSWERS)
    assert len(before) <= len(restored) <= len(after)
    assert set(before) <= set(restored) <= set(after)
    assert [person.refused for person in people] == [[]] * len(people)
    assert (empty.data / "media/clips/ab/abc").read_bytes() == b"sound" * 1000
    assert not (empty.data / "media/clips/ab/.unfinished-x").exists()
    copies = [server.data / "kept" / name / "media/clips/ab/abc" for name in ("monday", "tuesday")]
    assert copies[0].stat().st_ino == copies[1].stat().st_ino


#: The tables of the product, on either database.
TABLES = {
    True: "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    False: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
}


def contents(server: Server) -> dict[str, list[str]]:
    """Every row of every table as text, read by a driver of its own and not by the product."""
    names = [name for (name,) in server.rows(TABLES[IS_POSTGRESQL])]
    return {name: sorted(map(str, server.rows(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608


def test_every_row_of_every_table_is_in_the_other_database(server: Server, installed: Server, tmp_path: Path) -> None:
    """The other is a second database of the same PostgreSQL server, with rows and sequences of its own."""
    server.kill()
    other = Server(tmp_path, name="earshot_other_restore_tests", redis_database=8, like=installed)
    server.manage("backup", str(server.data / "kept" / "wednesday"))

    other.manage("restore", str(server.data / "kept" / "wednesday"))

    before, after = contents(server), contents(other)
    assert after == before
    assert len(before["campaigns_campaign"]) > 0
    if IS_POSTGRESQL:
        databases = [it.rows("SELECT current_database()") for it in (server, other)]
        assert databases[0] != databases[1]
    new = "from accounts.models import User; print(User.objects.create_user('somebody-new').pk)"
    highest = max(int(pk) for (pk,) in other.rows("SELECT id FROM accounts_user"))
    assert int(other.shell(new)) > highest
