import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from judges.backends.contract import JudgeOutput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.kinds import KINDS
from protocols import SHIPPED, read_answers
from protocols.judging import as_judged, judge_instructions
from tests.cases import each
from tests.judges.kinds.hearing import QUICK, FakeTools, a_case, a_shot, always, decoded, pitches, texts
from tests.judges.server import completion, serving

PAIRWISE = KINDS["audio_pairwise"]
HCOT = {"content": "1", "voice_quality": "2", "paralinguistics": "both_good", "overall": "both_bad"}
FITTING = [name for name, protocol in SHIPPED.items() if not PAIRWISE.fits(protocol, {})]


@each("name", FITTING)
def test_every_protocol_that_compares_is_asked_and_answered(name: str) -> None:
    protocol = replace(SHIPPED[name], item_criteria=False, criteria_only_if={})
    case = (
        a_case(400, 600, 800, protocol=protocol) if protocol.unit == "item" else a_case(400, 600, protocol=protocol)
    )
    unlike = {"second_best_system": "2"} if protocol.unit == "item" else {}
    tools = FakeTools(always(**unlike))

    opinion = PAIRWISE.judge(case, QUICK, tools)

    assert opinion.status == "ok", opinion.message
    assert read_answers(as_judged(protocol), opinion.answers, n_responses=len(case.responses))
    assert texts(tools.asked[0]).startswith(judge_instructions(protocol, len(case.responses)))


def test_single_responses_are_for_the_other_judge() -> None:
    assert [name for name in SHIPPED if name not in FITTING] == [
        name for name, protocol in SHIPPED.items() if protocol.unit == "single"
    ]


def test_reasons_come_first_and_are_kept() -> None:
    tools = FakeTools(lambda _wanted: {"reasoning": "2 is cut off", **HCOT})

    opinion = PAIRWISE.judge(a_case(400, 600), QUICK, tools)

    assert next(iter(tools.asked[0].schema["properties"])) == "reasoning"
    assert (opinion.reasoning, opinion.answers) == ("2 is cut off", HCOT)


@each(
    "reply, status",
    [
        ({"reasoning": "", **HCOT}, "ok"),
        ("Well: " + json.dumps({"reasoning": "", **HCOT}), "repaired"),
        ({"reasoning": "", **HCOT, "content": 1}, "repaired"),
        ({"reasoning": "", **HCOT, "content": " 1\n"}, "repaired"),
        ({"reasoning": "", **HCOT, "content": "tie"}, "unparsed"),
        ({"reasoning": "", **HCOT, "content": True}, "unparsed"),
        ({"reasoning": "", **HCOT, "content": ""}, "unparsed"),
        ({"reasoning": "", "overall": "1"}, "unparsed"),
        ("I cannot hear anything.", "unparsed"),
        ("", "unparsed"),
        (JudgeOutput("No.", "refused"), "refused"),
    ],
)
def test_what_cannot_be_read_is_missing_and_never_a_tie(reply: Any, status: str) -> None:
    opinion = PAIRWISE.judge(a_case(400, 600), QUICK, FakeTools(lambda _wanted: reply))

    read = status in ("ok", "repaired")
    assert (opinion.status, dict(opinion.answers), bool(opinion.message)) == (status, HCOT if read else {}, not read)


def test_examples_that_were_shown_are_told() -> None:
    opinion = PAIRWISE.judge(a_case(400, 600), QUICK | {"shots": 2}, FakeTools(always(), (a_shot(1), a_shot(2))))

    assert opinion.said["shots"][0] == {
        "item": "item 1",
        "clips": ["clip-3120", "clip-3130"],
        "answers": {"content": "1", "voice_quality": "1", "paralinguistics": "1", "overall": "1"},
    }
    assert len(opinion.said["shots"]) == 2


def test_server_gets_one_recording_with_signals_between_the_clips_and_its_reply_is_the_verdict() -> None:
    with serving(completion(json.dumps({"reasoning": "1 is clearer", **HCOT}))) as server:
        backend = OpenAIChat(
            ChatServer(base_url=server.url, model="m", private_allowed=True, attempts=1, sound_form="input_audio")
        )
        opinion = PAIRWISE.judge(
            a_case(400, 600), QUICK | {"rate": "24000", "strategy": "test"}, FakeTools(backend.ask)
        )
        backend.close()
        [body] = server.asked

    [sound] = [part for part in body["messages"][-1]["content"] if part["type"] == "input_audio"]
    wav = base64.b64decode(sound["input_audio"]["data"])
    samples, rate = decoded(wav)
    # Three clips of 0.5 s, five beeps of 0.25 s in four signals with 0.3 s after each, two gaps of 0.5 s.
    assert (rate, len(samples) / rate) == (24_000, pytest.approx(1.5 + 5 * 0.25 + 4 * 0.3 + 2 * 0.5, abs=0.001))
    assert pitches(wav) == [1500, 750, 300, 1000, 400, 1000, 1000, 600]
    assert body["response_format"]["json_schema"]["schema"]["required"][0] == "reasoning"
    assert (opinion.status, opinion.answers, opinion.reasoning) == ("ok", HCOT, "1 is clearer")
