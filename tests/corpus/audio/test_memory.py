"""The worst files that are legal, two at a time, in a process whose memory is measured."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.paths import PROJECT

MOST_BYTES = 1_000_000_000
RATE = 192_000
#: As many seconds as are taken at this rate: 2**27 samples over all channels, and ten minutes.
SECONDS = {8: 87, 1: 600}

PROGRAM = r"""
import json, os, re, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django
django.setup()
from corpus.audio.delivery import LENGTH_STEP_S, DeliveryForm, deliver
from corpus.audio.reading import StoredSound, open_sound
from corpus.clips.storage import examine_clip
from measurements.features.contract import ClipSound
from measurements.features.sound.loudness import loudness

def examine(path):
    with path.open("rb") as file:
        return examine_clip(file, name=path.name, sha256="0" * 64).audit.seconds

def make(path):
    with open_sound(path, name="") as stream:
        return len(deliver(stream, DeliveryForm(48_000, -23.0), length_step_s=LENGTH_STEP_S).wav)

def listen(path):
    clip = ClipSound(StoredSound(path, 192_000, 600.0))
    return len(clip.mono), loudness(clip, {})["integrated_lufs"], clip.is_silent

def peak():
    # Not getrusage: its peak is inherited from the process that started this one.
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

path, warm = Path(sys.argv[2]), Path(sys.argv[3])
work = {"examine": examine, "deliver": make, "listen": listen}[sys.argv[1]]
work(warm)  # what is loaded once is no part of it
idle = peak()
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(work, [path, path]))
print(json.dumps([peak() - idle, peak(), results]))
"""


@pytest.fixture(scope="module")
def worst(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """FLAC of 192 kHz by its number of channels; mostly silence, which packs well and unpacks large."""
    folder = tmp_path_factory.mktemp("worst")
    noise = np.random.default_rng(1).normal(0, 0.02, (RATE, 8)).astype(np.float32)
    paths = {}
    for channels, seconds in (SECONDS | {2: 1}).items():
        paths[channels] = folder / f"{channels}.flac"
        with soundfile.SoundFile(paths[channels], "w", RATE, channels, "PCM_16", format="FLAC") as file:
            for second in range(seconds):
                file.write(noise[:, :channels] * (second % 10 == 0))
    return paths


@pytest.mark.slow
@pytest.mark.parametrize(("work", "channels"), [("examine", 8), ("examine", 1), ("deliver", 1), ("listen", 1)])
def test_two_of_the_worst_legal_files_at_once_stay_under_a_gigabyte(worst, work, channels):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, work, worst[channels], worst[2]],
        cwd=PROJECT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    used, whole, (first, second) = json.loads(ran.stdout)
    assert first == second
    assert used < whole < MOST_BYTES, "of the process, with all that it loads"
