import numpy as np
import pytest
import soundfile

from corpus.imports.files.audio_files import FolderAudio, ZipAudio
from corpus.imports.writing import Destination, write
from tests.cases import each
from tests.importing import LABELS, PAIR, Listening, problems

pytestmark = pytest.mark.django_db


def two_hours_of_silence(path):
    with soundfile.SoundFile(path, "w", samplerate=8_000, channels=1, format="FLAC", subtype="PCM_16") as file:
        for _ in range(120):
            file.write(np.zeros(60 * 8_000, dtype=np.int16))


@each(
    "name, fault, message",
    [
        ("x.wav", b"", "x.wav is empty (0 bytes); export or upload it again."),
        (
            "x.wav",
            b"this is a letter, not a sound" * 100,
            "x.wav does not hold audio; WAV, FLAC, MP3 and OGG (Vorbis or Opus) are accepted.",
        ),
        ("x.wav", "FLAC", "x.wav holds FLAC audio; rename it so that it ends in .flac."),
        ("x.flac", "WAV", "x.flac holds WAV audio; rename it so that it ends in .wav."),
        ("x.ogg", "WAV", "x.ogg holds WAV audio; rename it so that it ends in .wav."),
    ],
    undo=True,
)
def test_faulty_file_is_a_clear_error_and_leaves_nothing_behind(
    checked, folder, sound, everything, researcher, name, fault, message
):
    (folder / name).write_bytes(sound(container=fault) if isinstance(fault, str) else fault)
    before = everything()

    found = checked([PAIR | {"audio1_path": name}])

    assert problems(found) == [(1, "audio", message)]
    with pytest.raises(ValueError, match="A plan with errors is not written"):
        write(found, FolderAudio(folder), Destination("Set", LABELS, researcher), progress=Listening())
    assert everything() == before


def test_two_hour_file_is_refused(checked, folder, everything):
    two_hours_of_silence(folder / "long.flac")
    assert (folder / "long.flac").stat().st_size < 1024**2
    before = everything()

    found = checked([PAIR | {"audio1_path": "long.flac"}])

    assert problems(found) == [
        (1, "audio", "long.flac lasts longer than the 600 s accepted; cut it into shorter clips.")
    ]
    assert everything() == before


def test_truncated_file_is_refused(checked, folder, sound, everything):
    whole = sound(seconds=2.0, container="FLAC")
    (folder / "cut.flac").write_bytes(whole[: len(whole) // 2])
    before = everything()

    found = checked([PAIR | {"audio1_path": "cut.flac"}])

    message = (
        "cut.flac begins like FLAC but cannot be decoded: it is damaged, cut off or in an encoding that is not "
        "accepted; export it again as WAV or FLAC."
    )
    assert problems(found) == [(1, "audio", message)]
    assert everything() == before


def test_faults_are_found_in_a_zip_too(checked, zip_of, sound, everything):
    archive = zip_of(
        {"q1.wav": sound(), "a1.wav": b"", "b1.wav": sound(container="FLAC")},
    )
    before = everything()

    found = checked([PAIR], audio=ZipAudio(archive, max_bytes=10**6))

    assert problems(found) == [
        (1, "audio", "a1.wav is empty (0 bytes); export or upload it again."),
        (1, "audio", "b1.wav holds FLAC audio; rename it so that it ends in .flac."),
    ]
    assert everything() == before
