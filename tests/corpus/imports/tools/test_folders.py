"""ZIPs of dialogues: τ-voice and Full-Duplex-Bench, in the folders that their documentation and scripts name."""

import io
import json
import zipfile

import numpy as np
import pytest
import soundfile
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.imports.files.audio_files import MissingAudio, ZipAudio
from corpus.imports.files.channels import Channels
from corpus.imports.tools.registry import tool_of
from corpus.models import Clip, Import, ResponseTurn, Turn
from tests.api.callers import caller
from tests.cases import each
from tests.corpus.imports.tools.conftest import bring_in, look
from tests.importing import work_off

pytestmark = pytest.mark.django_db
RATE = 16_000


def wav(*tones, seconds=1.0):
    """A recording with a channel for each tone."""
    at = np.arange(int(RATE * seconds)) / RATE
    channels = [0.3 * np.sin(2 * np.pi * tone * at) for tone in tones]
    file = io.BytesIO()
    soundfile.write(file, np.stack(channels, axis=1), RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()


def packed(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def pitch(data):
    """The strongest tone in Hz, of a recording with one channel."""
    samples, rate = soundfile.read(io.BytesIO(data))
    assert samples.ndim == 1
    return round(np.argmax(np.abs(np.fft.rfft(samples))) * rate / len(samples))


def run(name, task, sim, tone):
    folder = f"{name}/artifacts/task_{task}/sim_{sim}/audio"
    return {
        f"{folder}/both.wav": wav(300, tone),
        f"{folder}/user_labels.txt": "0.2\t0.8\tI want to return it\n",
        f"{folder}/assistant_labels.txt": "1.000000\t2.100000\tHello.\n3.0\t4.5\tWhich one?\n",
    }


@pytest.fixture
def tau(tmp_path):
    files = (
        run("airline_alpha", 0, "a1", 500) | run("airline_alpha", 1, "a2", 600) | run("airline_beta", 0, "b1", 700)
    )
    del files["airline_alpha/artifacts/task_1/sim_a2/audio/assistant_labels.txt"]
    return packed(tmp_path / "runs.zip", files | {"airline_alpha/results.json": "{}"})


def test_assistants_channel_of_tau_voice_comes_in_with_its_words(tau, told, media_root):
    assert told(look(tau)) == [
        "τ-voice run: 3 simulations of 2 tasks by 2 systems",
        "The assistant's channel is stored with its words. The user's, which differs between simulations, is lost, "
        "and so are the times of words, tool calls and rewards.",
        "1 recording has no words beside it.",
    ]
    bring_in(tau)

    turns = ResponseTurn.objects.order_by("response__system__name", "response__item__key")
    assert [
        (it.response.item.key, it.response.system.name, it.response.key, it.text, pitch(it.clip.path.read_bytes()))
        for it in turns.select_related("response__item", "response__system", "clip")
    ] == [
        ("task_0", "airline_alpha", "a1", "Hello.\nWhich one?", 500), ("task_1", "airline_alpha", "a2", "", 600),
        ("task_0", "airline_beta", "b1", "Hello.\nWhich one?", 700),
    ]  # fmt: skip


def test_assistants_own_recording_is_taken_where_there_is_one(tau, media_root, tmp_path):
    folder = "one/tasks/task_7/sim_x/audio"
    path = packed(tmp_path / "own.zip", {f"{folder}/both.wav": wav(300, 500), f"{folder}/assistant.wav": wav(900)})
    bring_in(path)

    assert pitch(Clip.objects.get().path.read_bytes()) == 900


def test_channel_that_the_recording_does_not_have_is_missing(tmp_path):
    channels = Channels(ZipAudio(packed(tmp_path / "x.zip", {"a/b.wav": wav(300)}), max_bytes=10**6))

    with pytest.raises(MissingAudio, match="1 channels"), channels.open("a/b.wav#1.wav"):
        pass
    with channels.open("a/b.wav#0.wav") as file:
        assert pitch(file.read()) == 300


def sample(folder, outputs, **inputs):
    said = {"text": "Well, yes.", "chunks": [{"text": "Well,", "timestamp": [0.5, 0.9]}]}
    files = {f"{folder}/{name}": wav(tone) for name, tone in {"input.wav": 200, **outputs, **inputs}.items()}
    return files | {f"{folder}/output.json": json.dumps(said), f"{folder}/interrupt.json": "[]"}


def test_full_duplex_bench_has_an_item_for_each_sample_and_a_system_for_each_model(tmp_path, told, media_root):
    path = packed(
        tmp_path / "fdb.zip",
        sample("moshi/user_interruption/1", {"output.wav": 500}) | sample("dgslm/user_interruption/1",
        {"output.wav": 600}) | sample("dgslm/user_interruption/2", {"output.wav": 700}),
    )  # fmt: skip

    assert told(look(path)) == [
        "Full-Duplex-Bench: 3 recordings of 2 systems for 2 samples",
        "When words were said, and when the user interrupted, is lost: each channel is a clip of its own.",
    ]
    dataset = bring_in(path)
    assert [it.name for it in dataset.systems.order_by("name")] == ["dgslm", "moshi"]
    assert sorted(dataset.items.values_list("key", "category")) == [
        ("user_interruption/1", "user_interruption"), ("user_interruption/2", "user_interruption"),
    ]  # fmt: skip
    turn = ResponseTurn.objects.get(response__system__name="moshi")
    assert (turn.text, pitch(turn.clip.path.read_bytes())) == ("Well, yes.", 500)
    assert {pitch(it.clip.path.read_bytes()) for it in Turn.objects.select_related("clip")} == {200}


def test_names_of_models_and_of_conditions_in_files_are_told_apart(tmp_path, told, media_root):
    both = sample("background/7", {"output.wav": 500, "clean_output.wav": 600}, **{"clean_input.wav": 250})
    path = packed(tmp_path / "fdb.zip", both | sample("background/8", {"moshi_output.wav": 700}))
    bring_in(path)

    assert sorted(ResponseTurn.objects.values_list("response__item__key", "response__system__name")) == [
        ("background/7", "model"), ("background/7 clean", "model"), ("background/8", "moshi"),
    ]  # fmt: skip
    assert "No folder and no file names the model: it is called “model”." in told(look(path))


@each("name", ["alpha/1.wav", "a/output.wav", "task_1/sim_2/audio/both.wav"])
def test_a_zip_of_other_folders_is_none_of_them(tmp_path, name):
    with packed(tmp_path / "x.zip", {name: wav(300)}).open("rb") as file:
        assert tool_of(file) is None


@pytest.fixture
def bench(tmp_path):
    outputs = {"output.wav": 500}
    return packed(tmp_path / "bench.zip", sample("moshi/pause/1", outputs) | sample("moshi/pause/2", outputs))


@each("name", ["tau", "bench"])
def test_zip_of_a_tool_is_recognised_in_the_field_of_audio(request, media_root, researcher, name):
    """As it is in that of the manifest; what the user said is no response."""
    path = request.getfixturevalue(name)
    archive = SimpleUploadedFile(path.name, path.read_bytes())

    sent = caller(researcher).post(
        "/api/v1/imports/", {"dataset_name": "Zqxv", "archive": archive}, format="multipart"
    )
    work_off()

    assert sent.status_code == 202
    row = Import.objects.get(pk=sent.json()["id"])
    assert (row.status, row.manifest_name, row.archive_name) == (Import.Status.CHECKED, path.name, "")
    assert str(row.report["tool"]["told"]) == str(look(path).report()["tool"]["told"])


def test_file_that_needs_no_mapping_has_none(tau, media_root, researcher):
    api = caller(researcher)
    body = {"dataset_name": "Zqxv", "manifest": SimpleUploadedFile("runs.zip", tau.read_bytes())}
    sent = api.post("/api/v1/imports/", body, format="multipart").json()
    work_off()

    refused = api.get(f"/api/v1/imports/{sent['id']}/mapping/")

    assert (refused.status_code, refused.json()["code"]) == (409, "not_mapped")
