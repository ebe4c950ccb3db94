"""Features as judges get them: kept with a clip, made on the way for a perturbed sound, absent with a reason."""

from typing import Any

import numpy as np
import pytest

from corpus.models import Clip
from infrastructure.wording.reasons import TEXT
from judges.cases import feature_lookup
from judges.cases.case import sound_of
from judges.cases.feature_lookup import kept
from judges.cases.feature_lookup import measured as measure
from judges.kinds.contract import Feature
from judges.reasons import EXTRACTOR_ABSENT
from judges.sounds.perturbations import Perturbation
from measurements.clip_features import rows
from measurements.features.contract import ClipSound, Earlier, Extractor, Undefined, Value
from measurements.features.registry import extractors
from measurements.models import ClipFeature
from measurements.reasons import NOT_EXTRACTED
from tests.measurements.features.speech import tone
from tests.measurements.test_feature_rows import stored

pytestmark = pytest.mark.django_db
LOUDER = Perturbation("gain", 6.0)


@pytest.fixture
def clip() -> Clip:
    return stored(tone(200.0, seconds=1.0))


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The peaks of the sounds that the planted extractor listened to; it finds them, but not in silence."""
    peaks: list[float] = []

    def find(sound: ClipSound, _earlier: Earlier) -> Value:
        peaks.append(float(np.abs(sound.mono).max()))
        if not peaks[-1]:
            raise Undefined(TEXT(text="Silence has no peak."))
        return {"peak": round(peaks[-1], 3)}

    known = dict(extractors()) | {"planted": Extractor("planted", "7", "planted", "", "", find)}
    everywhere: list[Any] = [vars(rows), vars(feature_lookup), rows.with_needed.__globals__]
    for names in everywhere:
        monkeypatch.setitem(names, "extractors", lambda *_sources: known)
    feature_lookup._of_perturbed.cache_clear()
    return peaks


def test_a_clip_is_listened_to_once_and_its_feature_kept(clip: Clip, heard: list[float]) -> None:
    found = [measure(sound_of(clip), ["planted"]) for _ in range(3)]

    row = ClipFeature.objects.get()
    assert (row.clip, row.name, row.version, row.status, len(heard)) == (clip, "planted", "7", "ok", 1)
    assert found == [{"planted": Feature("planted", "7", row.value)}] * 3


def test_a_perturbed_sound_is_listened_to_by_itself_and_leaves_no_row(clip: Clip, heard: list[float]) -> None:
    clean = measure(sound_of(clip), ["planted"])["planted"].value["peak"]
    ClipFeature.objects.all().delete()

    found = [measure(sound_of(clip, LOUDER), ["planted"])["planted"] for _ in range(2)]

    assert [(one.version, one.value["peak"]) for one in found] == [
        ("7", pytest.approx(clean * 10**0.3, abs=0.002))
    ] * 2
    assert len(heard) == 2
    assert not ClipFeature.objects.exists()


def test_another_perturbation_is_another_sound(clip: Clip, heard: list[float]) -> None:
    peaks = [
        measure(sound_of(clip, Perturbation("gain", db)), ["planted"])["planted"].value["peak"] for db in (-6, 0)
    ]

    assert peaks[0] == pytest.approx(peaks[1] * 10**-0.3, abs=0.002)
    assert len(heard) == 2


def test_what_is_undefined_has_its_reason_and_no_value(heard: list[float]) -> None:
    silent = stored(np.zeros(16_000))

    for sound in (sound_of(silent), sound_of(silent, LOUDER)):
        assert measure(sound, ["planted"]) == {"planted": Feature("planted", "7", None, "Silence has no peak.")}
    assert len(heard) == 2


def test_an_extractor_that_nobody_knows_is_absent_and_the_others_are_there(clip: Clip, heard: list[float]) -> None:
    for sound in (sound_of(clip), sound_of(clip, LOUDER)):
        found = measure(sound, ["telepathy", "planted"])

        assert found["telepathy"] == Feature("telepathy", "", None, EXTRACTOR_ABSENT())
        assert found["planted"].value is not None
    assert measure(sound_of(clip), ["telepathy"]) == {"telepathy": Feature("telepathy", "", None, EXTRACTOR_ABSENT())}
    assert len(heard) == 2


def test_what_is_kept_is_read_without_listening(clip: Clip, heard: list[float]) -> None:
    before = kept(sound_of(clip), ["planted", "telepathy"])
    measure(sound_of(clip), ["planted"])
    heard.clear()

    assert before == {
        "planted": Feature("planted", "7", None, NOT_EXTRACTED()),
        "telepathy": Feature("telepathy", "", None, EXTRACTOR_ABSENT()),
    }  # fmt: skip
    assert kept(sound_of(clip), ["planted"])["planted"].value is not None
    assert kept(sound_of(clip, LOUDER), ["planted"])["planted"].value is None
    assert heard == []


def test_real_extractors_are_asked_of_clips_and_of_perturbed_sounds(clip: Clip) -> None:
    clean, louder = (
        measure(sound, ["loudness"])["loudness"].value for sound in (sound_of(clip), sound_of(clip, LOUDER))
    )

    assert louder["integrated_lufs"] - clean["integrated_lufs"] == pytest.approx(6.0, abs=0.1)
