import csv
from pathlib import Path

import numpy as np
import pytest

from corpus.audio.audit import audit_sound
from corpus.audio.delivery import DeliveryForm, Undeliverable, deliver
from corpus.audio.reading import read_sound
from tests.needs import needs

AUDIO = Path(__file__).parents[3].parent / "shared" / "data" / "audio"
OVER_THE_CEILING = {"clips/asr_llama3_tts__i0.flac": -24.0}

pytestmark = needs((AUDIO / "clips.csv").exists(), "the real clips (../shared/data/audio) are not at hand")


def rows() -> list[dict[str, str]]:
    with (AUDIO / "clips.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_real_clips_hold_what_their_table_says():
    table = rows()
    assert len(table) == 11
    for row in table:
        sound = read_sound(AUDIO / row["clip"], name=row["clip"])
        rms = np.sqrt(np.mean(np.square(sound.samples, dtype=np.float64)))
        found = (sound.container, sound.seconds, float(np.abs(sound.samples).max()), 20 * np.log10(rms))
        assert found == (
            "FLAC",
            pytest.approx(float(row["seconds"]), abs=0.0006),
            pytest.approx(float(row["peak"]), abs=0.000051),
            pytest.approx(float(row["rms_dbfs"]), abs=0.0051),
        ), row["clip"]


def test_real_clips_have_defined_levels_and_no_clipping():
    for row in rows():
        audit = audit_sound(read_sound(AUDIO / row["clip"], name=row["clip"]))
        assert -30 < audit.integrated_lufs < -10
        assert 20 * np.log10(float(row["peak"])) - 0.01 <= audit.true_peak_dbtp < 1
        assert (audit.loudness_note, audit.clipped_samples) == ("", 0)


def test_real_clips_are_delivered_at_minus_23_lufs_but_for_one():
    refused = {}
    for row in rows():
        sound = read_sound(AUDIO / row["clip"], name=row["clip"])
        try:
            delivered = deliver(sound, DeliveryForm(rate=16_000, target_lufs=-23.0))
        except Undeliverable as refusal:
            refused[row["clip"]] = refusal.highest_target_lufs
        else:
            assert delivered.integrated_lufs == pytest.approx(-23.0, abs=0.1)
            assert delivered.true_peak_dbtp <= -1.0
            assert len(delivered.wav) == 44 + 2 * len(sound.samples)
    assert refused == OVER_THE_CEILING


def test_real_clip_over_the_ceiling_is_delivered_at_the_target_it_was_given():
    for clip, target in OVER_THE_CEILING.items():
        sound = read_sound(AUDIO / clip, name=clip)
        delivered = deliver(sound, DeliveryForm(rate=16_000, target_lufs=target))
        assert delivered.integrated_lufs == pytest.approx(target, abs=0.1)
