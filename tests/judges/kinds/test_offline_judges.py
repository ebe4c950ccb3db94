"""The judges that need no key, on what extractors would say."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from judges.kinds import KINDS
from judges.kinds.contract import Case, Opinion, Shot, Sound, Spoken
from judges.kinds.without_models.dnsmos import LEVEL_DBFS, at_one_level
from judges.kinds.without_models.embedding import qualification
from protocols import SHIPPED
from protocols.fusion import FUSED, POLICIES, fuse
from tests.cases import each
from tests.judges.kinds.listening import KnownFeatures, a_sound, features, heard


def judged(kind: str, values: Mapping[str, Mapping[str, Any]], case: Case, **settings: Any) -> Opinion:
    return KINDS[kind].judge(case, settings, KnownFeatures(values))


def test_the_longest_goes_by_seconds_and_hears_nothing() -> None:
    case = heard("short", "long")
    short, long = (Spoken(sound=a_sound(name, seconds=s)) for name, s in (("short", 2.0), ("long", 9.0)))
    tools = KnownFeatures({})

    opinion = KINDS["longest"].judge(Case(case.protocol, (), ((short,), (long,))), {}, tools)

    assert (set(opinion.answers.values()), tools.asked) == ({"2"}, [])


def test_the_longest_goes_by_words_where_there_is_no_sound() -> None:
    case = Case(SHIPPED["untyped_tie"], (), ((Spoken("one two three"),), (Spoken("one two"),)))

    assert KINDS["longest"].judge(case, {}, KnownFeatures({})).answers == {"overall": "1"}


@each(
    "kind, louder",
    [("loudest", {"loudness": {"integrated_lufs": -14.0}}), ("fastest", {"rates": {"speech_rate_wpm": 220.0}})],
)
def test_the_loudest_and_the_fastest_go_by_their_number(kind: str, louder: dict[str, Any]) -> None:
    values = {"plain": features(), "more": features(**louder)}

    assert judged(kind, values, heard("plain", "more", protocol="untyped_tie")).answers == {"overall": "2"}
    assert judged(kind, values, heard("more", "plain", protocol="untyped_tie")).answers == {"overall": "1"}


def test_what_was_not_measured_is_an_error_with_the_reason_and_no_answer() -> None:
    values = {"plain": features(), "silence": features(loudness="Silence has no loudness.")}

    opinion = judged("loudest", values, heard("plain", "silence"))

    assert (opinion.status, opinion.message, opinion.answers) == ("error", "loudness: Silence has no loudness.", {})


def test_the_most_frequent_label_is_said_of_everything() -> None:
    case = heard("x", "y", protocol="untyped_tie")
    shots = tuple(Shot(case, {"overall": value}) for value in ("tie", "1", "tie"))

    opinion = KINDS["majority"].judge(case, {}, KnownFeatures({}, shots))

    assert (opinion.answers, opinion.said["labels"]) == ({"overall": "tie"}, 3)
    assert KINDS["majority"].judge(case, {}, KnownFeatures({})).status == "error"


@each("scores, answer", [((4.4, 2.6), "1"), ((2.6, 4.4), "2"), ((4.4, 4.3), "both_good"), ((2.0, 1.5), "both_bad")])
def test_dnsmos_prefers_the_cleaner_by_a_margin(scores: tuple[float, float], answer: str) -> None:
    values = {name: features(quality={"ovrl": ovrl}) for name, ovrl in zip("xy", scores, strict=True)}

    opinion = judged("dnsmos", values, heard("x", "y"))

    assert set(opinion.answers.values()) == {answer}
    assert opinion.said["features"]["1"] == {"dnsmos_ovrl": scores[0]}
    assert opinion.said["thresholds"] == {"margin": 0.2, "acceptable": 3.0}


def test_dnsmos_tells_at_which_level_it_was_taken() -> None:
    assert judged("dnsmos", {"x": features()}, heard("x", "x")).said["features"]["2"]["level_dbfs"] == -24.0


def test_sounds_at_one_level_have_that_level_and_a_hash_of_their_own() -> None:
    rng = np.random.default_rng(1)
    sound = Sound("aa", 1.0, lambda: (rng.normal(0, 0.3, 1600), 1600))

    (spoken,) = at_one_level((Spoken("text", sound),))

    assert spoken.sound is not None
    samples, rate = spoken.sound.read()
    assert (spoken.text, rate, spoken.sound.sha256 != "aa") == ("text", 1600, True)
    assert 20 * np.log10(np.sqrt(np.mean(samples**2))) == pytest.approx(LEVEL_DBFS)


TRACED = {
    "clean": features(),
    "noisy": features(quality={"ovrl": 2.4}),
    "hurried": features(rates={"speech_rate_wpm": 310.0}),
    "monotone": features(pitch={"sd_hz": 4.0}),
    "pausing": features(voice_activity={"longest_pause_s": 3.5}),
    "empty": features(transcript={"text": ""}),
    "echo": features(transcript={"text": "What is the capital of Australia?"}),
    "refusing": features(transcript={"text": "I'm sorry, but I can't help with that."}),
    "looping": features(transcript={"text": "Narrator he said narrator he said narrator he said"}),
}


@each(
    "name, dimension, fault",
    [
        ("noisy", "voice_quality", "DNSMOS too low"),
        ("hurried", "paralinguistics", "too fast"),
        ("monotone", "paralinguistics", "monotone"),
        ("pausing", "paralinguistics", "long pause"),
        ("empty", "content", "empty"),
        ("echo", "content", "repeats the prompt"),
        ("refusing", "content", "refuses"),
        ("looping", "content", "loops"),
    ],
)
def test_the_rules_find_a_fault_in_its_dimension_and_nowhere_else(name: str, dimension: str, fault: str) -> None:
    opinion = judged("trace_rules", TRACED, heard("clean", name))

    expected = dict.fromkeys(("content", "voice_quality", "paralinguistics"), "both_good")
    assert opinion.answers == expected | {dimension: "1", "overall": "1"}
    assert opinion.said["faults"][dimension]["2"] == [fault]
    assert opinion.said["faults"][dimension]["1"] == []


def test_clipping_is_seen_in_the_samples() -> None:
    clean, clipped = Spoken(sound=a_sound("clean")), Spoken(sound=a_sound("noisy", level=1.0))
    case = heard("clean", "clean")

    opinion = judged("trace_rules", {"clean": features(), "noisy": features()}, Case(
        case.protocol, case.prompt, ((clean,), (clipped,))
    ))  # fmt: skip

    assert (opinion.answers["voice_quality"], opinion.said["faults"]["voice_quality"]["2"]) == ("1", ["clipped"])


def test_words_that_an_item_requires_are_counted() -> None:
    values = {
        "right": features(transcript={"text": "The future is here."}),
        "wrong": features(transcript={"text": "A fox sleeps in our garden."}),
    }
    case = heard("wrong", "right", prompt="Say it.", facts={"required_text": "The future is here"})

    opinion = judged("trace_rules", values, case)

    assert (opinion.answers["content"], opinion.said["features"]["2"]["word_error_rate"]) == ("2", 0.0)
    assert opinion.said["faults"]["content"]["1"] == ["other words than required"]


def test_overall_is_as_good_as_the_worst_dimension_or_as_most_dimensions() -> None:
    values = {"clean": features(), "noisy": TRACED["noisy"], "monotone": TRACED["monotone"]}

    def overall(*names: str, fusion: str) -> str:
        return judged("trace_rules", values, heard(*names), fusion=fusion).answers["overall"]

    assert overall("noisy", "clean", fusion="faults") == "2"
    assert overall("noisy", "monotone", fusion="faults") == "both_bad"
    assert overall("noisy", "clean", fusion="majority") == "both_good"
    assert overall("noisy", "clean", fusion="speakbench") == "2"


@each("policy", POLICIES)
@each("names", list(product(("clean", "noisy", "monotone", "empty"), repeat=2)))
def test_overall_follows_the_shared_policies(policy: str, names: tuple[str, str]) -> None:
    opinion = judged("trace_rules", TRACED, heard(*names), fusion=policy)
    dimensions = judged("trace_rules", TRACED, heard(*names)).answers

    expected = fuse(policy, **{name: dimensions[name] for name in FUSED})
    assert opinion.answers.get("overall") == expected
    assert opinion.message == (None if expected else f"The policy {policy} has no label for this.")


@each("protocol, winner, tie", [("untyped_tie", "1", "tie"), ("ccr", "-1", "0"), ("hcot", "1", "both_good")])
def test_a_fused_label_is_said_on_the_scale_of_the_protocol(protocol: str, winner: str, tie: str) -> None:
    def overall(*names: str) -> str:
        case = heard(*names, protocol=protocol)
        return judged("trace_rules", TRACED, case, fusion="speakbench").answers["overall"]

    assert (overall("clean", "empty"), overall("clean", "clean")) == (winner, tie)


def test_without_a_transcript_the_imported_words_are_read_and_without_those_it_is_an_error() -> None:
    silent = features(transcript="No recogniser is installed.")
    texts = tuple((Spoken("The capital is Canberra.", a_sound("x")),) for _ in range(2))
    case = heard("x", "x")

    assert judged("trace_rules", {"x": silent}, Case(case.protocol, case.prompt, texts)).status == "ok"
    refused = judged("trace_rules", {"x": silent}, case)
    assert (refused.status, refused.message) == ("error", "transcript: No recogniser is installed.")


def test_the_embedding_judge_prefers_what_goes_on_like_the_prompt() -> None:
    values = {"prompt": features(), "same": features(speaker=[2.0, 0.2]), "other": features(speaker=[0.0, 1.0])}
    case = heard("other", "same", protocol="untyped_tie")
    case = Case(case.protocol, (Spoken("", a_sound("prompt")),), case.responses)

    opinion = judged("embedding", values, case)

    assert (opinion.answers, opinion.said["rule"]) == ({"overall": "2"}, "nearer to the prompt")
    assert opinion.said["features"]["1"]["cosine"] == 0.0


def test_the_embedding_judge_compares_with_both_examples() -> None:
    values = {"positive": features(), "negative": features(speaker=[0.0, 1.0]), "near": features(speaker=[1.0, 0.4])}
    prompt = tuple(Spoken("", a_sound(name)) for name in ("positive", "negative"))
    case = Case(SHIPPED["forced_choice"], prompt, heard("negative", "near").responses)

    assert judged("embedding", values, case, against="examples").answers == {"overall": "2"}
    alone = judged("embedding", values, Case(case.protocol, prompt[:1], case.responses), against="examples")
    assert alone.status == "error"


def test_a_judge_qualifies_where_it_is_right_as_often_as_people() -> None:
    assert qualification(85, 100, people=0.85).qualified
    assert qualification(84, 100, people=0.85).reason == "right on 84.0% of the labelled prompts, people on 85.0%"
    assert qualification(100, 100, people=None).reason == "nobody knows how often people are right on these prompts"


def test_imported_verdicts_are_of_a_kind_that_cannot_be_run() -> None:
    assert [KINDS["imported"].fits(protocol, {}) for protocol in (SHIPPED["hcot"],)] == [
        "Its verdicts were imported; it cannot be run here."
    ]
