from judges.backends.contract import JudgeInput
from judges.backends.messages import sounds_in
from judges.kinds import KINDS
from judges.kinds.audio_models.hearing import STRATEGY
from protocols import SHIPPED
from tests.cases import each
from tests.judges.kinds.hearing import QUICK, FakeTools, a_case, a_shot, always, texts

ATTRIBUTES = KINDS["attributes_llm"]
ANSWERS = {"same_speaker": "no", "same_pronunciation": "yes", "faster": "2", "clearer": "same"}


def test_each_property_is_asked_about_in_a_request_of_its_own() -> None:
    tools = FakeTools(always(**ANSWERS))

    opinion = ATTRIBUTES.judge(a_case(400, 600, protocol="attributes"), QUICK, tools)

    assert (opinion.status, opinion.answers) == ("ok", ANSWERS)
    assert [wanted.schema["required"] for wanted in tools.asked] == [["reasoning", name] for name in ANSWERS]
    assert ["syllables are spoken" in texts(wanted) for wanted in tools.asked] == [False, False, True, False]
    assert ATTRIBUTES.calls(SHIPPED["attributes"], {}) == len(tools.asked)


def test_one_property_that_cannot_be_read_leaves_no_verdict() -> None:
    def answer(wanted: JudgeInput) -> object:
        return "?" if "faster" in wanted.schema["required"] else always(**ANSWERS)(wanted)

    opinion = ATTRIBUTES.judge(a_case(400, 600, protocol="attributes"), QUICK, FakeTools(answer))  # type: ignore[arg-type]

    assert (opinion.status, dict(opinion.answers)) == ("unparsed", {})
    assert opinion.said["statuses"] == {
        "same_speaker": "ok", "same_pronunciation": "ok", "faster": "unparsed", "clearer": "ok"
    }  # fmt: skip


def test_examples_are_shown_where_they_have_the_label() -> None:
    tools = FakeTools(always(**ANSWERS), (a_shot(1, protocol="attributes", answers={"faster": "1"}),))

    ATTRIBUTES.judge(a_case(400, 600, protocol="attributes"), QUICK | {"shots": 1}, tools)

    assert [len(wanted.messages) for wanted in tools.asked] == [2, 2, 4, 2]


@each("name", sorted(set(SHIPPED) - {"attributes"}))
def test_it_fits_no_other_protocol(name: str) -> None:
    assert ATTRIBUTES.fits(SHIPPED[name], {})


@each("strategy", [choice for choice, _title in STRATEGY.choices])
def test_no_voice_but_those_of_the_two_clips_is_sent(strategy: str) -> None:
    """“Same speaker?” has no answer in a recording in which somebody else asks first."""
    case = a_case(400, 600, protocol="attributes")
    shot = a_shot(1, protocol="attributes", answers=ANSWERS)
    asking = {turn.sound.sha256[:12] for one in (case, shot.case) for turn in one.prompt if turn.sound}
    tools = FakeTools(always(**ANSWERS), (shot,))

    ATTRIBUTES.judge(case, QUICK | {"strategy": strategy, "shots": 1}, tools)

    sent = [name for wanted in tools.asked for sound in sounds_in(wanted.messages) for name in sound.holds]
    judged = {turn.sound.sha256[:12] for turns in case.responses for turn in turns if turn.sound}
    assert len(tools.asked) == 4
    assert asking
    assert judged <= {name.removeprefix("clip ") for name in sent}
    assert not [name for name in sent if name.removeprefix("clip ") in asking or name.startswith("signal: Prompt")]
