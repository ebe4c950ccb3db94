import pytest

from campaigns.protocols import SHIPPED
from judges.backends.contract import JudgeInput
from judges.kinds import KINDS
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


@pytest.mark.parametrize("name", sorted(set(SHIPPED) - {"attributes"}))
def test_it_fits_no_other_protocol(name: str) -> None:
    assert ATTRIBUTES.fits(SHIPPED[name], {})
