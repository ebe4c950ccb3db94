"""Cutting what a model thought aloud from what it answered."""

import re
from collections.abc import Iterator, Sequence

#: Names of tags between which models think: DeepSeek, Qwen, Seed, OpenThinker, and prompts that ask for one.
NAMES = r"(?:seed:)?think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|\|(?:begin|end)_of_thought\|"
#: Those, and `[THINK]` (Magistral) and `◁think▷` (Kimi). An end is recognised by its slash, or by its name.
TAG = re.compile(
    rf"<(?P<slash>/?)(?P<name>{NAMES})(?:\s[^<>]*)?>|\[(?P<slash_2>/?)THINK\]|◁(?P<slash_3>/?)think▷", re.IGNORECASE
)
#: gpt-oss (harmony): `<|channel|>final … <|message|>text<|return|>`; everything in other channels is thought.
CHANNEL_MARK = re.compile(r"<\|(channel|message|end|return|start|call)\|>", re.IGNORECASE)
CHANNEL_NAME = re.compile(r"\s*(\w+)")
#: The same where a server dropped its special tokens: `analysis…assistantfinal…`.
BARE_FINAL = re.compile(r"\A\s*(?:analysis|commentary).*assistant\s*final", re.IGNORECASE | re.DOTALL)


def without_thinking(text: str) -> str:
    """The text outside of all thinking. Thinking that never ends extends to the end of the text.

    An end without a beginning ends a thought that began in the prompt, so everything before it is cut.

    >>> without_thinking('<think>Is it 1?</think> {"n": 2}')
    ' {"n": 2}'
    >>> without_thinking('Is it 1? </think>{"n": 2}')
    '{"n": 2}'
    >>> without_thinking("<|channel|>analysis<|message|>1?<|end|><|channel|>final<|message|>2<|return|>")
    '2'
    """
    return _outside_tags(_final_channel(text))


def _outside_tags(text: str) -> str:
    kept: list[str] = []
    depth, since = 0, 0
    for tag in TAG.finditer(text):
        ends = _is_end(tag)
        if depth == 0 and ends:
            kept.clear()
        elif depth == 0:
            kept.append(text[since : tag.start()])
        depth = max(depth - 1, 0) if ends else depth + 1
        since = tag.end()
    return "".join(kept if depth else [*kept, text[since:]])


def _is_end(tag: re.Match[str]) -> bool:
    return bool(tag["slash"] or tag["slash_2"] or tag["slash_3"]) or (tag["name"] or "").lower() == "|end_of_thought|"


def _final_channel(text: str) -> str:
    """The text in channels called `final`; the text itself where there are no channels."""
    marks = list(CHANNEL_MARK.finditer(text))
    if any(mark[1].lower() == "channel" for mark in marks):
        return "".join(_final_parts(text, marks))
    bare = BARE_FINAL.match(text)
    return text[bare.end() :] if bare else text


def _final_parts(text: str, marks: Sequence[re.Match[str]]) -> Iterator[str]:
    """One mark after the other, so that the time grows with the text: a header goes to the next `<|message|>`."""
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    channel, is_open = "", False
    for mark, end in zip(marks, ends, strict=True):
        kind = mark[1].lower()
        if kind == "message":  # a second one belongs to the text
            begins, is_open = channel and not is_open, bool(channel)
            if channel == "final":
                yield text[mark.end() if begins else mark.start() : end]
            continue
        name = CHANNEL_NAME.match(text, mark.end(), end) if kind == "channel" else None
        channel, is_open = name[1].lower() if name else "", False
