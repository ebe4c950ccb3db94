import json
from collections.abc import Mapping
from typing import Any

from judges.backends.contract import JudgeInput
from judges.kinds import KINDS
from judges.kinds.contract import Opinion
from protocols import SHIPPED, read_answers
from protocols.judging import as_judged
from tests.cases import each
from tests.judges.kinds.hearing import QUICK, FakeTools, a_case, a_shot, always, holdings, texts

ENSEMBLE = KINDS["ensemble"]
FITTING = [name for name, protocol in SHIPPED.items() if not ENSEMBLE.fits(protocol, {})]
SPECIALISTS = ["content", "paralinguistics", "voice_quality"]


def voted(protocol: str, votes: Mapping[str, str], **settings: Any) -> tuple[Opinion, FakeTools]:
    """Each specialist votes as told; one whose vote is not told says nothing that can be read."""

    def answer(wanted: JudgeInput) -> Mapping[str, str] | str:
        _reasoning, name = wanted.schema["required"]
        return {"reasoning": f"my {name}", name: votes[name]} if name in votes else "Hm."

    tools = FakeTools(answer)
    return ENSEMBLE.judge(a_case(400, 600, protocol=protocol), QUICK | settings, tools), tools


@each("name", FITTING)
def test_every_protocol_that_fits_is_answered(name: str) -> None:
    tools = FakeTools(always())

    opinion = ENSEMBLE.judge(a_case(400, 600, protocol=name), QUICK, tools)

    assert opinion.status == "ok", opinion.message
    assert read_answers(as_judged(SHIPPED[name]), opinion.answers, n_responses=2)
    assert len(tools.asked) == ENSEMBLE.calls(SHIPPED[name], {}) == 3


def test_it_fits_where_two_are_compared_as_wholes() -> None:
    assert FITTING == [
        "arena", "arena_typed_ties", "hcot", "hcot_guided", "blind_overall", "untyped_tie", "forced_choice"
    ]  # fmt: skip


def test_each_specialist_is_asked_about_its_own_aspect_alone() -> None:
    _opinion, tools = voted("hcot", {"content": "1", "voice_quality": "1", "paralinguistics": "1"})

    assert sorted(wanted.schema["required"][1] for wanted in tools.asked) == SPECIALISTS
    content = next(wanted for wanted in tools.asked if "content" in wanted.schema["required"])
    said = texts(content)
    assert ("judge of content" in said, "Overall:" in said, "judge of speech quality" in said) == (True, False, False)
    assert len({holdings(wanted)[0] for wanted in tools.asked}) == 1


def test_hcot_gets_the_votes_and_overall_their_majority() -> None:
    opinion, _tools = voted("hcot", {"content": "2", "voice_quality": "1", "paralinguistics": "1"})

    assert opinion.answers == {"content": "2", "voice_quality": "1", "paralinguistics": "1", "overall": "1"}
    assert opinion.said["decided_by"] == "majority"
    assert "voice_quality: my voice_quality" in opinion.reasoning


def test_without_a_majority_the_fallback_decides_and_is_named() -> None:
    votes = {"content": "2", "voice_quality": "1", "paralinguistics": "both_good"}

    by_content, _ = voted("blind_overall", votes)
    by_bad, _ = voted("blind_overall", votes, fallback="both_bad")
    by_nothing, _ = voted("blind_overall", votes, fallback="none")

    assert (by_content.answers, by_content.said["decided_by"]) == ({"overall": "2"}, "content")
    assert by_bad.answers == {"overall": "both_bad"}
    assert (by_nothing.status, dict(by_nothing.answers)) == ("error", {})


def test_mean_of_votes_takes_one_winner_and_two_ties_for_a_winner() -> None:
    votes = {"content": "2", "voice_quality": "tie", "paralinguistics": "tie"}

    assert voted("untyped_tie", votes, rule="mean")[0].answers == {"overall": "2"}
    assert voted("untyped_tie", votes)[0].answers == {"overall": "tie"}


def test_two_votes_are_enough_where_the_third_is_not_asked_for_by_the_protocol() -> None:
    votes = {"content": "2", "voice_quality": "2"}

    overall, _ = voted("untyped_tie", votes)
    dimensions, _ = voted("hcot", votes)
    one_vote, _ = voted("untyped_tie", {"content": "2"})

    assert (overall.status, overall.answers, overall.said["votes"]["paralinguistics"]) == (
        "ok",
        {"overall": "2"},
        None,
    )
    assert (dimensions.status, dict(dimensions.answers)) == ("unparsed", {})
    assert (one_vote.status, dict(one_vote.answers)) == ("unparsed", {})


def test_examples_show_each_specialist_the_label_of_its_aspect() -> None:
    shot = a_shot(1, answers={"content": "1", "voice_quality": "2", "overall": "both_bad"})
    tools = FakeTools(always(), (shot,))

    ENSEMBLE.judge(a_case(400, 600), QUICK | {"shots": 1}, tools)

    shown = [wanted.messages[2]["content"] for wanted in tools.asked]
    assert sorted(shown) == sorted(
        [
            json.dumps({"content": "1"}),
            json.dumps({"paralinguistics": "both_bad"}),
            json.dumps({"voice_quality": "2"}),
        ]
    )


def test_label_that_the_protocol_does_not_have_is_no_fallback() -> None:
    assert "fallback" in ENSEMBLE.fits(SHIPPED["untyped_tie"], {"fallback": "both_bad"})
    assert not ENSEMBLE.fits(SHIPPED["untyped_tie"], {"fallback": "both_bad", "rule": "mean"})
