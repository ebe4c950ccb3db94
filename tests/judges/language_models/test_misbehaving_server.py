"""Every judge that asks a model, in whole runs over a server that misbehaves: each verdict ends as it should."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from pytest_django import Settings

from campaigns.models import Campaign
from corpus.models import Clip
from judges.kinds import KINDS
from judges.kinds.contract import Feature, Sound
from judges.language_models.calls import asking as asking_again
from judges.language_models.prices import set_terms
from judges.language_models.registry import backend_of
from judges.models import Call, LanguageModel, Run, Verdict, VerdictAnswer
from judges.runs import worker
from judges.runs.progress import progress_of
from judges.sounds.recordings import wav_of
from judges.verdicts import context
from tests.factories import make_campaign
from tests.judges.drafting import make_model
from tests.judges.kinds.reading import features
from tests.judges.running import a_judge, a_run, worked
from tests.judges.server import Step, completion, fault, hang, serving

pytestmark = pytest.mark.django_db
RATE = 16_000


@dataclass(frozen=True)
class Asking:
    """A protocol for a kind, how often its model is asked of one unit, and how often where no reply can be read."""

    protocol: str
    calls: int
    in_vain: int
    orders: int = 2


#: A rubric about meaning, without criteria of the item, is asked once. Who hears asks for every part of its opinion
#: before it looks at what came.
KINDS_ASKING: Mapping[str, Asking] = {
    "transcript_llm": Asking("hcot", 1, 1),
    "trace": Asking("hcot", 3, 1),
    "rubric_llm": Asking("rubric", 1, 1, orders=1),
    "audio_pairwise": Asking("hcot", 1, 1),
    "audio_pointwise": Asking("hcot", 2, 2),
    "ensemble": Asking("hcot", 3, 3),
    "attributes_llm": Asking("attributes", 4, 4),
}
every_kind = pytest.mark.parametrize("kind", KINDS_ASKING)
#: A server's reply is 11 and 7 tokens, at a thousand dollars for a million.
USD_A_CALL = Decimal("0.018")
ATTEMPTS = 3


def first_choices(body: dict[str, Any], **others: str) -> str:
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps(
        {name: others.get(name, one.get("enum", ["I read it."])[0]) for name, one in properties.items()}
    )


def good(body: dict[str, Any], **columns: str) -> Any:
    return completion(first_choices(body), **columns)(body)  # type: ignore[arg-type]


def in_prose(body: dict[str, Any]) -> Any:
    return completion(f"Gladly! ```json\n{first_choices(body)}\n``` I hope this helps.")(body)


def cut(body: dict[str, Any]) -> Any:
    return completion(first_choices(body)[:-4], finish="length")(body)


def no_choice(body: dict[str, Any]) -> Any:
    return completion(json.dumps(dict.fromkeys(json.loads(first_choices(body)), "Response A")))(body)


@dataclass(frozen=True)
class Ends:
    """How a verdict ends, how often a call (or the first one) reaches the server, and how long one may take."""

    status: str
    tries: int = 1
    first: int | None = None
    timeout_s: float | None = None


BEHAVIOURS: Mapping[str, tuple[Sequence[Step], Ends]] = {
    "good": ([good], Ends("ok")),
    "prose around": ([in_prose], Ends("repaired")),
    "cut": ([cut], Ends("unparsed")),
    "no choice": ([no_choice], Ends("unparsed")),
    "empty": ([completion("")], Ends("unparsed")),
    "refuses": ([completion(None, refusal="I cannot judge people.")], Ends("refused")),
    # It is asked once more without the schema, which it may not have understood.
    "400": ([fault(400, "context too long")], Ends("error", tries=2)),
    "429, then fine": ([fault(429, Retry_After="7"), good], Ends("ok", first=2)),
    "500, then fine": ([fault(500), good], Ends("ok", first=2)),
    "500 for ever": ([fault(500)], Ends("error", tries=ATTEMPTS)),
    "says nothing for long": ([hang], Ends("error", tries=ATTEMPTS, timeout_s=0.2)),
}


def is_tried_by_others(kind: str, behaviour: str) -> bool:
    """One function asks a failing server again for all kinds: a kind of one call and one of three try it."""
    fails = BEHAVIOURS[behaviour][1].tries > 1 or BEHAVIOURS[behaviour][1].first is not None
    return fails and kind not in ("audio_pairwise", "ensemble")


@pytest.fixture(autouse=True)
def pauses(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every clip has features, servers here may be asked three times, and nobody waits between attempts."""
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    asked_for: list[float] = []

    def found(_sound: Sound, names: Sequence[str]) -> Mapping[str, Feature]:
        return {name: feature for name, feature in features().items() if name in names}

    monkeypatch.setattr(context, "measured", found)
    monkeypatch.setattr(asking_again, "sleep_unless", lambda _is_cancelled, seconds: asked_for.append(seconds))
    monkeypatch.setattr(asking_again, "slow_down", lambda *_: None)
    monkeypatch.setattr(asking_again, "ATTEMPTS", ATTEMPTS)
    return asked_for


def a_campaign(kind: str, units: int = 1) -> Campaign:
    """With a file for every clip, each of a pitch of its own, where the kind hears."""
    campaign = make_campaign(units=units, protocol=KINDS_ASKING[kind].protocol, facts={"dimension": "semantic"})
    if KINDS[kind].sends_sound:
        for place, clip in enumerate(Clip.objects.all()):
            Clip.objects.filter(pk=clip.pk).update(seconds=0.1)
            clip.path.parent.mkdir(parents=True, exist_ok=True)
            tone = 0.2 * np.sin(2 * np.pi * (300 + 20 * place) * np.arange(RATE // 10) / RATE)
            clip.path.write_bytes(wav_of(tone, RATE))
    return campaign


def a_model(campaign: Campaign, url: str) -> LanguageModel:
    model = make_model(campaign.created_by, url, sound_form="input_audio")
    set_terms(
        model, at_once=1, requests_per_minute=None, tokens_per_minute=None,
        usd_in=Decimal(1000), usd_out=Decimal(1000), user=campaign.created_by,
    )  # fmt: skip
    return model


def ran(campaign: Campaign, kind: str, model: LanguageModel) -> Run:
    chosen = {"signals": "tones"} if KINDS[kind].sends_sound else {}
    return worked(a_run(campaign, a_judge(campaign, kind, model=model, **chosen), orders="both"))


def test_every_kind_that_asks_a_model_is_here() -> None:
    assert set(KINDS_ASKING) == {name for name, kind in KINDS.items() if kind.asks_model}


@pytest.mark.parametrize(
    ("kind", "behaviour"),
    [
        pytest.param(kind, behaviour, marks=[pytest.mark.slow] if is_tried_by_others(kind, behaviour) else [])
        for kind in KINDS_ASKING
        for behaviour in BEHAVIOURS
    ],
)
def test_every_verdict_ends_with_the_status_cost_and_count_of_what_the_server_did(
    kind: str, behaviour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (steps, ends), asking = BEHAVIOURS[behaviour], KINDS_ASKING[kind]
    campaign = a_campaign(kind)
    monkeypatch.setattr(worker, "backend_of", partial(backend_of, timeout_s=ends.timeout_s))
    begun = time.monotonic()
    with serving(*steps) as server:
        run = ran(campaign, kind, a_model(campaign, server.url))
        n_asked = len(server.asked)

    verdicts = list(run.verdicts.all())
    is_read = ends.status in Verdict.READ
    assert [verdict.status for verdict in verdicts] == [ends.status] * asking.orders
    assert [bool(verdict.message) for verdict in verdicts] == [not is_read] * asking.orders
    assert VerdictAnswer.objects.exists() == is_read
    calls = asking.calls if is_read else asking.in_vain if ends.status != "error" else 1
    assert [verdict.calls.count() for verdict in verdicts] == [calls] * asking.orders
    n_calls = calls * asking.orders
    assert Call.objects.count() == n_calls
    assert n_asked == (n_calls * ends.tries if ends.first is None else n_calls - 1 + ends.first)
    cost = Decimal(0) if ends.status == "error" else calls * USD_A_CALL
    assert [verdict.cost_usd for verdict in verdicts] == [cost] * asking.orders
    assert run.spent_usd == cost * asking.orders
    assert time.monotonic() - begun < 10


@every_kind
def test_the_server_is_waited_for_as_long_as_it_says(kind: str, pauses: list[float]) -> None:
    campaign = a_campaign(kind)
    with serving(fault(429, Retry_After="7"), good) as server:
        ran(campaign, kind, a_model(campaign, server.url))

    assert len(pauses) == 1
    assert 7 <= pauses[0] < 12


@every_kind
def test_another_version_of_the_model_within_a_run_is_said(kind: str) -> None:
    """From the second call on: for some that is the next verdict, for others still the first one."""
    campaign = a_campaign(kind, units=2)
    with serving(partial(good, model="m-2026"), partial(good, model="m-2027")) as server:
        run = ran(campaign, kind, a_model(campaign, server.url))

    n = run.verdicts.count()
    in_one = KINDS_ASKING[kind].calls > 1
    assert run.status == "done"
    assert sorted(progress_of(run).models) == [("m-2026", 1), ("m-2027", n if in_one else n - 1)]


@every_kind
def test_every_call_is_counted_once(kind: str) -> None:
    campaign, asking = a_campaign(kind, units=2), KINDS_ASKING[kind]
    with serving(good) as server:
        run = ran(campaign, kind, a_model(campaign, server.url))
        n_asked = len(server.asked)

    assert n_asked == Call.objects.count() == asking.calls * run.verdicts.count()
    assert {(verdict.tokens_in, verdict.tokens_out) for verdict in run.verdicts.all()} == {
        (11 * asking.calls, 7 * asking.calls)
    }
    assert run.spent_usd == n_asked * USD_A_CALL


@every_kind
def test_no_system_is_named_in_any_request(kind: str) -> None:
    campaign = a_campaign(kind)
    with serving(good) as server:
        ran(campaign, kind, a_model(campaign, server.url))
        asked = json.dumps(server.asked)

    names = set(campaign.dataset.systems.values_list("name", flat=True))
    assert names
    assert [name for name in names if name in asked] == []


def test_answers_of_a_reader_are_stored_in_the_frame_of_a_and_b() -> None:
    campaign = a_campaign("trace")
    with serving(good) as server:
        run = ran(campaign, "trace", a_model(campaign, server.url))

    stored = {
        verdict.order: {row.aspect: row.value for row in verdict.answers.all()} for verdict in run.verdicts.all()
    }
    aspects = ("content", "voice_quality", "paralinguistics", "overall")
    assert stored == {"ab": dict.fromkeys(aspects, "a"), "ba": dict.fromkeys(aspects, "b")}
