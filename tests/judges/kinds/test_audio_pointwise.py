import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judges.backends.contract import JudgeInput
from judges.backends.messages import sounds_in
from judges.kinds import KINDS
from judges.kinds.audio_models.audio_pointwise import Compared, label_of
from judges.kinds.contract import Opinion
from protocols import SHIPPED, Protocol, for_item, questions, read_answers
from protocols.judging import as_judged
from tests.cases import each
from tests.judges.kinds.hearing import QUICK, FakeTools, a_case, a_shot, always, pitches, texts

POINTWISE = KINDS["audio_pointwise"]
FITTING = [name for name, protocol in SHIPPED.items() if not POINTWISE.fits(protocol, {})]


def rated(scores: Mapping[int, str], protocol: str | Protocol, **settings: Any) -> tuple[Opinion, FakeTools]:
    """Responses at 400 and 600 Hz, each rated by its pitch."""

    def answer(wanted: JudgeInput) -> Mapping[str, str]:
        heard = pitches(list(sounds_in(wanted.messages))[-1])[-1]
        return {
            name: f"about {heard}" if name == "reasoning" else scores[heard] for name in wanted.schema["required"]
        }

    tools = FakeTools(answer)
    return POINTWISE.judge(a_case(400, 600, protocol=protocol), QUICK | settings, tools), tools


@each("name", FITTING)
def test_every_protocol_that_fits_is_answered(name: str) -> None:
    protocol = for_item(SHIPPED[name], {"dimension": "semantic"})
    hz = (400.0, 600.0) if protocol.unit == "pair" else (400.0,)
    answer = always() if protocol.unit == "single" else None
    case = a_case(*hz, protocol=protocol)

    opinion = POINTWISE.judge(case, QUICK, FakeTools(answer or _by_pitch))

    assert opinion.status == "ok", opinion.message
    assert read_answers(as_judged(protocol), opinion.answers, n_responses=len(hz))


def _by_pitch(wanted: JudgeInput) -> Mapping[str, str]:
    score = "5" if pitches(list(sounds_in(wanted.messages))[-1])[-1] == 600 else "2"
    return {name: "why" if name == "reasoning" else score for name in wanted.schema["required"]}


def test_each_response_is_heard_alone_and_nothing_tells_its_place() -> None:
    _opinion, tools = rated({400: "2", 600: "5"}, "hcot")

    first, second = tools.asked
    assert [pitches(sound) for sound in sounds_in(first.messages)] == [[1500, 750, 300, 1000, 400]]
    assert [pitches(sound) for sound in sounds_in(second.messages)] == [[1500, 750, 300, 1000, 600]]
    assert texts(first) == texts(second)
    assert first.schema["properties"]["overall"]["enum"] == ["1", "2", "3", "4", "5"]


@each(
    "scores, chosen, label",
    [
        ((2, 5), {}, "2"),
        ((4, 3), {}, "1"),
        ((4, 4), {}, "both_good"),
        ((2, 2), {}, "both_bad"),
        ((1, 2), {}, "both_bad"),
        ((4, 3), {"margin": 1}, "both_good"),
        ((3, 2), {"margin": 1}, "1"),
        ((5, 3), {"margin": 1}, "1"),
        ((3, 3), {"good_from": 4}, "both_bad"),
    ],
)
def test_scores_become_typed_ties(scores: tuple[int, int], chosen: dict[str, int], label: str) -> None:
    opinion, _tools = rated({400: str(scores[0]), 600: str(scores[1])}, "blind_overall", **chosen)

    assert (opinion.status, opinion.answers) == ("ok", {"overall": label})
    assert opinion.said["scores"] == [{"overall": str(scores[0])}, {"overall": str(scores[1])}]


@each(
    "protocol, scores, label",
    [
        ("untyped_tie", (3, 3), "tie"),
        ("untyped_tie", (3, 4), "2"),
        ("forced_choice", (3, 2), "1"),
        ("forced_choice", (3, 3), ""),
        ("ccr", (3, 5), "2"),
        ("ccr", (5, 1), "-3"),
        ("ccr", (4, 4), "0"),
    ],
)
def test_scores_become_the_label_of_every_scale(protocol: str, scores: tuple[int, int], label: str) -> None:
    [question] = questions(SHIPPED[protocol], 2)

    assert label_of(question, Compared(*scores, margin=0, good_from=3)) == label


def test_swapped_scores_give_swapped_labels() -> None:
    turned = {"1": "2", "2": "1", "both_good": "both_good", "both_bad": "both_bad", "tie": "tie", "": ""}
    for name in ("blind_overall", "untyped_tie", "forced_choice"):
        [question] = questions(SHIPPED[name], 2)
        for margin in (0, 1, 2):
            for a in range(1, 6):
                for b in range(1, 6):
                    there = label_of(question, Compared(a, b, margin, 3))
                    assert label_of(question, Compared(b, a, margin, 3)) == turned[there]


def test_equal_scores_where_one_has_to_be_chosen_are_no_answer() -> None:
    opinion, _tools = rated({400: "3", 600: "3"}, "forced_choice")

    assert (opinion.status, dict(opinion.answers)) == ("error", {})
    assert "has no tie" in opinion.message


def test_a_response_that_was_not_rated_leaves_no_verdict() -> None:
    replies = iter(['{"reasoning": "fine", "overall": "4"}', "Sorry?"])

    opinion = POINTWISE.judge(
        a_case(400, 600, protocol="blind_overall"), QUICK, FakeTools(lambda _wanted: next(replies))
    )

    assert (opinion.status, dict(opinion.answers)) == ("unparsed", {})
    assert opinion.said["scores"] == [{"overall": "4"}, {}]


def test_single_responses_are_rated_on_the_scale_of_the_protocol() -> None:
    case = a_case(400, protocol="p835")
    tools = FakeTools(always(signal="4", background="2", overall="3"))

    opinion = POINTWISE.judge(case, QUICK, tools)

    assert opinion.answers == {"signal": "4", "background": "2", "overall": "3"}
    assert "Very intrusive" in texts(tools.asked[0])


def test_criteria_of_a_rubric_are_checked_by_ear() -> None:
    protocol = for_item(SHIPPED["rubric"], {"dimension": "paralinguistic", "criteria": ["Does it whisper?"]})
    no_manner = {"intelligible": "yes", "on_topic": "yes", "well_formed": "no", "hears_manner": "no", "item_1": "yes"}

    opinion = POINTWISE.judge(a_case(400, protocol=protocol), QUICK, FakeTools(always(**no_manner)))

    # A model that answers what does not arise is mended: `fits_manner` is only asked after a yes.
    assert (opinion.status, opinion.answers) == ("repaired", no_manner)


def test_examples_of_single_responses_carry_their_scores() -> None:
    shot = a_shot(1, protocol="acr", answers={"overall": "2"})
    one = replace(shot, case=replace(shot.case, responses=shot.case.responses[:1]))
    tools = FakeTools(always(), (one,))

    POINTWISE.judge(a_case(400, protocol="acr"), QUICK | {"shots": 1, "strategy": "examples_test"}, tools)

    assert 'Example 1: {"overall": "2"}' in texts(tools.asked[0])
    assert [pitches(it) for it in sounds_in(tools.asked[0].messages)] == [
        [500, 750, 3110, 1000, 3120],
        [1500, 750, 300, 1000, 400],
    ]


@each(
    "name, chosen, why",
    [
        ("hcot", {"shots": 4}, "no examples of ratings"),
        ("attributes", {}, "Speaker cannot be judged from one response"),
        ("dubbing", {}, "all of an item"),
        ("acr", {"shots": 4}, ""),
    ],
)
def test_what_does_not_fit_is_said(name: str, chosen: dict[str, int], why: str) -> None:
    said = POINTWISE.fits(SHIPPED[name], chosen) or ""

    assert (why in said, bool(said)) == (True, bool(why))


def test_written_reasons_are_those_of_the_judge() -> None:
    opinion, _tools = rated({400: "2", 600: "5"}, "arena")

    assert opinion.answers == {"overall": "2", "reason": "1: about 400\n\n2: about 600"}
    assert json.dumps(opinion.said)
