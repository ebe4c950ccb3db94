"""What the tests of the import share: a person, small audio files, and a look at everything that is kept."""

import hashlib
import html
import io
import json
import re
import zipfile

import numpy as np
import pytest
import soundfile
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.imports.files.audio_files import FolderAudio, sha256_of
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Import, ResponseTurn, Turn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from tests.factories import UserFactory

RATE = 8_000
FIRST_TURN = {"item": "q1", "turn": "1", "prompt_text": "Why?", "prompt_audio": "q1.wav"}
SECOND_TURN = {"item": "q1", "turn": "2", "prompt_text": "So?", "prompt_audio": "q2.wav"}
RESPONSES = [
    FIRST_TURN | {"system": "alpha", "response_audio": "a1.wav"},
    SECOND_TURN | {"system": "alpha", "response_audio": "a2.wav"},
    FIRST_TURN | {"system": "beta", "response_audio": "b1.wav"},
    SECOND_TURN | {"system": "beta", "response_audio": "b2.wav"},
]
PAIR = {
    "index": 0,
    "instruction_path": "q1.wav",
    "instruction_text": "Why?",
    "model_a": "alpha",
    "model_b": "beta",
    "audio1_path": "a1.wav",
    "audio2_path": "b1.wav",
    "label": {"content": "1", "overall": "both_bad"},
    "instruction_id": 67,
}
PAIRS = [
    PAIR,
    PAIR | {"index": 1, "model_b": "gamma", "audio2_path": "a2.wav", "label": {"content": "tie", "overall": "2"}},
]
LABELS = "Labels"


class Killed(BaseException):
    """What stands for a kill: nothing catches it."""


class Listening:
    """A progress that remembers, and kills at its n-th call."""

    def __init__(self, kill_at=None):
        self.calls = []
        self.kill_at = kill_at

    def __call__(self, done, total, note):
        self.calls.append((done, total, note))
        if len(self.calls) == self.kill_at:
            raise Killed


def problems(checked):
    return [(problem["row"], problem["field"], problem["message"]) for problem in checked.report()["problems"]]


def sha(path):
    with path.open("rb") as file:
        return sha256_of(file)


def text_of(response):
    page = response.content.decode().partition("<footer")[0]
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))


def uploads(media_root):
    return sorted(str(path.relative_to(media_root / "imports")) for path in (media_root / "imports").rglob("*"))


def work_off():
    """Do what a worker does with the queued jobs."""
    for job in Job.objects.filter(status=Job.Status.QUEUED):
        run_job_task(str(job.pk))


@pytest.fixture
def researcher(db):
    return UserFactory(username="ruth", is_researcher=True)


@pytest.fixture(scope="session")
def sound():
    """A function: the bytes of a short tone; another pitch is another content."""

    def encode(pitch=440, *, seconds=0.05, container="WAV"):
        times = np.arange(round(seconds * RATE)) / RATE
        buffer = io.BytesIO()
        soundfile.write(buffer, 0.5 * np.sin(2 * np.pi * pitch * times), RATE, format=container, subtype="PCM_16")
        return buffer.getvalue()

    return encode


@pytest.fixture
def zip_of(tmp_path):
    """A function: the path of a ZIP with these members."""

    def pack(members, *, name="audio.zip", compression=zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / name, "w", compression) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        return tmp_path / name

    return pack


@pytest.fixture
def everything(db, media_root):
    """A function: every row of the app with its primary key, and every file with its hash."""

    def look():
        models = (model for app in ("campaigns", "corpus") for model in apps.get_app_config(app).get_models())
        rows = {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
        paths = (path for path in sorted(media_root.rglob("*")) if path.is_file())
        files = {str(path.relative_to(media_root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
        return rows, files

    return look


@pytest.fixture
def contents(db):
    """A function: what a dataset holds, in its own words and without primary keys."""

    def look(dataset):
        prompts = Turn.objects.filter(item__dataset=dataset)
        answers = ResponseTurn.objects.filter(response__item__dataset=dataset)
        labels = dataset.label_sets.values_list(
            "name", "rater", "annotations__unit__key", "annotations__labels__aspect", "annotations__labels__value"
        )
        return {
            "systems": set(dataset.systems.values_list("name", flat=True)),
            "items": set(dataset.items.values_list("key", "category")),
            "prompts": set(prompts.values_list("item__key", "position", "text", "path", "clip__sha256")),
            "answers": set(
                answers.values_list(
                    "response__item__key",
                    "response__system__name",
                    "response__key",
                    "position",
                    "text",
                    "path",
                    "clip__sha256",
                )
            ),
            "units": sorted(
                dataset.units.values_list(
                    "key", "item__key", "a__system__name", "a__key", "b__system__name", "b__key"
                )
            ),
            "sources": {unit.key: unit.source for unit in dataset.units.all()},
            "labels": set(labels),
        }

    return look


@pytest.fixture
def folder(tmp_path, sound):
    inside = tmp_path / "audio"
    inside.mkdir()
    for pitch, name in enumerate(["q1", "q2", "a1", "a2", "b1", "b2"], start=3):
        (inside / f"{name}.wav").write_bytes(sound(100 * pitch))
    return inside


@pytest.fixture
def checked(folder, tmp_path):
    """A function: these rows as a checked plan; `audio` is the folder unless told otherwise."""

    def look(rows, *, audio=True, dataset="Set", labels=LABELS, progress=None):
        manifest = tmp_path / "manifest"
        manifest.write_text(json.dumps(rows), encoding="utf-8")
        files = FolderAudio(folder) if audio is True else audio
        return check_manifest(
            manifest, files, dataset_name=dataset, label_set_name=labels, progress=progress or Listening()
        )

    return look


@pytest.fixture
def imported(checked, folder, researcher):
    """A function: import these rows and return their dataset."""

    def bring_in(rows, *, audio=True, dataset="Set", labels=LABELS, progress=None):
        plan = checked(rows, audio=audio, dataset=dataset, labels=labels)
        files = FolderAudio(folder) if audio is True else audio
        return write(plan, files, Destination(dataset, labels, researcher), progress=progress or Listening())

    return bring_in


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def archive(folder, zip_of):
    """The bytes of a ZIP of all the audio."""
    return zip_of({path.name: path.read_bytes() for path in folder.iterdir()}).read_bytes()


@pytest.fixture
def post(page, archive, django_capture_on_commit_callbacks):
    """A function: upload these rows (or this text) with the ZIP, as the form does."""

    def send(rows, *, name="pairs.json", zipped=archive, **fields):
        text = rows if isinstance(rows, str) else json.dumps(rows)
        data = {"dataset_name": "Set", "manifest": SimpleUploadedFile(name, text.encode())} | fields
        if zipped is not None:
            data["archive"] = SimpleUploadedFile("audio.zip", zipped)
        with django_capture_on_commit_callbacks(execute=True):
            return page.post("/imports/new/", data)

    return send


@pytest.fixture
def uploaded(post):
    """A function: upload, and return the import with its check still waiting."""

    def send(*args, **fields):
        response = post(*args, **fields)
        row = Import.objects.latest("created_at")
        assert (response.status_code, response["Location"]) == (302, f"/imports/{row.pk}/")
        return row

    return send


@pytest.fixture
def checked_upload(uploaded):
    """A function: upload, and return the import after its check."""

    def send(*args, **fields):
        row = uploaded(*args, **fields)
        work_off()
        row.refresh_from_db()
        return row

    return send


@pytest.fixture
def confirm(page, django_capture_on_commit_callbacks):
    def send(row):
        with django_capture_on_commit_callbacks(execute=True):
            return page.post(f"/imports/{row.pk}/confirm/")

    return send
