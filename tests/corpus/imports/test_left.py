"""Imports that no job is at, and writing that meets a lock."""

import sqlite3

import pytest
from django.db import OperationalError

from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.uploads import jobs
from corpus.imports.uploads.actions import map_columns
from corpus.imports.uploads.left import MOST_JOBS
from corpus.models import Dataset, Import, Item
from corpus.tasks import queue_left_imports_task
from infrastructure import locked_database
from infrastructure.background.jobs import SERVER_ENDED, start_job
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.api.callers import caller
from tests.importing import PAIRS, uploads, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def locked():
    error = OperationalError("database is locked")
    error.__cause__ = sqlite3.OperationalError("database is locked")
    error.__cause__.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(locked_database, "PAUSE_S", 0.0)


def failing(work, *, times):
    """The work, which meets a lock at its end so many times."""
    left = [times]

    def work_or_fail(*given, **named):
        done = work(*given, **named)
        if left[0]:
            left[0] -= 1
            raise locked()
        return done

    return work_or_fail


@pytest.fixture
def importing(checked_upload, confirm):
    row = checked_upload(PAIRS)
    confirm(row)
    return row


def state(row):
    row.refresh_from_db()
    return row.status


def test_lock_at_the_end_of_writing_is_waited_for(importing, monkeypatch, at_once, media_root):
    monkeypatch.setattr(jobs, "_ended", failing(jobs._ended, times=locked_database.TRIES - 1))
    work_off()

    assert (state(importing), importing.dataset.name) == (Import.Status.IMPORTED, "Set")
    assert (Dataset.objects.get().versions.count(), uploads(media_root)) == (1, [])


def test_data_and_the_end_of_the_import_are_one(importing, monkeypatch, at_once):
    monkeypatch.setattr(jobs, "_ended", failing(jobs._ended, times=locked_database.TRIES))
    work_off()

    assert (state(importing), Job.objects.latest("created_at").status) == (Import.Status.FAILED, Job.Status.FAILED)
    assert (Dataset.objects.count(), Item.objects.count()) == (0, 0)


def test_other_faults_of_the_database_are_not_tried_again(importing, monkeypatch, at_once):
    tried = []

    def broken(*_given):
        tried.append(1)
        raise OperationalError("no such table")

    monkeypatch.setattr(jobs, "_ended", broken)
    work_off()

    assert (tried, state(importing)) == ([1], Import.Status.FAILED)


def test_import_whose_job_is_gone_is_written_after_a_sweep(importing):
    Job.objects.filter(kind="import-write").update(status=Job.Status.FAILED)
    assert queue_left_imports_task() == 1
    assert queue_left_imports_task() == 0
    work_off()

    assert state(importing) == Import.Status.IMPORTED
    assert queue_left_imports_task() == 0


def test_confirming_again_starts_again(importing, confirm):
    Job.objects.filter(kind="import-write").update(status=Job.Status.FAILED)
    confirm(importing)
    confirm(importing)

    assert Job.objects.filter(kind="import-write").count() == 2
    work_off()
    assert state(importing) == Import.Status.IMPORTED


def test_import_that_ends_its_servers_fails(importing, media_root):
    Job.objects.filter(kind="import-write").update(
        status=Job.Status.FAILED, error=SERVER_ENDED(n=3, job="1")
    )  # fmt: skip
    assert queue_left_imports_task() == 1

    assert state(importing) == Import.Status.FAILED
    assert uploads(media_root) == []


def test_import_whose_jobs_all_fail_fails(importing):
    for n in range(MOST_JOBS):
        assert state(importing) == Import.Status.IMPORTING, n
        Job.objects.update(status=Job.Status.FAILED)
        queue_left_imports_task()

    assert state(importing) == Import.Status.FAILED


def test_import_without_a_job_is_deleted_at_once(importing, researcher):
    url = f"/api/v1/imports/{importing.pk}/"
    assert caller(researcher).delete(url).status_code == 409
    Job.objects.filter(kind="import-write").update(status=Job.Status.FAILED)

    assert caller(researcher).delete(url).status_code in (202, 204)


def test_columns_mapped_while_the_check_ends_are_checked(post, researcher, monkeypatch):
    post("thing,who,said\n1,A,x\n", name="table.csv", zipped=None, without_audio="on")
    row = Import.objects.get()
    mapping = TableMapping.from_json(
        {"shape": "responses", "columns": {"thing": {"becomes": "item"}, "who": {"becomes": "system"},
                                           "said": {"becomes": "response_text"}}}
    )  # fmt: skip
    settle = jobs.settle_check

    def mapped_at_once(import_, report):
        settle(import_, report)
        monkeypatch.setattr(jobs, "settle_check", settle)
        map_columns(Import.objects.get(), mapping=mapping, user=researcher)

    monkeypatch.setattr(jobs, "settle_check", mapped_at_once)
    first = start_job("import-check", subject=row.pk, started_by=researcher)
    run_job_task(str(first.pk))

    assert (state(row), Job.objects.filter(status=Job.Status.QUEUED).count()) == (Import.Status.CHECKING, 1)
    work_off()
    assert (state(row), row.report["responses"]) == (Import.Status.CHECKED, 1)
