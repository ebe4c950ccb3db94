"""Files as objects, against a real server of the S3 protocol (SeaweedFS)."""

import hashlib
import io
import itertools
import json
import signal
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

import numpy as np
import pytest
import soundfile
from botocore.config import Config
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from analytics.exports.making import begin_exports, delete_export
from analytics.exports.request import Wanted
from analytics.storage.clearing import files_without_rows
from analytics.storage.measuring import measure_storage, measured
from annotation.listening.clips import clip_token
from campaigns.audio.delivery import clips_of, prepare_audio_of
from campaigns.models import Campaign
from config.operations import backups
from corpus.clips.storage import examine_clip, keep_clip
from corpus.clips.unused import drop_unused
from corpus.imports.files.audio_files import sha256_of
from corpus.imports.uploads.actions import begin_import, confirm_import
from corpus.models import Clip, Dataset, DeliveredClip, Import
from infrastructure.background.heartbeats import silent
from infrastructure.files import media
from infrastructure.files.media import ObjectFile, StorageUnavailable, media_file
from infrastructure.files.object_storage import CLIENT
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.cases import each
from tests.contact.s3 import BUCKET, KEY, SECRET, ObjectServer, object_server
from tests.factories import UserFactory, make_assignment, make_campaign, make_member
from tests.importing import PAIRS, work_off

pytestmark = pytest.mark.django_db
PREFIXES = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    with object_server(tmp_path_factory.mktemp("objects")) as started:
        yield started


@pytest.fixture
def prefix(server: ObjectServer, settings: Settings, media_root: Path) -> str:
    """Everything is below it, in the bucket of that server."""
    return switch_on(settings, server.url)


def switch_on(settings: Settings, url: str) -> str:
    name = f"test-{next(PREFIXES)}"
    options = settings.OBJECT_STORAGE | {
        "bucket_name": BUCKET, "endpoint_url": url, "access_key": KEY, "secret_key": SECRET, "location": name,
        "region_name": "us-east-1",
    }  # fmt: skip
    backend = "infrastructure.files.object_storage.ObjectStorage"
    settings.OBJECT_STORAGE_BUCKET = BUCKET
    settings.STORAGES = settings.STORAGES | {"default": {"BACKEND": backend, "OPTIONS": options}}
    return name


def reason_of_job(job: Job) -> str:
    return str(job.error)


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A server that answers everything with this status."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_PUT = do_DELETE = do_POST = do_GET  # noqa: N815 - names of http.server

        def log_message(self, *_said: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        httpd.server_close()


def below(server: ObjectServer, prefix: str) -> list[str]:
    return [key.removeprefix(f"{prefix}/") for key in server.listed() if key.startswith(f"{prefix}/")]


def on_disk(media_root: Path) -> list[Path]:
    return [path for path in media_root.rglob("*") if path.is_file()]


def tone(pitch: int) -> bytes:
    times = np.arange(4_000) / 8_000
    file = io.BytesIO()
    soundfile.write(file, 0.5 * np.sin(2 * np.pi * pitch * times), 8_000, format="WAV", subtype="PCM_16")
    return file.getvalue()


def keep(data: bytes) -> Clip:
    file = io.BytesIO(data)
    return keep_clip(file, examine_clip(file, name="clip.wav", sha256=sha256_of(file)))


# -- one file -------------------------------------------------------------------------------------------------


def test_object_is_written_whole_read_in_parts_and_removed(server: ObjectServer, prefix: str) -> None:
    content = Random(1).randbytes(9 * 1024**2)  # more than one part of an upload, and more than stays in memory
    it = media_file("clips", "ab", "abcd")
    with media.written_whole(it) as file:
        file.write(content)

    assert isinstance(it, ObjectFile)
    assert below(server, prefix) == ["clips/ab/abcd"]
    assert (it.is_file(), it.stat().st_size) == (True, len(content))
    assert it.read_bytes() == content
    assert media.read_part(it, 5_000_000, 5_000_100) == content[5_000_000:5_000_100]
    assert media.read_part(it, 7, 7) == b""
    assert b"".join(media.pieces_of(it, 100_000)) == content
    assert [found.name for found in media.media_files("clips")] == ["abcd"]
    it.unlink()
    it.unlink(missing_ok=True)
    assert (it.is_file(), below(server, prefix)) == (False, [])
    for read in (it.read_bytes, it.stat, lambda: media.read_part(it, 0, 1)):
        with pytest.raises(FileNotFoundError):
            read()


def test_writing_that_ends_half_way_leaves_what_was_there(server: ObjectServer, prefix: str) -> None:
    it = media_file("exports", "one", "table.csv")
    with media.written_whole(it) as file:
        file.write(b"before")
    with suppress(ZeroDivisionError), media.written_whole(it) as file:
        file.write(b"half")
        raise ZeroDivisionError

    assert it.read_bytes() == b"before"


def test_many_at_once_keep_one_clip_each(server: ObjectServer, prefix: str) -> None:
    """As processes do that import the same recordings at the same time."""
    contents = [Random(n % 5).randbytes(50_000) for n in range(40)]

    def write(content: bytes) -> bytes:
        it = media_file("clips", hashlib.sha256(content).hexdigest())
        with media.written_whole(it) as file:
            file.write(content)
        return it.read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(write, contents)) == contents
    assert len(below(server, prefix)) == 5


# -- a study ----------------------------------------------------------------------------------------------------


@pytest.fixture
def study(server: ObjectServer, prefix: str, settings: Settings) -> Dataset:
    """Imported by upload and job, in the scaled mode: web processes and workers share no disk."""
    settings.EMBEDDED = False
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for n, name in enumerate(["q1", "a1", "b1", "a2"], start=3):
            packed.writestr(f"{name}.wav", tone(100 * n))
    row = begin_import(
        user=UserFactory(is_researcher=True),
        dataset_name="Set",
        manifest=SimpleUploadedFile("pairs.json", json.dumps(PAIRS).encode()),
        archive=SimpleUploadedFile("audio.zip", archive.getvalue()),
    )
    assert on_disk(Path(settings.MEDIA_ROOT)) == []
    assert sorted(below(server, prefix)) == [f"imports/{row.pk}/audio.zip", f"imports/{row.pk}/manifest"]
    work_off()
    row.refresh_from_db()
    assert row.status == Import.Status.CHECKED, row.report
    confirm_import(row, user=row.created_by)
    work_off()
    return Dataset.objects.get()


@pytest.fixture
def campaign(study: Dataset) -> Campaign:
    """One over the dataset's units, whose audio a job prepared."""
    campaign = make_campaign(units=0, status=Campaign.Status.DRAFT)
    campaign.dataset = study
    campaign.target_lufs = None
    campaign.save()
    for position, unit in enumerate(study.units.all()):
        campaign.campaign_units.create(unit=unit, position=position)
    prepare_audio_of(str(campaign.pk), silent)
    Campaign.objects.filter(pk=campaign.pk).update(status=Campaign.Status.OPEN)
    return Campaign.objects.get(pk=campaign.pk)


def test_import_leaves_its_clips_as_objects_and_nothing_of_the_upload(
    server: ObjectServer, prefix: str, study: Dataset, media_root: Path
) -> None:
    assert below(server, prefix) == sorted(f"clips/{clip.sha256[:2]}/{clip.sha256}" for clip in Clip.objects.all())
    assert (Clip.objects.count(), on_disk(media_root)) == (4, [])


def test_annotators_hear_objects_in_ranges_and_learn_nothing(
    server: ObjectServer, prefix: str, campaign: Campaign, client: Client, media_root: Path
) -> None:
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator)
    client.force_login(annotator)
    address = reverse("listen", args=[clip_token(assignment, 1, 1)])
    whole = client.get(address)
    part = client.get(address, headers={"Range": "bytes=10-29"})
    beyond = client.get(address, headers={"Range": "bytes=99999999-"})
    head = client.head(address)

    row = (
        DeliveredClip.objects.get(
            bytes=len(whole.content), clip__in=clips_of(campaign), clip__responses__response__system__name="alpha"
        )
        if False
        else None
    )
    assert row is None
    assert hashlib.sha256(whole.content).hexdigest() in {
        hashlib.sha256(it.path.read_bytes()).hexdigest() for it in DeliveredClip.objects.all()
    }
    assert (part.status_code, part.content) == (206, whole.content[10:30])
    assert part["Content-Range"] == f"bytes 10-29/{len(whole.content)}"
    assert (beyond.status_code, head.content, head["Content-Length"]) == (416, b"", str(len(whole.content)))
    told = f"{address} {whole.headers} {part.headers}".lower()
    assert not [
        word for word in ("alpha", "beta", BUCKET, prefix, server.url, "etag", "amz", "seaweed") if word in told
    ]
    assert on_disk(media_root) == []


def test_export_is_written_downloaded_and_deleted(
    server: ObjectServer, prefix: str, campaign: Campaign, client: Client, media_root: Path
) -> None:
    admin = make_member(campaign, "admin")
    rows = begin_exports(campaign, ["csv", "hugging-face"], wanted=Wanted(), user=admin)
    for row in rows:
        run_job_task(str(row.job_id))
        row.refresh_from_db()
    client.force_login(admin)
    sent = [
        b"".join(client.get(reverse("export-file", args=[campaign.slug, row.pk])).streaming_content)  # type: ignore[attr-defined]
        for row in rows
    ]

    assert [hashlib.sha256(it).hexdigest() for it in sent] == [row.sha256 for row in rows]
    assert len([key for key in below(server, prefix) if key.startswith("exports/")]) == 2
    for row in rows:
        delete_export(row)
    assert [key for key in below(server, prefix) if key.startswith("exports/")] == []
    assert on_disk(media_root) == []


def test_deletion_of_unused_clips_leaves_no_object(server: ObjectServer, prefix: str, campaign: Campaign) -> None:
    hashes = list(Clip.objects.values_list("sha256", flat=True))
    dataset = campaign.dataset
    campaign.campaign_units.all().delete()
    campaign.delete()
    dataset.units.all().delete()
    dataset.items.all().delete()
    dataset.delete()
    drop_unused(hashes)

    assert (Clip.objects.count(), below(server, prefix)) == (0, [])


def test_storage_page_counts_objects_and_finds_those_without_rows(
    server: ObjectServer, prefix: str, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    with media.written_whole(media_file("clips", "zz", "zz")) as file:
        file.write(b"of a job that was killed")
    measure_storage("", silent)
    kept = measured()
    assert kept is not None
    folders = kept.data["folders"]
    monkeypatch.setattr("analytics.storage.clearing._is_settled", lambda _path: True)

    assert folders["clips"] == sum(Clip.objects.values_list("bytes", flat=True)) + 24
    assert folders["delivered"] == sum(DeliveredClip.objects.values_list("bytes", flat=True))
    gone = [it.remove() for it in files_without_rows()]
    assert len(gone) == 1
    assert "clips/zz/zz" not in below(server, prefix)


# -- a server that fails --------------------------------------------------------------------------------------------


def test_server_that_is_away_is_said_and_loses_nothing(
    tmp_path: Path, settings: Settings, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Config(connect_timeout=1, read_timeout=1, retries={"total_max_attempts": 1})
    monkeypatch.setattr("infrastructure.files.object_storage.CLIENT", CLIENT.merge(quick))
    with object_server(tmp_path) as server:
        prefix = switch_on(settings, server.url)
        clip = keep(tone(440))
        server.process.send_signal(signal.SIGSTOP)
        asked = (clip.path.is_file, clip.path.read_bytes, lambda: keep(tone(550)), lambda: drop_unused([clip.sha256]))
        for ask in asked:
            with pytest.raises(StorageUnavailable):
                ask()
        server.process.send_signal(signal.SIGCONT)

        assert clip.path.read_bytes() == tone(440)
        drop_unused([clip.sha256])  # again, as its job is
        assert [key for key in below(server, prefix) if clip.sha256 in key] == []


@each("status", [503, 500, 403])
def test_refusal_of_the_server_is_no_missing_file(
    status: int, settings: Settings, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in: the real server cannot be made to refuse at will."""
    monkeypatch.setattr(
        "infrastructure.files.object_storage.CLIENT", CLIENT.merge(Config(retries={"total_max_attempts": 1}))
    )
    with answering(status) as url:
        switch_on(settings, url)
        it = media_file("clips", "ab", "abcd")
        for ask in (it.is_file, it.read_bytes, lambda: media.read_part(it, 0, 4), it.unlink):
            with pytest.raises(StorageUnavailable):
                ask()


def test_request_and_job_say_that_the_storage_is_away(
    campaign: Campaign, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "infrastructure.files.object_storage.CLIENT", CLIENT.merge(Config(retries={"total_max_attempts": 1}))
    )
    annotator, admin = make_member(campaign), make_member(campaign, "admin")
    assignment = make_assignment(campaign, annotator)
    (export,) = begin_exports(campaign, ["csv"], wanted=Wanted(), user=admin)
    with answering(503) as url:
        switch_on(settings, url)
        client.force_login(annotator)
        client.raise_request_exception = False
        page = client.get(reverse("listen", args=[clip_token(assignment, 1, 1)]))
        run_job_task(str(export.job_id))
    job = Job.objects.get(pk=export.job_id)

    assert (page.status_code, "storage of recordings" in page.content.decode()) == (503, True)
    assert (job.status, "does not answer" in reason_of_job(job)) == ("failed", True)


# -- backups ----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_backup_holds_every_object(server: ObjectServer, prefix: str, settings: Settings, tmp_path: Path) -> None:
    """Files alone: tests/config/operations/test_backups.py restores databases."""
    kept = [keep(tone(pitch)) for pitch in (300, 400)]
    files = dict(backups._fetched(tmp_path / "one" / "media", earlier=None, progress=silent))

    assert sorted(files) == below(server, prefix)
    assert sorted(files.values()) == sorted(clip.sha256 for clip in kept)
    assert [(tmp_path / "one" / "media" / name).read_bytes() for name in files] == [
        ObjectFile(name).read_bytes() for name in files
    ]
