"""Judges that read, in whole runs over a server that misbehaves: every verdict ends with the right status."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pytest_django import Settings

from campaigns.models import Campaign
from judges import tools
from judges.backends import openai_chat
from judges.kinds.contract import Feature, Sound
from judges.models import Call, LanguageModel, Run, VerdictAnswer
from tests.factories import make_campaign
from tests.judges.drafting import make_model
from tests.judges.kinds.reading import features
from tests.judges.running import a_judge, a_run, worked
from tests.judges.server import Step, completion, fault, serving

pytestmark = pytest.mark.django_db

PROTOCOLS = {"transcript_llm": "hcot", "trace": "hcot", "rubric_llm": "rubric"}
#: A rubric about meaning, without criteria of the item, is asked once.
CALLS = {"transcript_llm": 1, "trace": 3, "rubric_llm": 1}
every_reader = pytest.mark.parametrize("kind", PROTOCOLS)


def first_choices(body: dict[str, Any], **others: str) -> str:
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps(
        {name: others.get(name, one.get("enum", ["I read it."])[0]) for name, one in properties.items()}
    )


def good(body: dict[str, Any]) -> Any:
    return completion(first_choices(body))(body)


def in_prose(body: dict[str, Any]) -> Any:
    return completion(f"Gladly! ```json\n{first_choices(body)}\n``` I hope this helps.")(body)


def cut(body: dict[str, Any]) -> Any:
    return completion(first_choices(body)[:-4], finish="length")(body)


def no_choice(body: dict[str, Any]) -> Any:
    return completion(json.dumps(dict.fromkeys(json.loads(first_choices(body)), "Response A")))(body)


BEHAVIOURS: Mapping[str, tuple[Step, str]] = {
    "good": (good, "ok"),
    "prose around": (in_prose, "repaired"),
    "cut": (cut, "unparsed"),
    "no choice": (no_choice, "unparsed"),
    "empty": (completion(""), "unparsed"),
    "refuses": (completion(None, refusal="I cannot judge people."), "refused"),
    "400": (fault(400, "context too long"), "error"),
    "500": (fault(500), "error"),
}


@pytest.fixture(autouse=True)
def measured(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every clip has features, servers here may be asked, and nobody waits between attempts."""
    settings.MODELS_ON_PRIVATE_ADDRESSES = True

    def found(_sound: Sound, names: Sequence[str]) -> Mapping[str, Feature]:
        return {name: feature for name, feature in features().items() if name in names}

    monkeypatch.setattr(tools, "measured", found)
    monkeypatch.setattr(openai_chat, "sleep_unless", lambda _is_cancelled, _seconds: None)


def a_campaign(kind: str, units: int = 1) -> Campaign:
    return make_campaign(units=units, protocol=PROTOCOLS[kind], facts={"dimension": "semantic"})


def ran(campaign: Campaign, kind: str, model: LanguageModel) -> Run:
    return worked(a_run(campaign, a_judge(campaign, kind, model=model), orders="both"))


@every_reader
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_every_verdict_ends_with_the_status_of_what_the_server_did(kind: str, behaviour: str) -> None:
    step, status = BEHAVIOURS[behaviour]
    campaign = a_campaign(kind)
    with serving(step) as server:
        run = ran(campaign, kind, make_model(campaign.created_by, server.url))

    verdicts = list(run.verdicts.all())
    assert len(verdicts) == (1 if kind == "rubric_llm" else 2)
    assert {verdict.status for verdict in verdicts} == {status}
    assert all(verdict.message for verdict in verdicts) == (status not in ("ok", "repaired"))
    assert VerdictAnswer.objects.exists() == (status in ("ok", "repaired"))
    assert {verdict.calls.count() for verdict in verdicts} == {CALLS[kind] if status in ("ok", "repaired") else 1}


@every_reader
def test_every_call_is_counted_once(kind: str) -> None:
    campaign = a_campaign(kind, units=2)
    with serving(good) as server:
        run = ran(campaign, kind, make_model(campaign.created_by, server.url))
        n_asked = len(server.asked)

    assert n_asked == Call.objects.count() == CALLS[kind] * run.verdicts.count()
    assert {(verdict.tokens_in, verdict.tokens_out) for verdict in run.verdicts.all()} == {
        (11 * CALLS[kind], 7 * CALLS[kind])
    }


@every_reader
def test_no_system_is_named_in_any_request(kind: str) -> None:
    campaign = a_campaign(kind)
    with serving(good) as server:
        ran(campaign, kind, make_model(campaign.created_by, server.url))
        asked = json.dumps(server.asked)

    names = set(campaign.dataset.systems.values_list("name", flat=True))
    assert names
    assert [name for name in names if name in asked] == []


def test_answers_of_a_reader_are_stored_in_the_frame_of_a_and_b() -> None:
    campaign = a_campaign("trace")
    with serving(good) as server:
        run = ran(campaign, "trace", make_model(campaign.created_by, server.url))

    stored = {
        verdict.order: {row.aspect: row.value for row in verdict.answers.all()} for verdict in run.verdicts.all()
    }
    aspects = ("content", "voice_quality", "paralinguistics", "overall")
    assert stored == {"ab": dict.fromkeys(aspects, "a"), "ba": dict.fromkeys(aspects, "b")}
