"""Spoken traps: made of the campaign's own clips, alike to all others from outside, and apart from the dataset."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from analytics.data.labels import campaign_labels
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment
from annotation.listening.clips import clip_behind, clip_token
from annotation.listening.reports import clip_seconds
from campaigns.control_units.attention_checks.making import possible_instructions, start_traps, why_no_traps
from campaigns.control_units.attention_checks.recordings import UnusableRecordings, forget_recordings, keep_recordings
from campaigns.control_units.attention_checks.speaking import Speaker
from campaigns.control_units.checks import set_repeats
from campaigns.launch.edit import set_protocol, set_units
from campaigns.launch.lifecycle import prepare_audio
from campaigns.models import Campaign, SpokenTraps, TrapClip, TrapRecording
from corpus.models import Clip, DeliveredClip, Item, Response, ResponseTurn, System, Unit
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from protocols import SHIPPED
from tests.campaigns.control_units.trapping import RATE, give_sound, noise, traps_made
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db


def sounding(protocol: str = "hcot", *, units: int = 4, seconds: float = 8.0, listening: str = "none") -> Campaign:
    campaign = make_campaign(protocol=protocol, units=units, status="draft", listening=listening)
    give_sound(campaign, seconds=seconds)
    return campaign


def recorded(seconds: float = 1.0, *, seed: int = 99) -> io.BytesIO:
    file = io.BytesIO()
    soundfile.write(file, noise(seconds, seed=seed, level=0.1), RATE, format="WAV")
    file.seek(0)
    return file


def test_traps_are_made_of_units_of_the_study_and_nothing_of_the_dataset_changes() -> None:
    campaign = sounding()
    counts = {model: model.objects.count() for model in (System, Item, Response, Unit)}

    traps = traps_made(campaign, 3)

    assert len({trap.unit_id for trap in traps}) == 3
    assert {model: model.objects.count() for model in counts} == counts
    assert Job.objects.get(kind="make-traps").status == "succeeded"
    assert len({str(trap.expected) for trap in traps}) == 3  # the answers are asked for in turn
    for trap in traps:
        asked = set().union(*(values for values in trap.expected.values()))
        assert set(trap.expected) == {"content", "voice_quality", "paralinguistics", "overall"}
        slots = [clip.slot for clip in trap.trap_clips.all()]
        assert slots == (["a", "b"] if asked <= {"both_good", "both_bad"} else sorted(asked))


def test_sentence_is_heard_and_the_rest_is_the_clip() -> None:
    campaign = sounding("acr", units=1)
    [trap] = traps_made(campaign, 1)
    spoken = trap.trap_clips.get()
    [turn] = ResponseTurn.objects.filter(response=trap.unit.a_id).select_related("clip")
    original, rate = soundfile.read(turn.clip.path)

    made, made_rate = soundfile.read(spoken.clip.path)

    assert (len(made), made_rate) == (len(original), rate)
    start, end = round((spoken.start_s - 0.16) * rate), round((spoken.end_s + 0.16) * rate)
    np.testing.assert_allclose(made[:start], original[:start], atol=1e-6)
    np.testing.assert_allclose(made[end:], original[end:], atol=1e-6)
    inside = slice(start + rate // 5, end - rate // 5)
    assert abs(np.corrcoef(made[inside], original[inside])[0, 1]) < 0.05  # nothing of the clip under the voice
    [asked] = [one for one in possible_instructions(campaign) if one.name == trap.expected["overall"][0]]
    sentence = Speaker(campaign, seed=0).say(asked)
    words = soxr.resample(sentence.samples[:, 0], sentence.rate, rate)
    lag = np.argmax(np.correlate(made[start : end + len(words)], words[: rate // 2], "valid")) + start
    heard = made[lag : lag + len(words)]
    assert np.corrcoef(heard, words)[0, 1] > 0.999  # the very words, in full
    assert np.abs(made).max() < 1.0
    assert np.sqrt(np.mean(made[inside] ** 2)) > 0.5 * np.sqrt(np.mean(original**2))


def test_delivered_trap_has_the_bytes_and_the_loudness_of_any_clip() -> None:
    campaign = sounding("acr", units=3)
    traps = traps_made(campaign, 2)

    run_job_task(str(prepare_audio(campaign, user=campaign.created_by).pk))

    campaign.refresh_from_db()
    for trap in traps:
        mine = DeliveredClip.objects.get(clip=trap.trap_clips.get().clip)
        original = DeliveredClip.objects.get(
            clip__in=ResponseTurn.objects.filter(response=trap.unit.a_id).values("clip")
        )
        assert (mine.form, mine.bytes) == (original.form, original.bytes)
        assert mine.integrated_lufs == pytest.approx(campaign.target_lufs, abs=0.05)
        assert mine.true_peak_dbtp is not None
        assert mine.true_peak_dbtp <= -1.0


def test_traps_made_after_the_audio_was_prepared_are_delivered_too() -> None:
    campaign = sounding("acr", units=2)
    run_job_task(str(prepare_audio(campaign, user=campaign.created_by).pk))

    [trap] = traps_made(Campaign.objects.get(), 1)

    assert trap.trap_clips.get().clip.deliveries.get().form == Campaign.objects.get().delivery_form


def test_same_seed_makes_the_same_traps_and_another_makes_others() -> None:
    campaign = sounding(units=6)

    def made(seed: int) -> list[tuple[object, ...]]:
        traps = traps_made(campaign, 2, seed=seed)
        return [(t.unit.key, str(t.expected), [c.clip.sha256 for c in t.trap_clips.all()]) for t in traps]

    first, again, other = made(3), made(3), made(4)

    assert first == again
    assert first != other


def test_made_again_the_earlier_ones_go_with_their_clips() -> None:
    campaign = sounding("acr", units=4)
    traps_made(campaign, 3, seed=1)
    before = Clip.objects.count()

    traps_made(campaign, 1, seed=2)

    assert campaign.campaign_units.filter(purpose="trap").count() == TrapClip.objects.count() == 1
    assert Clip.objects.count() == before - 2

    traps_made(campaign, 0)

    assert not TrapClip.objects.exists()


def test_clip_that_is_too_short_is_passed_over_with_its_reason() -> None:
    campaign = sounding("acr", units=2, seconds=1.5)

    assert traps_made(campaign, 2) == []

    order = SpokenTraps.objects.get()
    assert {one["unit"] for one in order.skipped} == {"0", "1"}
    assert all("the sentence needs" in one["reason"] for one in order.skipped)
    assert Job.objects.get().status == "failed"


def test_sentence_is_within_what_the_protocol_asks_to_be_heard() -> None:
    campaign = make_campaign(protocol="arena", units=3, status="draft")
    Campaign.objects.update(
        protocol_document={**campaign.protocol_document, "listening": {"rule": "seconds", "seconds": 3.0}}
    )
    give_sound(campaign)

    traps = traps_made(Campaign.objects.get(), 2)

    assert len(traps) == 2
    assert all(clip.end_s <= 3.0 for trap in traps for clip in trap.trap_clips.all())


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_annotator_hears_the_trap_where_its_response_stands(order: str) -> None:
    campaign = sounding("forced_choice", units=2)
    run_job_task(str(prepare_audio(campaign, user=campaign.created_by).pk))
    campaign = Campaign.objects.get()
    [trap] = traps_made(campaign, 1)
    Campaign.objects.update(status="open")
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator, campaign_unit=trap, order=order)
    spoken = trap.trap_clips.get()
    other = ResponseTurn.objects.get(response={"a": trap.unit.b_id, "b": trap.unit.a_id}[spoken.slot])

    heard = [clip_behind(clip_token(assignment, place, 1), annotator).clip_id for place in (1, 2)]

    at = order.index(spoken.slot)
    assert (heard[at], heard[1 - at]) == (spoken.clip_id, other.clip_id)
    seconds = clip_seconds(assignment)
    assert seconds[f"{at + 1}-1"] == pytest.approx(spoken.clip.seconds)
    assert trap.expected == {"overall": [spoken.slot]}


def test_answers_to_traps_are_none_of_the_study() -> None:
    campaign = sounding(units=8)
    set_repeats(campaign, 0)
    traps_made(campaign, 2)
    Campaign.objects.update(status="open", check_every=2)
    campaign = Campaign.objects.get()
    annotator, came = make_member(campaign), []
    while assignment := next_assignment(campaign, annotator):
        record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")
        came.append(assignment.campaign_unit.purpose)

    assert (came.count("trap"), came.count("study")) == (2, 8)
    assert len(list(campaign_labels(campaign))) == 8


def test_traps_of_an_opened_campaign_are_fixed() -> None:
    campaign = sounding()
    job = start_traps(campaign, n=2, user=campaign.created_by)
    Campaign.objects.update(status="open")

    with pytest.raises(ValueError, match="fixed"):
        start_traps(campaign, n=2, user=campaign.created_by)
    run_job_task(str(job.pk))

    assert not TrapClip.objects.exists()


def test_protocol_without_a_choice_that_is_always_asked_says_why() -> None:
    campaign = make_campaign(protocol="acr", status="draft")
    [aspect] = campaign.protocol_document["aspects"]
    text = {**aspect, "scale": {"name": "text", "measure": "text"}}
    Campaign.objects.update(protocol_document={**campaign.protocol_document, "aspects": [text]})
    campaign = Campaign.objects.get()

    assert "cannot have spoken traps" in why_no_traps(campaign)
    with pytest.raises(ValueError, match="cannot have spoken traps"):
        start_traps(campaign, n=1, user=campaign.created_by)


def test_where_there_are_recordings_only_they_are_heard() -> None:
    campaign = sounding(units=4)
    keep_recordings(campaign, recorded(), name="both_bad.wav")

    traps = traps_made(campaign, 3)

    assert {str(trap.expected["overall"]) for trap in traps} == {"['both_bad']"}


@pytest.mark.databases
def test_zip_of_recordings_is_kept_by_answer_and_forgotten_again(media_root: Path) -> None:
    campaign = sounding("acr", units=1)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for n, name in enumerate(["voice/2.wav", "voice/4.wav", "__MACOSX/._x", "readme.txt"]):
            file.writestr(name, recorded(seed=n).getvalue())
    archive.seek(0)

    keep_recordings(campaign, archive, name="Voices.ZIP")

    assert set(TrapRecording.objects.values_list("name", flat=True)) == {"2", "4"}
    files = {row.clip.path for row in TrapRecording.objects.all()}
    assert forget_recordings(campaign) == 2
    assert not any(path.exists() for path in files)


@each(
    "name, content, fault",
    [
        ("6.wav", recorded().getvalue(), "6.wav stands for no answer of this protocol; the names are 1, 2, 3, 4, 5"),
        ("2.txt", b"two", "2.txt is neither WAV nor FLAC"),
        ("2.wav", b"two", "2.wav"),
        ("2.wav", recorded(10.5).getvalue(), "longer than 10 s"),
        ("2.wav", recorded().getvalue()[:44] + bytes(32_000), "silent"),
        ("2.wav", bytes(5_000_001), "larger than 5 MB"),
        ("voices.zip", b"PK\x03\x04", "cannot be read"),
        ("voices.zip", b"PK\x05\x06" + bytes(18), "no WAV or FLAC"),
    ],
    undo=True,
)
def test_faulty_recordings_are_refused_and_nothing_is_kept(name: str, content: bytes, fault: str) -> None:
    campaign = sounding("acr", units=1)

    with pytest.raises(UnusableRecordings, match=fault):
        keep_recordings(campaign, io.BytesIO(content), name=name)

    assert not TrapRecording.objects.exists()


def redraw(campaign: Campaign, units: list[Unit]) -> tuple[int, int]:
    found = set_units(campaign, units=units, choice={}, repeats=1)
    return found.kept, found.dropped


def study_units(campaign: Campaign) -> list[Unit]:
    return [row.unit for row in campaign.campaign_units.filter(purpose="study").select_related("unit")]


@pytest.mark.databases
def test_traps_of_units_that_are_drawn_again_stay_with_their_clips_and_the_others_go(
    django_capture_on_commit_callbacks: Any,
) -> None:
    campaign = sounding(units=5)
    before = traps_made(campaign, 3)
    gate = campaign.campaign_units.create(unit=before[0].unit, position=800, purpose="training")
    units = study_units(campaign)
    kept_units = {before[0].unit_id, before[1].unit_id}
    clips = {clip.clip.path for trap in before for clip in trap.trap_clips.all()}

    with django_capture_on_commit_callbacks(execute=True):
        counts = redraw(campaign, [it for it in units if it.pk != before[2].unit_id])

    after = campaign.campaign_units.filter(purpose="trap")
    assert counts == (2, 1)
    assert {(row.pk, row.unit_id) for row in after} == {
        (it.pk, it.unit_id) for it in before if it.unit_id in kept_units
    }
    stays = {clip.clip.path for clip in TrapClip.objects.select_related("clip")}
    assert {path for path in clips if path.exists()} == stays
    assert campaign.campaign_units.filter(pk=gate.pk).exists()
    positions = list(campaign.campaign_units.order_by("position").values_list("position", "purpose"))
    assert [purpose for place, purpose in positions if place < 4] == ["study"] * 4
    assert campaign.campaign_units.filter(purpose="repeat").count() == 1


def test_units_that_are_drawn_again_and_again_lose_no_trap() -> None:
    campaign = sounding(units=4)
    traps = traps_made(campaign, 4)

    counts = [redraw(campaign, study_units(campaign)) for _ in range(3)]

    assert counts == [(4, 0)] * 3
    assert {it.pk for it in campaign.campaign_units.filter(purpose="trap")} == {it.pk for it in traps}


def test_trap_that_asks_for_an_answer_of_another_protocol_goes_and_one_that_still_fits_stays() -> None:
    campaign = sounding(units=4)
    traps_made(campaign, 2)
    same = {"target_lufs": campaign.target_lufs, "show_waveform": False}

    set_protocol(campaign, protocol=campaign.protocol, **same)
    unchanged = campaign.campaign_units.filter(purpose="trap").count()
    set_protocol(campaign, protocol=SHIPPED["ccr"], **same)

    assert unchanged == 2
    assert campaign.campaign_units.filter(purpose="study").count() == 4
    assert not campaign.campaign_units.filter(purpose="trap").exists()
