"""Cases on real audio: as imported, or as a probe perturbs them."""

import hashlib
import io
from typing import Any

import numpy as np
import pytest
import soundfile
from django.core.management import call_command
from django.core.management.base import CommandError

from campaigns.models import Campaign
from corpus.clips.storage import examine_clip, keep_clip
from corpus.models import Clip, ResponseTurn
from infrastructure.wording.reasons import TEXT
from judges.cases.case import case_of, sound_of
from judges.kinds.contract import Case, JudgeInput, Kind, Opinion, Spoken
from judges.kinds.text_models.transcripts import TRANSCRIPT
from judges.language_models.calls.json_safe import as_rendered, plain
from judges.language_models.calls.stored import call_key, rendered
from judges.models import Run
from judges.runs.baselines import BASELINES
from judges.sounds.perturbations import Perturbation
from measurements.clip_features.rows import keep_feature, sources
from measurements.features.contract import Feature
from measurements.features.registry import extractors
from measurements.reasons import SILENCE_NO_WORDS
from tests.factories import make_campaign
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, kind_added, worked

pytestmark = pytest.mark.django_db
RATE = 16_000


def keep(samples: np.ndarray) -> Clip:
    file = io.BytesIO()
    soundfile.write(file, samples, RATE, format="WAV")
    sha256 = hashlib.sha256(file.getvalue()).hexdigest()
    return keep_clip(file, examine_clip(file, name="x.wav", sha256=sha256))


@pytest.fixture
def clip() -> Clip:
    rng = np.random.default_rng(1)
    speechlike = 0.1 * rng.standard_normal((2 * RATE, 2)) * (np.sin(np.arange(2 * RATE) / 2000) > 0)[:, None]
    return keep(speechlike)


def test_a_sound_is_the_clip_as_mono(clip: Clip) -> None:
    sound = sound_of(clip)

    samples, rate = sound.read()
    assert (sound.sha256, sound.seconds, rate, samples.shape) == (clip.sha256, 2.0, RATE, (2 * RATE,))
    both, _ = soundfile.read(clip.path)
    np.testing.assert_allclose(samples, both.mean(axis=1), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "value", "seconds"), [("gain", -6.0, 2.0), ("speed", 25.0, 1.6), ("trailing_silence", 1.5, 3.5)]
)
def test_a_perturbed_sound_is_another_sound(clip: Clip, name: Any, value: float, seconds: float) -> None:
    sound = sound_of(clip, Perturbation(name, value))

    samples, rate = sound.read()
    assert sound.seconds == pytest.approx(seconds)
    assert len(samples) / rate == pytest.approx(seconds, abs=0.001)
    assert sound.sha256 not in {clip.sha256, sound_of(clip, Perturbation(name, value / 2)).sha256}
    assert sound.sha256 == sound_of(clip, Perturbation(name, value)).sha256


@pytest.mark.databases
def test_transcript_only_leaves_the_texts_and_swapped_order_everything() -> None:
    campaign = make_campaign(units=1)
    unit = campaign.campaign_units.get().unit

    silent = case_of(campaign, unit, order="ab", perturbation=Perturbation("transcript_only"))
    swapped = case_of(campaign, unit, order="ba", perturbation=Perturbation("swapped_order"))

    assert (silent.prompt[0].text, silent.prompt[0].sound) == ("Prompt of 0", None)
    assert all(turn.sound is None for said in silent.responses for turn in said)
    assert swapped.responses == case_of(campaign, unit, order="ba").responses


def test_a_run_on_perturbed_copies_gives_every_judge_other_sounds() -> None:
    seen: dict[str, set[str]] = {"clean": set(), "loud": set()}

    def listen(case: Case, settings: Any, _tools: Any) -> Opinion:
        del settings
        where = "loud" if case.responses[0][0].sound and seen["clean"] else "clean"
        seen[where] |= {turn.sound.sha256 for said in case.responses for turn in said if turn.sound}
        return Opinion("refused")

    campaign = make_campaign(units=1)

    with kind_added(Kind("ear", "1", "Ear", "", listen, lambda _p, _s: "")):
        clean = worked(a_run(campaign, a_judge(campaign, "ear")))
        worked(a_run(campaign, a_judge(campaign, "ear"), perturbation=Perturbation("gain", 3.0), unperturbed=clean))

    assert len(seen["clean"]) == len(seen["loud"]) == 2
    assert not seen["clean"] & seen["loud"]


def test_a_missing_file_is_an_error_of_its_verdict() -> None:
    def listen(case: Case, _settings: Any, _tools: Any) -> Opinion:
        sound = case.responses[0][0].sound
        assert sound
        sound.read()
        return Opinion("refused")

    campaign = make_campaign(units=1)

    with kind_added(Kind("ear", "1", "Ear", "", listen, lambda _p, _s: "")):
        run = worked(a_run(campaign, a_judge(campaign, "ear")))

    assert (
        run.verdicts.get().message == "A clip cannot be read (No such file or directory); import the dataset again."
    )


def test_the_key_of_a_call_is_of_everything_that_a_reply_depends_on() -> None:
    campaign = make_campaign(units=1)
    model = make_model(campaign.created_by)
    part = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    wanted = JudgeInput(({"role": "user", "content": [part]},), {"type": "object"})
    other = JudgeInput(({"role": "user", "content": [part | {"input_audio": {"data": "AAAB"}}]},), {"type": "object"})

    def key(one: JudgeInput, **changes: Any) -> str:
        return call_key(model, rendered(one), **({"order": "ab", "sample": 0} | changes))

    keys = {key(wanted), key(other), key(wanted, order="ba"), key(wanted, sample=1), key(wanted, repeat=1)}
    assert len(keys) == 5
    assert key(wanted) == key(wanted)
    assert "AAAA" not in str(rendered(wanted))
    twin = make_model(campaign.created_by, title="The same under another title")
    assert call_key(twin, rendered(wanted), order="ab", sample=0) == key(wanted)


@pytest.mark.databases
def test_what_a_database_refuses_is_taken_out() -> None:
    said = {"a": float("nan"), "b": [np.float32(1.5), "x\x00y"], "c": np.array([1, 2]), "d": (True, None)}

    assert plain(said) == {"a": None, "b": [1.5, "xy"], "c": [1, 2], "d": [True, None]}
    assert as_rendered({"url": "data:audio/wav;base64,AAAA"})["url"].startswith("sha256:")


@pytest.mark.django_db(transaction=True)
def test_a_judge_is_run_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    campaign = make_campaign(units=2)
    user = campaign.created_by
    campaign.memberships.create(user=user, role="researcher")

    call_command("run_judge", campaign.slug, "random", user=user.username, here=True)

    run = Run.objects.get()
    assert (run.status, run.orders) == ("done", "both")
    assert "done: 4 read, 0 missing of 4" in capsys.readouterr().out
    for wrong in ({"judge": "nobody"}, {"campaign": "nowhere"}, {"budget": "much"}):
        told = {"campaign": campaign.slug, "judge": "random", "budget": None} | wrong
        with pytest.raises(CommandError):
            call_command("run_judge", told["campaign"], told["judge"], user=user.username, budget=told["budget"])


def _words_of(clip: Clip | None, **columns: Any) -> None:
    assert clip
    keep_feature(clip, Feature(TRANSCRIPT, extractors(sources())[TRANSCRIPT].version, **columns), seconds=0.1)


def _texts_only(campaign: Campaign) -> tuple[Run, list[Case]]:
    """A probe that leaves the words alone, and the cases that its judge was given."""
    seen: list[Case] = []

    def read(case: Case, _settings: Any, _tools: Any) -> Opinion:
        seen.append(case)
        return Opinion("refused", message=TEXT(text="No."))

    with kind_added(Kind("reader", "1", "Reader", "", read, lambda _p, _s: "")):
        clean = worked(a_run(campaign, a_judge(campaign, "reader")))
        seen.clear()
        only = Perturbation("transcript_only")
        return worked(a_run(campaign, a_judge(campaign, "reader"), perturbation=only, unperturbed=clean)), seen


def test_texts_only_are_those_of_the_import_else_those_that_are_heard() -> None:
    campaign = make_campaign(units=1)
    unit = campaign.campaign_units.get().unit
    ResponseTurn.objects.filter(response=unit.a).update(text="as imported")
    for response, heard in ((unit.a, "misheard"), (unit.b, "as heard")):
        _words_of(response.turns.get().clip, status="ok", value={"text": heard})

    run, [case] = _texts_only(campaign)

    assert run.verdicts.get().status == "refused"
    assert case.prompt == (Spoken("Prompt of 0"),)
    assert case.responses == ((Spoken("as imported"),), (Spoken("as heard"),))


def test_texts_only_without_any_words_are_an_error_with_the_reason() -> None:
    campaign = make_campaign(units=1)
    unit = campaign.campaign_units.get().unit
    ResponseTurn.objects.filter(response=unit.a).update(text="as imported")
    _words_of(unit.b.turns.get().clip, status="undefined", reason=SILENCE_NO_WORDS())

    run, seen = _texts_only(campaign)

    verdict = run.verdicts.get()
    assert (run.status, verdict.status, seen) == ("failed", "error", [])
    assert verdict.message == "No words of a clip are known. Digital silence has no words."


@pytest.mark.django_db(transaction=True)
def test_all_offline_judges_are_started_by_one_word_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    campaign = make_campaign(units=2)
    user = campaign.created_by
    campaign.memberships.create(user=user, role="researcher")

    for _time in range(2):
        call_command("run_judge", campaign.slug, "offline", user=user.username, orders="ba")

    runs = Run.objects.order_by("pk").values_list("judge__kind", "orders")
    assert list(runs) == [(kind, "ba") for kind in BASELINES if kind != "majority"]  # there are no labels
    assert capsys.readouterr().out.splitlines()[-1] == (
        "Every judge that needs no key and fits this protocol has a run already."
    )
