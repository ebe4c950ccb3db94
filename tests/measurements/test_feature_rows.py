"""Rows of features: once per clip and version, whatever breaks, dies or races."""

import time
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import soundfile
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from corpus.clips.storage import examine_clip, keep_clip
from corpus.models import Clip, ResponseTurn
from infrastructure.wording.reasons import TEXT
from measurements.clip_features import rows as feature_rows
from measurements.clip_features.rows import ensure_features, features_of, features_of_clips, keep_feature, work_to_do
from measurements.features.contract import ClipSound, Earlier, Extractor, Feature, Undefined, Value
from measurements.features.registry import extractors
from measurements.models import ClipFeature
from measurements.reasons import NOT_EXTRACTED
from tests.factories import ClipFactory, DatasetFactory, make_unit
from tests.measurements.features.speech import said, tone

pytestmark = pytest.mark.django_db


class Counting:
    """An extractor that counts how often it is asked, and does as it is told."""

    def __init__(self, does: Any = None) -> None:
        self.asked = 0
        self.does = does or (lambda: {"n": 1})

    def __call__(self, _clip: ClipSound, _earlier: Earlier) -> Value:
        self.asked += 1
        return self.does()


def stored(samples: np.ndarray, rate: int = 16_000) -> Clip:
    """The clip as an import keeps it."""
    file = BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return keep_clip(file, examine_clip(file, name="a.wav", sha256=f"{abs(hash(samples.tobytes())):064x}"))


@pytest.fixture
def clip() -> Clip:
    return stored(tone(200.0, seconds=1.0))


@pytest.fixture
def with_extractor(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have one more extractor: `with_extractor(extract, name=..., version=..., missing=...)`."""
    known = dict(extractors())

    def add(extract: Any, *, name: str = "planted", version: str = "1", **fields: Any) -> None:
        known[name] = Extractor(name, version, "planted", "", "", extract, **fields)
        for module in (feature_rows, feature_rows.with_needed.__globals__):
            target = module if isinstance(module, dict) else vars(module)
            monkeypatch.setitem(target, "extractors", lambda *_sources: known)

    return add


def fail() -> Value:
    raise RuntimeError("the library broke")


def refuse() -> Value:
    raise Undefined(TEXT(text="Silence has none."))


def test_features_are_extracted_once(clip: Clip, with_extractor: Any) -> None:
    planted = Counting()
    with_extractor(planted)

    counts = [ensure_features([clip], ["planted"]) for _ in range(3)]

    assert (counts, planted.asked) == ([1, 0, 0], 1)
    assert features_of(clip)["planted"] == Feature("planted", "1", "ok", {"n": 1})


@pytest.mark.databases
def test_new_version_is_extracted_beside_the_old_one(clip: Clip, with_extractor: Any) -> None:
    with_extractor(Counting(lambda: "old"))
    ensure_features([clip], ["planted"])
    with_extractor(Counting(lambda: "new"), version="2")

    assert features_of(clip)["planted"].reason == NOT_EXTRACTED()
    ensure_features([clip], ["planted"])

    assert features_of(clip)["planted"].value == "new"
    assert set(clip.features.values_list("version", "value")) == {("1", "old"), ("2", "new")}


def test_undefined_is_final_and_keeps_its_reason(clip: Clip, with_extractor: Any) -> None:
    planted = Counting(refuse)
    with_extractor(planted)

    for _ in range(2):
        ensure_features([clip], ["planted"], retry=True)

    assert planted.asked == 1
    assert features_of(clip)["planted"] == Feature("planted", "1", "undefined", None, "Silence has none.")


@pytest.mark.databases
def test_failure_is_kept_with_a_reason_and_tried_three_times_by_itself(clip: Clip, with_extractor: Any) -> None:
    planted = Counting(fail)
    with_extractor(planted)

    for _ in range(5):
        ensure_features([clip], ["planted"])

    row = clip.features.get()
    assert (planted.asked, row.attempts, row.status, row.value) == (3, 3, "failed", None)
    assert "see the log" in row.reason


def test_failure_is_tried_again_when_somebody_asks_and_then_it_is_there(clip: Clip, with_extractor: Any) -> None:
    planted = Counting(fail)
    with_extractor(planted)
    for _ in range(4):
        ensure_features([clip], ["planted"])

    planted.does = lambda: 7
    ensure_features([clip], ["planted"], retry=True)

    assert features_of(clip)["planted"].value == 7


def test_one_broken_clip_stops_nothing(clip: Clip, with_extractor: Any) -> None:
    with_extractor(Counting())
    gone = ClipFactory()

    ensure_features([gone, clip], ["planted"])

    assert [features_of(it)["planted"].status for it in (gone, clip)] == ["failed", "ok"]
    assert "cannot be read" in features_of(gone)["planted"].reason


@pytest.mark.databases
def test_extractor_that_cannot_work_here_is_not_asked_until_it_can(clip: Clip, with_extractor: Any) -> None:
    planted, why = Counting(), [TEXT(text="Not installed.")]
    with_extractor(planted, missing=lambda: why[0])

    ensure_features([clip], ["planted"])
    assert features_of(clip)["planted"] == Feature("planted", "1", "unavailable", None, "Not installed.")
    assert work_to_do([clip], ["planted"], retry=True) == []
    why[0] = None
    ensure_features([clip], ["planted"])

    assert (planted.asked, features_of(clip)["planted"].status) == (1, "ok")


@pytest.mark.databases
def test_what_is_there_is_read_by_what_needs_it(clip: Clip, with_extractor: Any) -> None:
    with_extractor(Counting(lambda: 20), name="first")
    ensure_features([clip], ["first"])
    with_extractor(lambda _clip, earlier: earlier["first"].value + 1, after=("first",))

    ensure_features([clip], ["planted"])

    assert features_of(clip)["planted"].value == 21


@pytest.mark.databases
def test_two_workers_at_one_clip_keep_one_row(clip: Clip) -> None:
    feature = Feature("pitch", "1", "ok", {"mean_hz": 200.0})

    rows = [keep_feature(clip, it, seconds=0.1) for it in (feature, replace(feature, value={"mean_hz": 201.0}))]

    assert [row.value for row in rows] == [{"mean_hz": 200.0}] * 2
    assert ClipFeature.objects.count() == 1


def test_failure_never_takes_the_place_of_a_value(clip: Clip) -> None:
    keep_feature(clip, Feature("pitch", "1", "ok", 5), seconds=0.1)

    keep_feature(clip, Feature("pitch", "1", "failed", reason=TEXT(text="broke")), seconds=0.1)

    assert clip.features.get().value == 5


@pytest.mark.databases
@pytest.mark.parametrize(("status", "value"), [("ok", None), ("failed", 3), ("undefined", {})])
def test_row_has_a_value_or_a_reason_never_both(clip: Clip, status: str, value: object) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ClipFeature.objects.create(clip=clip, name="pitch", version="1", status=status, value=value)


def test_progress_goes_on_while_a_long_clip_takes_its_time(
    clip: Clip, with_extractor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_rows, "BEAT_S", 0.02)
    with_extractor(Counting(lambda: time.sleep(0.2) or 1))
    beats: list[tuple[int, int]] = []

    ensure_features([clip], ["planted"], lambda done, total, _note: beats.append((done, total)))

    assert beats[0] == (0, 1)
    assert beats[-1] == (1, 1)
    assert len(beats) > 3


def test_features_of_many_clips_are_one_query() -> None:
    clips = [ClipFactory() for _ in range(5)]
    for clip in clips:
        keep_feature(clip, Feature("pitch", "1", "ok", {"mean_hz": 1.0}), seconds=0.0)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = features_of_clips(clips)

    assert len(queries) == 1
    assert {features["pitch"].status for features in found.values()} == {"ok"}
    assert {features["loudness"].reason for features in found.values()} == {NOT_EXTRACTED()}


def test_real_clip_goes_through_all_extractors() -> None:
    clip = stored(said())

    ensure_features([clip])

    found = features_of(clip)
    assert {name for name, feature in found.items() if feature.status == "ok"} == {
        "transcript", "quality", "pitch", "loudness", "voice_activity", "rates", "speaker",
    }  # fmt: skip
    assert len(found["speaker"].value) == 256
    assert "two hundred and six" in found["transcript"].value["text"]


def test_turns_of_a_response_have_features_of_their_own() -> None:
    unit = make_unit(DatasetFactory(), "0")
    first, second = stored(tone(150.0, seconds=1.0)), stored(tone(250.0, seconds=1.0))
    unit.a.turns.update(clip=first)
    ResponseTurn.objects.create(response=unit.a, position=2, clip=second)

    ensure_features([turn.clip for turn in unit.a.turns.all()], ["pitch"])

    means = [features_of(turn.clip)["pitch"].value["mean_hz"] for turn in unit.a.turns.all()]
    assert means == pytest.approx([150.0, 250.0], rel=0.01)
