import csv
from dataclasses import replace
from itertools import product
from typing import Any

from judges.kinds.contract import Case, Settings, Spoken
from judges.kinds.text_models.evidence import GROUPS
from judges.kinds.text_models.trace import EVIDENCE, TRACE
from protocols import SHIPPED
from protocols.fusion import FUSED, POLICIES
from tests.cases import each
from tests.judges.kinds.reading import BECAUSE, FakeTools, a_case, choosing, features, in_turn, saying, sound
from tests.needs import needs
from tests.paths import SHARED_DATA

HCOT = SHIPPED["hcot"]
WITH_ALL = features(emotion={"neutral": 1.0}, accent={"us": 0.7})
KEYS = {group: f"agent_{group}" for group in GROUPS}


def answering(content: str, voice_quality: str, paralinguistics: str) -> FakeTools:
    labels = (content, voice_quality, paralinguistics)
    return FakeTools(
        in_turn(*(saying({"reasoning": name, name: label}) for name, label in zip(FUSED, labels, strict=True)))
    )


def listened(**found: Any) -> FakeTools:
    return FakeTools(found=dict.fromkeys(("clip 1", "clip 2", "asked"), WITH_ALL | found))


def spoken_case() -> Case:
    """Pairs whose prompt can be heard as well."""
    return a_case(HCOT, 2, prompt=(Spoken("Whisper a secret.", sound("asked")),))


def keys_of_responses(tools: FakeTools) -> list[set[str]]:
    return [
        {key for line in lines if line["who"] != "The prompt" for key in line["blueprint"]}
        for lines in tools.materials
    ]


def test_every_dimension_is_asked_by_itself_with_its_own_evidence() -> None:
    tools = listened()

    TRACE.judge(spoken_case(), {}, tools)

    assert [list(wanted.schema["properties"]) for wanted in tools.asked] == [["reasoning", name] for name in FUSED]
    assert keys_of_responses(tools) == [{KEYS[group] for group in EVIDENCE[name]} for name in FUSED]


def test_all_dimensions_can_be_asked_at_once_with_all_the_evidence() -> None:
    tools = listened()

    TRACE.judge(spoken_case(), {"calls": "together"}, tools)

    assert [list(wanted.schema["properties"]) for wanted in tools.asked] == [["reasoning", *FUSED]]
    assert keys_of_responses(tools) == [set(KEYS.values())]


@each("calls", ["each", "together"])
def test_the_overall_label_is_not_asked_of_the_model(calls: str) -> None:
    tools = listened()

    opinion = TRACE.judge(spoken_case(), {"calls": calls}, tools)

    assert [system for system in tools.systems if "`overall`" in system] == []
    assert "overall" in opinion.answers


def test_the_user_is_told_by_what_they_say_and_by_how_they_speak() -> None:
    tools = listened()

    TRACE.judge(spoken_case(), {}, tools)

    assert [list(lines[0]["blueprint"]) for lines in tools.materials] == [
        ["user_prompt"],
        ["user_prompt"],
        ["user_prompt", "user_emotion", "user_accent", "user_audio_properties"],
    ]
    assert {lines[0]["blueprint"]["user_prompt"] for lines in tools.materials} == {"Whisper a secret."}


def test_fusion_follows_the_policy_that_is_set() -> None:
    policies = [name for name, policy in POLICIES.items() if policy.always_decides]

    overall = {
        name: TRACE.judge(a_case(HCOT, 2), {"policy": name}, answering("1", "1", "2")).answers["overall"]
        for name in policies
    }

    assert overall == {
        "speakbench": "1",
        "speakbench_dominant": "1",
        "s2s_arena": "both_bad",
        "s2s_arena_lenient": "1",
        "majority_content": "1",
        "majority_both_bad": "1",
        "majority_numeric_mean": "1",
        "numeric_mean": "1",
    }


def test_only_policies_that_always_decide_can_be_set() -> None:
    setting = next(one for one in TRACE.settings if one.name == "policy")

    assert [value for value, _title in setting.choices] == [
        name for name, policy in POLICIES.items() if policy.always_decides
    ]


@needs(SHARED_DATA.is_dir(), "the truth table (../shared/data/hcot) is not at hand")
def test_fused_answers_equal_the_truth_table() -> None:
    with (SHARED_DATA / "hcot" / "fusion_truth_table.csv").open(newline="") as file:
        expected = {tuple(row[name] for name in FUSED): row["alg1_speakbench"] for row in csv.DictReader(file)}

    fused = {
        triple: TRACE.judge(a_case(HCOT, 2), {}, answering(*triple)).answers["overall"]
        for triple in product(("1", "2", "both_good", "both_bad"), repeat=3)
    }

    assert fused == expected


def test_blueprints_replies_and_what_was_fused_are_kept() -> None:
    said = TRACE.judge(a_case(HCOT, 2), {}, answering("both_good", "1", "2")).said

    assert (said["policy"], said["fused"]) == ("speakbench", dict(zip(FUSED, ("both_good", "1", "2"), strict=True)))
    assert said["dimensions"]["voice_quality"] == {
        "status": "ok",
        "answers": {"voice_quality": "1"},
        "reasoning": "voice_quality",
        "message": None,
    }
    assert [one["who"] for one in said["blueprints"]] == ["The prompt", "response 1", "response 2"]
    assert said["blueprints"][1]["blueprint"]["agent_audio_quality"]["P808_Overall_Quality"] == "4.20 / 5.00"


def test_a_dimension_that_cannot_be_read_leaves_no_answer_and_asks_no_further() -> None:
    tools = FakeTools(in_turn(saying({"reasoning": "", "content": "1"}), saying({}, "refused")))

    opinion = TRACE.judge(a_case(HCOT, 2), {}, tools)

    assert (opinion.status, opinion.answers, len(tools.asked)) == ("refused", {}, 2)
    assert opinion.message == "voice_quality: The model refused."
    assert [(name, one["status"]) for name, one in opinion.said["dimensions"].items()] == [
        ("content", "ok"),
        ("voice_quality", "refused"),
    ]


@each("group", GROUPS)
def test_a_group_that_is_switched_off_is_nowhere_in_what_the_model_gets(group: str) -> None:
    tools = listened()

    opinion = TRACE.judge(spoken_case(), {"calls": "together", f"with_{group}": False}, tools)

    assert keys_of_responses(tools) == [{KEYS[other] for other in GROUPS if other != group}]
    assert f"`{KEYS[group]}" not in tools.systems[0]
    assert KEYS[group] not in opinion.said["blueprints"][1]["blueprint"]


def test_a_dimension_without_any_of_its_own_groups_sees_the_others() -> None:
    tools = listened()

    TRACE.judge(spoken_case(), {"with_audio_quality": False}, tools)

    assert keys_of_responses(tools)[1] == {KEYS[group] for group in GROUPS if group != "audio_quality"}


def test_with_every_group_switched_off_nothing_is_asked() -> None:
    tools = listened()

    opinion = TRACE.judge(spoken_case(), {f"with_{group}": False for group in GROUPS}, tools)

    assert (opinion.status, tools.asked) == ("error", [])
    assert opinion.message == "content: Every group of features is switched off."


def test_an_absent_feature_is_told_as_null_with_the_reason() -> None:
    tools = listened(emotion=features()["emotion"])

    TRACE.judge(spoken_case(), {}, tools)

    line = tools.materials[2][1]
    assert line["blueprint"]["agent_emotion"] is None
    assert line["notes"] == {"agent_emotion": "The package funasr is not installed."}


def test_a_dimension_of_which_nothing_was_measured_is_not_guessed() -> None:
    tools = listened(quality=features(quality="The package speechmos is not installed.")["quality"])

    opinion = TRACE.judge(spoken_case(), {}, tools)

    assert (opinion.status, opinion.answers, tools.asked) == ("error", {}, [])
    assert opinion.message == (
        "voice_quality: Nothing is known of any response. The package speechmos is not installed."
    )


def test_words_of_the_import_stand_in_for_those_not_recognised_and_are_called_so() -> None:
    tools = listened(transcript=features(None)["transcript"])

    TRACE.judge(spoken_case(), {}, tools)

    line = tools.materials[0][1]
    assert line["blueprint"] == {"agent_response": "Answer 1."}
    assert line["notes"] == {
        "agent_response": "Digital silence has no words. These are the words that came with the recording."
    }


def test_other_protocols_are_asked_in_one_request_and_nothing_is_fused() -> None:
    more = replace(HCOT, aspects=(*HCOT.aspects, replace(SHIPPED["arena"].aspect("reason"), after=())))
    tools = FakeTools(choosing(0))

    opinion = TRACE.judge(a_case(more, 2), {}, tools)

    assert [list(wanted.schema["properties"])[1:] for wanted in tools.asked] == [[*FUSED, "overall", "reason"]]
    assert opinion.answers["reason"] == BECAUSE
    assert "policy" not in opinion.said


@each("name, chosen, calls", [("hcot", {}, 3), ("hcot", {"calls": "together"}, 1), ("acr", {}, 1)])
def test_calls_are_announced(name: str, chosen: Settings, calls: int) -> None:
    assert TRACE.calls(SHIPPED[name], chosen) == calls
