"""What a model wrote is read as its answer, or not at all."""

import json
import time
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from judges import reasons
from judges.backends.replies import read_reply
from judges.backends.thinking import without_thinking
from tests.cases import each

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "overall": {"type": "string", "enum": ["1", "2"]}},
    "required": ["reasoning", "overall"],
}
ONE, TWO = ('{"reasoning": "r", "overall": "1"}', '{"reasoning": "r", "overall": "2"}')
#: As deep as a decoder reads, and deeper than what takes data apart by recursion can go.
DEEP = f'{{"reasoning": "r", "overall": "1", "more": {"[" * 900}{"]" * 900}}}'


def said(overall: str) -> dict[str, str]:
    return {"reasoning": "r", "overall": overall}


@each(
    "text",
    [
        f"<think>First {ONE}, or not?</think>{TWO}",
        f"<think>\n{ONE}\n</think>\n\n```json\n{TWO}\n```",
        f"<thinking>{ONE}</thinking>{TWO}",
        f"<Reasoning>{ONE}</Reasoning>\n{TWO}",
        f"<think>a <think>{ONE}</think> b {ONE}</think>{TWO}",
        f"It began in the prompt: {ONE}</think>{TWO}",
        f"[THINK]{ONE}[/THINK]{TWO}",
        f"◁think▷{ONE}◁/think▷{TWO}",
        f"<seed:think>{ONE}</seed:think>{TWO}",
        f"<|begin_of_thought|>{ONE}<|end_of_thought|>{TWO}",
        f"<|channel|>analysis<|message|>{ONE}<|end|><|start|>assistant<|channel|>final<|message|>{TWO}<|return|>",
        f"<|channel|>analysis<|message|>{ONE}<|end|><|channel|>final <|constrain|>json<|message|>{TWO}",
        f"analysisMaybe {ONE} assistantfinal{TWO}",
        f"<think>{ONE}</think>{TWO}<think>sure? {ONE}",
    ],
)
def test_what_was_thought_aloud_is_no_answer(text: str) -> None:
    found = read_reply(text, SCHEMA)

    assert (found.status, found.data) == ("repaired", said("2"))


@each(
    "text, problem",
    [
        (f"Draft: {ONE}\nFinal: {TWO}", reasons.REPLY_CONTRADICTING()),
        (f"[{ONE}, {TWO}]", reasons.REPLY_CONTRADICTING()),
        (f"```json\n{ONE}\n```\nOn reflection:\n```json\n{TWO}\n```", reasons.REPLY_CONTRADICTING()),
        (f'{{"overall": "1"}} and in full {TWO}', reasons.REPLY_CONTRADICTING()),
        ('{"reasoning": "r", "overall": "1", "overall": "2"}', reasons.REPLY_CONTRADICTING()),
        ('Well: {"reasoning": "r", "overall": "1", "overall": "2"}', reasons.REPLY_CONTRADICTING()),
        (f'{ONE}\nNo, wait: {{"reasoning": "it is', reasons.REPLY_UNFINISHED()),
        (f"{ONE} or rather {{'overall': '2'}}", reasons.REPLY_UNFINISHED()),
        (f"<think>{ONE}", reasons.REPLY_ONLY_THINKING()),
        (f"{ONE}</think>", reasons.REPLY_ONLY_THINKING()),
        (f"<|channel|>analysis<|message|>{ONE}<|end|>", reasons.REPLY_ONLY_THINKING()),
        ("", reasons.REPLY_EMPTY()),
        (" \n", reasons.REPLY_EMPTY()),
        ("Response A is better.", reasons.REPLY_UNREADABLE()),
        ('{"overall": "1"}', reasons.REPLY_UNREADABLE()),
        ("{" * 100_000, reasons.REPLY_UNREADABLE()),
        ('{"a":' * 50_000, reasons.REPLY_TOO_DEEP()),
        (DEEP, reasons.REPLY_TOO_DEEP()),
        (f"Gladly! {DEEP}", reasons.REPLY_TOO_DEEP()),
        (f'{{"deep": {"[" * 5000}{"]" * 5000}, "answer": {ONE}}}', reasons.REPLY_TOO_DEEP()),
    ],
)
def test_what_may_mean_two_things_is_unparsed_and_says_why(text: str, problem: str) -> None:
    found = read_reply(text, SCHEMA)

    assert (found.status, found.data, found.problem) == ("unparsed", {}, problem)


@each(
    "text, status",
    [
        (ONE, "ok"),
        (f"\n{ONE}\n", "ok"),
        ('{"reasoning": "they wrote <think> aloud", "overall": "1"}', "ok"),
        (f"Gladly! ```json\n{ONE}\n``` I hope this helps.", "repaired"),
        (f"{ONE}\n\n{ONE}", "repaired"),
        (f"[{ONE}]", "repaired"),
        (f"Of {{two}} and {{}} I say {ONE}", "repaired"),
    ],
)
def test_one_answer_is_read_however_often_it_stands_there(text: str, status: str) -> None:
    found = read_reply(text, SCHEMA)

    assert (found.status, "overall" in found.data) == (status, True)


def test_reply_that_was_cut_off_is_read_only_where_it_is_whole() -> None:
    drafted = f"My draft is {ONE}, and my ans"

    assert read_reply(ONE, SCHEMA, finish_reason="length").status == "ok"
    assert read_reply(drafted, SCHEMA, finish_reason="length").problem == reasons.REPLY_CUT_OFF()
    assert read_reply("<think>hm", SCHEMA, finish_reason="length").problem == reasons.REPLY_CUT_OFF()
    assert read_reply("", SCHEMA, finish_reason="length").problem == reasons.REPLY_CUT_OFF()


def test_true_is_not_one() -> None:
    assert read_reply('{"n": 1} {"n": true}', {"required": ["n"]}).problem == reasons.REPLY_CONTRADICTING()


WORDS = st.text(st.characters(codec="utf-8", exclude_characters='{}<>[]"◁▷|'), max_size=40)
OPENING = st.sampled_from(["<think>", "<thinking>", "<reasoning>", "[THINK]", "◁think▷"])
ANSWERS = st.fixed_dictionaries({"reasoning": st.text(max_size=40), "overall": st.sampled_from(["1", "2"])})


def _ending(opening: str) -> str:
    return opening[0] + "/" + opening[1:]


@given(WORDS, st.lists(st.tuples(OPENING, WORDS, ANSWERS, WORDS), max_size=3), ANSWERS, WORDS)
def test_answer_after_any_thinking_is_the_answer(
    before: str, thoughts: list[tuple[str, str, dict[str, str], str]], answer: dict[str, str], after: str
) -> None:
    drafts = [f"{tag}{a}{json.dumps(draft)}{b}{_ending(tag)}" for tag, a, draft, b in thoughts]

    found = read_reply(before + "".join(drafts) + json.dumps(answer) + after, SCHEMA)

    assert (found.status in ("ok", "repaired"), found.data) == (True, answer)


@given(st.lists(st.tuples(WORDS, ANSWERS), min_size=2, max_size=5), WORDS, st.booleans())
def test_several_answers_count_only_where_they_are_the_same(
    parts: list[tuple[str, dict[str, str]]], after: str, fenced: bool
) -> None:
    fence = ("\n```json\n", "\n```\n") if fenced else ("", "")
    text = "".join(f"{words}{fence[0]}{json.dumps(one)}{fence[1]}" for words, one in parts) + after
    first = parts[0][1]

    found = read_reply(text, SCHEMA)

    if all(one == first for _words, one in parts):
        assert (found.status, found.data) == ("repaired", first)
    else:
        assert (found.status, found.problem) == ("unparsed", reasons.REPLY_CONTRADICTING())


@given(ANSWERS, ANSWERS, st.integers(min_value=0))
def test_answer_followed_by_the_beginning_of_another_is_never_taken(
    draft: dict[str, str], final: dict[str, str], at: int
) -> None:
    """Wherever the second one breaks off: before its first property is named there is nothing of it."""
    whole = json.dumps(final)
    cut = whole[: len('{"reasoning":') + at % (len(whole) - len('{"reasoning":'))]

    assert read_reply(f"{json.dumps(draft)}\n{cut}", SCHEMA).status == "unparsed"


@given(st.text(max_size=300), st.sampled_from(["", "stop", "length"]))
def test_no_text_makes_the_reader_fail(text: str, finish: str) -> None:
    found = read_reply(text, SCHEMA, finish_reason=finish)

    assert (found.status == "unparsed") == bool(found.problem)
    assert without_thinking(without_thinking(text)) is not None


def repeated(unit: str, before: str = "") -> Callable[[int], str]:
    return lambda length: before + unit * (length // len(unit))


HOSTILE = {
    "channels without a message": repeated("<|channel|>a"),
    "channels and other marks": repeated("<|channel|>a<|x"),
    "final channels": repeated("<|channel|>final<|message|>x"),
    "messages": repeated("<|message|>", "<|channel|>final"),
    "a channel without a name": repeated(" ", "<|channel|>"),
    "tags that never end": repeated("<think "),
    "thoughts": repeated("<think></think>x"),
    "ends of thoughts": repeated("</think>"),
    "analysis": repeated("assistant ", "analysis"),
    "objects within objects": repeated('{"a":'),
    "objects around numbers": repeated("1,", '{"a":' * 900 + "["),
    "objects around a string": repeated("x", '{"a":' * 900 + '"'),
    "objects and strings": repeated('{"a":"'),
    "braces": repeated("{ "),
    "braces at the end": lambda length: " " * length + "{x" * 900,
    "names": repeated('"reasoning" '),
    "equal names": repeated('"a": 1, ', "{"),
}


def seconds_to_read(text: str) -> float:
    began = time.thread_time()
    read_reply(text, SCHEMA)
    return time.thread_time() - began


@each("form", HOSTILE)
def test_time_to_read_grows_no_faster_than_the_text(form: str) -> None:
    """Four times the text: by the square it would take sixteen times as long. There is room for noise."""
    text = HOSTILE[form]
    short = min(seconds_to_read(text(50_000)) for _again in range(3))

    long = min(seconds_to_read(text(200_000)) for _again in range(2))

    assert long < 8 * short + 0.05
    assert seconds_to_read(text(1_000_000)) < 5


@each(
    "text, answer",
    [
        ("<|channel|>final<|channel|>analysis<|message|>1<|end|><|channel|>final<|message|>2", "2"),
        ("<|channel|>final<|message|>a <|message|> b<|end|>c", "a <|message|> b"),
        ("<|channel|>final<|message|>1<|channel|>analysis<|message|>2", "1"),
        ("before<|channel|>final no message", ""),
        ("<|message|>no channel", "<|message|>no channel"),
    ],
)
def test_only_the_final_channel_is_read(text: str, answer: str) -> None:
    assert without_thinking(text) == answer
