import io
import re
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from corpus.imports.files.audio_files import FolderAudio, MissingAudio
from corpus.imports.writing import Destination, write
from corpus.models import Clip, Label
from infrastructure.background.jobs import requeue_lost_jobs
from infrastructure.background.queues import LEASE
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.importing import LABELS, PAIRS, Killed, Listening, sha, uploads, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


class HalfRead:
    """Audio whose source dies in the middle of the n-th file that is opened."""

    def __init__(self, files, dies_at):
        self.files, self.dies_at, self.opened = files, dies_at, 0

    @contextmanager
    def open(self, path):
        self.opened += 1
        with self.files.open(path) as file:
            yield DyingFile(file.read()) if self.opened == self.dies_at else file


class DyingFile(io.BytesIO):
    """Half of it can be copied, and nothing more. (Hashing takes the buffer as a whole.)"""

    def read(self, _size=-1):
        if self.tell():
            raise Killed
        return super().read(len(self.getvalue()) // 2)


@pytest.fixture
def unkilled(imported, contents):
    return contents(imported(PAIRS, dataset="Unkilled"))


@pytest.mark.parametrize("kill_at", [1, 2, 3, 4])
def test_import_killed_between_files_and_run_again_is_complete(imported, contents, everything, media_root, kill_at):
    with pytest.raises(Killed):
        imported(PAIRS, progress=Listening(kill_at=kill_at))
    rows, files = everything()
    assert {name for name, found in rows.items() if found} == {"Clip"}
    assert (len(rows["Clip"]), len(files)) == (kill_at, kill_at)

    again = contents(imported(PAIRS))

    assert again == contents(imported(PAIRS, dataset="Unkilled"))
    assert Clip.objects.count() == len(everything()[1]) == 4


@pytest.mark.parametrize("kill_at", [1, 2, 3, 4])
def test_import_killed_inside_a_file_leaves_no_half_file_and_is_complete_when_run_again(
    checked, imported, contents, everything, folder, researcher, kill_at
):
    files = HalfRead(FolderAudio(folder), dies_at=kill_at)
    with pytest.raises(Killed):
        write(checked(PAIRS), files, Destination("Set", LABELS, researcher), progress=Listening())
    rows, kept = everything()
    assert (len(rows["Clip"]), len(kept)) == (kill_at - 1, kill_at - 1)
    assert all(name.endswith(digest) for name, digest in kept.items())

    again = contents(imported(PAIRS))

    assert again == contents(imported(PAIRS, dataset="Unkilled"))


def test_import_killed_between_file_and_its_row_is_complete_when_run_again(imported, contents, everything, folder):
    orphan = sha(folder / "a1.wav")
    path = Clip(sha256=orphan).path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"cut off by a power cut")

    again = contents(imported(PAIRS))

    assert again == contents(imported(PAIRS, dataset="Unkilled"))
    assert all(name.endswith(digest) for name, digest in everything()[1].items())


class KillAtWrite:
    """Kills at the n-th statement that would change a table other than the clips'."""

    def __init__(self, kill_at):
        self.kill_at, self.seen = kill_at, []

    def __call__(self, execute, sql, params, many, context):
        if re.match(r"(INSERT|UPDATE|DELETE)", sql) and '"corpus_clip"' not in sql.split("(")[0]:
            self.seen.append(sql)
            if len(self.seen) == self.kill_at:
                raise Killed
        return execute(sql, params, many, context)


def test_import_killed_at_any_row_writes_no_row_and_is_complete_when_run_again(
    imported, contents, everything, unkilled
):
    counted = KillAtWrite(None)
    with connection.execute_wrapper(counted):
        imported(PAIRS, dataset="Counted")
    assert len(counted.seen) == 13
    before = everything()

    for n in range(1, len(counted.seen) + 1):
        with connection.execute_wrapper(KillAtWrite(n)), pytest.raises(Killed):
            imported(PAIRS)
        assert everything() == before

    assert contents(imported(PAIRS)) == unkilled


def test_import_that_fails_while_writing_rows_drops_the_files_it_brought(
    checked, imported, everything, folder, researcher
):
    imported(PAIRS[:1])
    before = everything()

    def fail(execute, sql, params, many, context):
        if '"corpus_label"' in sql and sql.startswith("INSERT"):
            raise RuntimeError("the database is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail), pytest.raises(RuntimeError, match="the database is full"):
        imported(PAIRS)

    assert everything() == before


def test_file_that_vanishes_after_the_check_stops_the_import_and_leaves_nothing(
    checked, everything, folder, researcher
):
    before = everything()
    found = checked(PAIRS)
    (folder / "a2.wav").unlink()

    with pytest.raises(MissingAudio, match=r"^a2\.wav is missing from the audio folder\.$"):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())

    assert everything() == before


def test_file_that_changes_after_the_check_stops_the_import_and_leaves_nothing(
    checked, everything, folder, researcher, sound
):
    before = everything()
    found = checked(PAIRS)
    (folder / "a2.wav").write_bytes(sound(1234))

    with pytest.raises(MissingAudio, match=r"^a2\.wav has changed since it was checked\.$"):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())

    assert everything() == before


class KillAtStatement:
    """Kills at the n-th statement that begins like this; the database undoes what was not committed."""

    def __init__(self, beginning, n):
        self.beginning, self.left = re.compile(beginning), n

    def __call__(self, execute, sql, params, many, context):
        self.left -= self.beginning.match(sql) is not None
        if self.left == 0 and not sql.startswith(("ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT")):
            raise Killed
        return execute(sql, params, many, context)


def kill_work(beginning, n):
    with connection.execute_wrapper(KillAtStatement(beginning, n)), pytest.raises(Killed):
        work_off()


def after_the_lease():
    """Find the job whose worker died, and do it."""
    Job.objects.filter(status="running").update(heartbeat_at=timezone.now() - LEASE - timedelta(seconds=1))
    assert requeue_lost_jobs() == 1
    for job in Job.objects.filter(status="running"):
        run_job_task(str(job.pk))


def test_killed_check_is_taken_up_again(uploaded, page):
    row = uploaded(PAIRS)
    kill_work('UPDATE "infrastructure_job" SET "done"', 2)
    job = Job.objects.get()
    run_job_task(str(job.pk))
    row.refresh_from_db()
    assert (job.status, row.status) == ("running", "checking")

    after_the_lease()

    row.refresh_from_db()
    assert (Job.objects.get().status, row.status, row.report["errors"]) == ("succeeded", "checked", 0)


@pytest.mark.parametrize(
    ("beginning", "n"),
    [
        ('INSERT .*INTO "corpus_clip"', 1),
        ('INSERT .*INTO "corpus_clip"', 3),
        ('UPDATE "infrastructure_job" SET "done"', 3),
        ('INSERT .*INTO "corpus_dataset"', 1),
        ('INSERT .*INTO "corpus_label"', 1),
        ('UPDATE "corpus_import" SET "dataset_id"', 1),
        ('UPDATE "corpus_import" SET "status"', 1),
    ],
)
def test_killed_import_is_taken_up_again(
    checked_upload, confirm, contents, imported, everything, media_root, beginning, n
):
    row = checked_upload(PAIRS, label_set_name="Labels")
    confirm(row)
    kill_work(beginning, n)
    row.refresh_from_db()
    assert row.status == "importing"

    after_the_lease()

    row.refresh_from_db()
    assert row.status == "imported"
    assert Job.objects.get(kind="import-write").status == "succeeded"
    assert contents(row.dataset) == contents(imported(PAIRS, dataset="Unkilled"))
    assert uploads(media_root) == []
    kept = everything()[1]
    assert len(kept) == 4
    assert all(name.endswith(digest) for name, digest in kept.items())


class TakenOverAt:
    """Another worker takes the job over before the n-th time that this one says how far it is."""

    def __init__(self, n):
        self.left = n

    def __call__(self, execute, sql, params, many, context):
        self.left -= sql.startswith('UPDATE "infrastructure_job" SET "done"')
        if self.left == 0:
            self.left = -1
            Job.objects.filter(status="running").update(tries=F("tries") + 1)
        return execute(sql, params, many, context)


def test_check_that_another_worker_takes_over_is_left_to_it(uploaded, everything):
    row = uploaded(PAIRS)
    before = everything()[1]

    with connection.execute_wrapper(TakenOverAt(2)):
        work_off()

    row.refresh_from_db()
    assert (row.status, Job.objects.get().status, everything()[1]) == ("checking", "running", before)
    after_the_lease()
    row.refresh_from_db()
    assert row.status == "checked"


@pytest.mark.parametrize(("n", "kept"), [(1, 0), (3, 4)])
def test_import_that_another_worker_takes_over_is_left_to_it(checked_upload, confirm, everything, n, kept):
    row = checked_upload(PAIRS)
    confirm(row)

    with connection.execute_wrapper(TakenOverAt(n)):
        work_off()

    row.refresh_from_db()
    assert (row.status, row.archive_path.is_file(), Clip.objects.count()) == ("importing", True, kept)
    after_the_lease()
    row.refresh_from_db()
    assert (row.status, Label.objects.count(), len(everything()[1])) == ("imported", 4, 4)
