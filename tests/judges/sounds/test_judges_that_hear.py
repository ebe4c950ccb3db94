"""A run of judges that hear, from rows and files to the server and back."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_django import Settings

from campaigns.models import Campaign
from corpus.models import Clip, LabelSet, ResponseTurn, Turn
from judges.models import Call, LanguageModel, Run
from judges.runs.estimates import TOKENS_PER_SECOND, estimate
from judges.sounds import signals
from judges.sounds.recordings import wav_of
from tests.factories import RARE_A, RARE_B, make_campaign, make_label
from tests.judges.drafting import make_model
from tests.judges.kinds.hearing import RATE, pitches
from tests.judges.running import a_judge, a_run, saying, worked
from tests.judges.server import FakeServer, serving

pytestmark = pytest.mark.django_db
PROMPT_HZ, A_HZ, B_HZ = 300, 400, 600


@pytest.fixture
def campaign(settings: Settings, tmp_path: Path) -> Campaign:
    """Prompts at 300 Hz, a at 400 and b at 600 Hz, half a second each, but every clip with a length of its own."""
    settings.MEDIA_ROOT, settings.MODELS_ON_PRIVATE_ADDRESSES = str(tmp_path), True
    row = make_campaign(units=3)
    for membership in row.campaign_units.select_related("unit__item"):
        unit = membership.unit
        turns = (
            Turn.objects.get(item=unit.item),
            *(ResponseTurn.objects.get(response=it) for it in (unit.a, unit.b)),
        )
        for turn, hz in zip(turns, (PROMPT_HZ, A_HZ, B_HZ), strict=True):
            _write(turn.clip, hz)  # type: ignore[arg-type]
    return row


def _write(clip: Clip, hz: float) -> None:
    clip.seconds = 0.5 + clip.pk % 50 / 1000
    clip.save()
    clip.path.parent.mkdir(parents=True, exist_ok=True)
    clip.path.write_bytes(wav_of(0.2 * np.sin(2 * np.pi * hz * np.arange(round(clip.seconds * RATE)) / RATE), RATE))


def hearing_model(campaign: Campaign, server: FakeServer, **columns: Any) -> LanguageModel:
    return make_model(campaign.created_by, server.url, **({"sound_form": "input_audio"} | columns))


def a_hearing_run(campaign: Campaign, model: LanguageModel, *, plan: dict[str, Any], **chosen: Any) -> Run:
    judge = a_judge(campaign, "audio_pairwise", model=model, signals="tones", **chosen)
    return worked(a_run(campaign, judge, **plan))


def heard(body: dict[str, Any]) -> list[list[int]]:
    """The pitches in every sound of a request."""
    found = []
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "input_audio":
                found.append(pitches(base64.b64decode(part["input_audio"]["data"])))
    return found


def test_both_orders_are_heard_in_their_order_and_kept_in_the_stored_frame(campaign: Campaign) -> None:
    with serving(saying(campaign, overall="2")) as server:
        run = a_hearing_run(campaign, hearing_model(campaign, server), plan={"orders": "both"})
        bodies = list(server.asked)

    assert (run.status, run.verdicts.filter(status="ok").count(), len(bodies)) == ("done", 6, 6)
    assert sorted(heard(body)[0] for body in bodies) == sorted(
        3
        * [[1500, 750, PROMPT_HZ, 1000, A_HZ, 1000, 1000, B_HZ], [1500, 750, PROMPT_HZ, 1000, B_HZ, 1000, 1000, A_HZ]]
    )
    stored = {
        (verdict.order, answer.value)
        for verdict in run.verdicts.all()
        for answer in verdict.answers.filter(aspect="overall")
    }
    assert stored == {("ab", "b"), ("ba", "a")}


def test_calls_keep_hashes_and_no_sound_and_a_second_run_is_free(campaign: Campaign) -> None:
    with serving(saying(campaign)) as server:
        model = hearing_model(campaign, server)
        a_hearing_run(campaign, model, plan={})
        again = a_hearing_run(campaign, model, plan={})
        n_asked = len(server.asked)

    assert (again.status, again.verdicts.filter(status="ok").count()) == ("done", 3)
    assert (n_asked, Call.objects.count()) == (3, 3)
    kept = json.dumps([call.request for call in Call.objects.all()])
    parts = [part for call in Call.objects.all() for part in call.request["messages"][-1]["content"]]
    sounds = [part for part in parts if part["type"] == "input_audio"]
    assert [sorted(sound) for sound in sounds] == 3 * [["holds", "seconds", "sha256", "type"]]
    assert len({sound["sha256"] for sound in sounds}) == 3
    assert [word in kept for word in ("base64", RARE_A, RARE_B, "object at 0x")] == [False] * 4
    assert len(kept) < 20_000


def test_another_rate_is_another_question(campaign: Campaign) -> None:
    with serving(saying(campaign)) as server:
        model = hearing_model(campaign, server)
        for rate in ("16000", "24000"):
            a_hearing_run(campaign, model, plan={}, rate=rate)

        assert len(server.asked) == 6


def test_examples_come_from_the_label_set_of_the_run_and_never_from_the_item_at_hand(campaign: Campaign) -> None:
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="theirs", created_by=campaign.created_by)
    for unit in campaign.dataset.units.all():
        make_label(labels, unit, "a")
    with serving(saying(campaign)) as server:
        run = a_hearing_run(
            campaign, hearing_model(campaign, server), plan={"label_set": labels}, shots=8, strategy="examples_test"
        )
        bodies = list(server.asked)

    assert (run.status, len(bodies)) == ("done", 3)
    for body in bodies:
        examples, test = heard(body)
        assert (examples.count(PROMPT_HZ), test.count(PROMPT_HZ)) == (2, 1)
    for verdict in run.verdicts.select_related("unit__item"):
        shown = [shot["item"] for shot in verdict.said["shots"]]
        assert sorted([*shown, verdict.unit.item.key]) == ["0", "1", "2"]


def test_estimate_counts_sound_by_its_seconds_and_makes_none_of_it(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def voice() -> None:
        raise AssertionError("a voice was loaded to plan a run")

    monkeypatch.setattr(signals, "hibari_voice", voice)
    for path in (clip.path for clip in Clip.objects.all()):
        path.unlink()
    model = make_model(campaign.created_by, sound_form="input_audio")
    judges = [
        a_judge(campaign, "audio_pairwise", model=model, signals="spoken", strategy=it) for it in ("none", "test")
    ]

    apart, joined = (estimate(campaign, judge, Run(campaign=campaign, judge=judge, orders="ab")) for judge in judges)

    # Three verdicts with four spoken signals of 1.85 s and two gaps of 0.5 s more, and a longer explanation.
    more = joined.tokens_in - apart.tokens_in
    assert (apart.calls, joined.calls) == (3, 3)
    assert more == pytest.approx(3 * (4 * 1.85 + 2 * 0.5) * TOKENS_PER_SECOND, rel=0.2)


def test_too_many_seconds_are_an_error_with_a_reason_and_nothing_is_sent(campaign: Campaign) -> None:
    Clip.objects.update(seconds=100)
    with serving(saying(campaign)) as server:
        run = a_hearing_run(campaign, hearing_model(campaign, server), plan={})

        assert server.asked == []
    assert {(verdict.status, "more than the 300 s" in verdict.message) for verdict in run.verdicts.all()} == {
        ("error", True)
    }


def test_a_model_that_takes_no_sound_makes_no_judge_that_hears(campaign: Campaign) -> None:
    model = make_model(campaign.created_by)

    with pytest.raises(ValueError, match="takes no sound"):
        a_judge(campaign, "audio_pairwise", model=model)
