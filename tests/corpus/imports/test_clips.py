import io
import os
import resource

import pytest

from corpus.clips.storage import drop_unused_clips, examine_clip, keep_clip, written_whole
from corpus.imports.files.audio_files import sha256_of
from corpus.models import Clip
from tests.importing import PAIRS

pytestmark = pytest.mark.django_db


def keep(data, name="clip.wav"):
    file = io.BytesIO(data)
    return keep_clip(file, examine_clip(file, name=name, sha256=sha256_of(file)))


def test_clip_is_kept_once_per_content(sound, everything):
    first = keep(sound())
    before = everything()

    assert keep(sound()) == first
    assert everything() == before


def test_unused_clips_are_dropped_with_their_files_and_used_ones_stay(imported, sound, everything):
    imported(PAIRS)
    before = everything()
    unused = keep(sound(1234))

    dropped = drop_unused_clips([unused.sha256, *Clip.objects.values_list("sha256", flat=True), "unknown"])

    assert dropped == 1
    assert everything() == before


@pytest.mark.databases
def test_file_that_cannot_be_written_whole_leaves_nothing(tmp_path):
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, unlimited[1]))
    try:
        with pytest.raises(OSError, match="File too large"), written_whole(tmp_path / "kept") as file:
            file.write(os.urandom(5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.databases
def test_file_is_not_there_until_it_is_whole(tmp_path):
    with written_whole(tmp_path / "kept") as file:
        file.write(b"half")
        assert not (tmp_path / "kept").exists()

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("kept", b"half")]
