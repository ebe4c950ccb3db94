from dataclasses import replace

from judges.kinds.text_models.rubric_llm import RUBRIC_LLM
from protocols import SHIPPED
from tests.cases import each
from tests.judges.kinds.reading import BECAUSE, FakeTools, a_case, choosing, in_turn, saying
from tests.protocols.asking import as_asked

RUBRIC = as_asked()["rubric semantic"]
GENERAL = ["intelligible", "on_topic", "well_formed", "remembers", "consistent"]
OF_ITEM = ["item_1", "item_2", "item_3"]


def asked(tools: FakeTools) -> list[list[str]]:
    return [
        [name for name in wanted.schema["properties"] if "." not in name and name != "reasoning"]
        for wanted in tools.asked
    ]


def test_general_criteria_are_checked_before_those_of_the_item() -> None:
    tools = FakeTools()

    opinion = RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, tools)

    assert asked(tools) == [GENERAL, OF_ITEM]
    assert opinion.answers == dict.fromkeys([*GENERAL, *OF_ITEM], "yes")


def test_all_criteria_are_checked_at_once_where_that_is_set() -> None:
    tools = FakeTools()

    RUBRIC_LLM.judge(a_case(RUBRIC, 1), {"calls": "together"}, tools)

    assert asked(tools) == [[*GENERAL, *OF_ITEM]]


def test_criteria_of_the_item_do_not_arise_where_nothing_can_be_made_out() -> None:
    tools = FakeTools(choosing(0, intelligible="no", **dict.fromkeys(GENERAL[1:], "")))

    opinion = RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, tools)

    assert asked(tools) == [GENERAL]
    assert (opinion.status, opinion.answers) == ("ok", {"intelligible": "no"})
    assert opinion.said["reasons"] == {"intelligible": BECAUSE}


def test_every_answer_has_its_reason_written_before_it() -> None:
    tools = FakeTools()

    opinion = RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, tools)

    first = list(tools.asked[1].schema["properties"])
    assert first == ["reasoning", *(name for one in OF_ITEM for name in (f"{one}.reason", one))]
    assert opinion.said["reasons"] == dict.fromkeys([*GENERAL, *OF_ITEM], BECAUSE)


def test_criteria_of_the_item_are_asked_in_its_own_words() -> None:
    tools = FakeTools()

    RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, tools)

    assert "Does it name the day?" in tools.systems[1]
    assert "Does it name the day?" not in tools.systems[0]


def test_half_an_opinion_is_none() -> None:
    tools = FakeTools(in_turn(choosing(0), saying({}, "unparsed")))

    opinion = RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, tools)

    assert (opinion.status, opinion.answers) == ("unparsed", {})
    assert list(opinion.said["reasons"]) == GENERAL


def test_one_repaired_level_makes_the_verdict_repaired() -> None:
    numbers = saying(dict.fromkeys(OF_ITEM, "yes") | {"reasoning": ""}, "repaired")

    assert RUBRIC_LLM.judge(a_case(RUBRIC, 1), {}, FakeTools(in_turn(choosing(0), numbers))).status == "repaired"


def test_items_that_bring_no_criteria_are_asked_about_once() -> None:
    plain = replace(RUBRIC, aspects=RUBRIC.aspects[: len(GENERAL)])
    tools = FakeTools()

    RUBRIC_LLM.judge(a_case(plain, 1), {}, tools)

    assert asked(tools) == [GENERAL]


def test_two_calls_are_announced_only_for_criteria_of_items() -> None:
    rubric = SHIPPED["rubric"]

    assert (RUBRIC_LLM.calls(rubric, {}), RUBRIC_LLM.calls(rubric, {"calls": "together"})) == (2, 1)


@each("name, reason", [("hcot", "puts several"), ("acr", "Quality asks"), ("podcast", "several")])
def test_only_yes_or_no_about_one_response_fits(name: str, reason: str) -> None:
    assert reason in RUBRIC_LLM.fits(SHIPPED[name], {})
    assert RUBRIC_LLM.fits(SHIPPED["rubric"], {}) is None
