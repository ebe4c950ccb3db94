import pytest

from protocols import Aspect, Option, Protocol, Scale
from protocols.documents.yaml_files import MAX_BYTES, InvalidYaml, from_yaml, to_yaml
from protocols.scales.named import TYPED_TIE, YES_NO
from tests.cases import each

BY_HAND = """\
name: pace
version: 2
title: Pace
instructions: Listen to both.
ask_confidence: true
listening:
  rule: seconds
  seconds: 3
aspects:
  - name: heard
    title: Heard
    question: Did you hear speech?
    scale: yes_no
  - name: pace
    title: Pace
    question: How is the pace?
    required: no
    after: [heard]
    only_if: {heard: yes}
    scale:
      name: pace
      measure: ordinal
      options:
        1: Too slow
        2: Right
        yes: Too fast
  - name: overall
    title: Overall
    question: Which one?
    scale: typed_tie
"""


def refusal(text: str) -> InvalidYaml:
    with pytest.raises(InvalidYaml) as refused:
        from_yaml(text)
    return refused.value


def test_from_yaml_reads_what_is_pleasant_to_write() -> None:
    protocol = from_yaml(BY_HAND)

    pace = Scale(
        "pace", (Option("1", "Too slow"), Option("2", "Right"), Option("yes", "Too fast")), measure="ordinal"
    )
    assert (protocol.version, protocol.ask_confidence, protocol.listening.seconds) == ("2", True, 3.0)
    assert protocol.aspects == (
        Aspect("heard", "Heard", "Did you hear speech?", YES_NO),
        Aspect(
            "pace",
            "Pace",
            "How is the pace?",
            pace,
            required=False,
            after=("heard",),
            only_if={"heard": "yes"},
        ),
        Aspect("overall", "Overall", "Which one?", TYPED_TIE),
    )


def test_to_yaml_leaves_out_defaults_and_names_our_scales() -> None:
    protocol = Protocol("p", "1", "P", "Listen.", (Aspect("a", "A", "Is it?", YES_NO, after=()),))

    assert to_yaml(protocol) == (
        "name: p\nversion: '1'\ntitle: P\ninstructions: Listen.\n"
        "aspects:\n- name: a\n  title: A\n  question: Is it?\n  scale: yes_no\n"
    )


def test_to_yaml_writes_out_a_scale_that_only_shares_the_name_of_ours() -> None:
    scale = Scale("yes_no", (Option("yes", "Aye", "With certainty."), Option("no", "Nay")))
    protocol = Protocol("p", "1", "P", "Listen.", (Aspect("a", "A", "Is it?", scale),))

    assert from_yaml(to_yaml(protocol)) == protocol


@each("word", ["null", "~", "yes", "1", "1.0", "2024-01-01", " a ", "a: b", "# a", "*a", "\u2028x\n", "é😀"])
def test_yaml_keeps_words_that_look_like_something_else(word: str) -> None:
    scale = Scale("s", (Option("1", word), Option("2", "x")))
    protocol = Protocol("p", "1", "P", f"Listen. {word}", (Aspect("a", "A", "Is it?", scale, guidance=word),))

    assert from_yaml(to_yaml(protocol)) == protocol


@each(
    "found, put, line, reason",
    [
        ("title: Pace\ninst", "titel: Pace\ninst", 3, "a protocol has no field 'titel', did you mean 'title'?"),
        ("title: Pace\ninst", "inst", 1, "a protocol needs title"),
        (
            "ask_confidence: true",
            "ask_confidence: perhaps",
            5,
            "ask_confidence is to be true or false, not 'perhaps'",
        ),
        ("ask_confidence: true", "ask_confidence: [true]", 5, "ask_confidence is to be true or false, not a list"),
        ("rule: seconds", "rule: often", 7, "rule is to be one of full, seconds, none, not 'often'"),
        ("seconds: 3", "seconds: three", 8, "seconds is to be a number, not 'three'"),
        ("seconds: 3", "seconds: .inf", 8, "seconds is to be a number, not '.inf'"),
        ("scale: yes_no", "scale: yes_or_no", 13, "there is no scale 'yes_or_no'; the names are "),
        ("after: [heard]", "after: heard", 18, "after is to be a list, not 'heard'"),
        (
            "after: [heard]",
            "after: [overall]",
            18,
            "aspect 'pace' waits for 'overall', which does not come before it",
        ),
        ("{heard: yes}", "{heard: maybe}", 19, "aspect 'pace' waits for heard='maybe', which is no choice there"),
        ("measure: ordinal", "measure: [ordinal]", 22, "measure is to be one of "),
        ("2: Right", "1: Right", 25, "'1' stands twice here"),
        ("2: Right", "2: [Right]", 25, "label is to be text, not a list"),
        ("2: Right", "2:", 25, "nothing is written here: "),
        ("name: overall", "name: pace", 27, "aspect 'pace' stands twice in protocol 'pace'"),
        ("title: Overall", "titel: Overall", 28, "an aspect has no field 'titel', did you mean 'title'?"),
        ("    title: Overall\n", "", 27, "an aspect needs title"),
        ("    question: Which one?", "   question: Which one?", 29, "expected <block end>, but found "),
        ("title: Pace\ninst", "title: Pace\ntitle: Pace\ninst", 4, "'title' stands twice here"),
        (
            "title: Pace\ninst",
            "title: !!python/name:os.system Pace\ninst",
            3,
            "tag:yaml.org,2002:python/name:os.system: ",
        ),
        ("instructions: Listen", "instructions: &a Listen", None, ""),
        (
            "title: Pace\ninst",
            "title: &a Pace\nsource: *a\ninst",
            4,
            "*a: aliases are not allowed here, write it out",
        ),
        ("title: Pace\ninst", "<<: {title: Pace}\ninst", 3, "a protocol has no field '<<'"),
        ("title: Pace\ninst", "? [a]\n: b\ntitle: Pace\ninst", 3, "a name is to be a plain text"),
        ("title: Pace\ninst", "title: Pa\x07ce\ninst", 3, "a character that YAML does not allow"),
        ("title: Pace\ninst", "title: [Pace\ninst", 4, "expected ',' or ']', but got ':'"),
        ("title: Pace\ninst", 'title: "\\UFFFFFFFF"\ninst', None, "this is not YAML: "),
        ("title: Pace\ninst", 'title: "Pa\\0ce"\ninst', 3, "the text holds characters that cannot be kept"),
        ("title: Pace\ninst", 'title: "Pa\\ud800ce"\ninst', 3, "the text holds characters that cannot be kept"),
        ("scale: typed_tie\n", "scale: typed_tie\n---\nname: other\n", 31, "but found another document"),
    ],
)
def test_from_yaml_tells_the_line_and_the_reason(found: str, put: str, line: int | None, reason: str) -> None:
    assert found in BY_HAND
    text = BY_HAND.replace(found, put, 1)
    if not reason:
        assert from_yaml(text) == from_yaml(BY_HAND)
        return

    refused = refusal(text)

    assert (refused.line, refused.reason[: len(reason)]) == (line, reason)
    assert str(refused) == (refused.reason if line is None else f"line {line}: {refused.reason}")


@each("text", ["", "# nothing\n", "just a text", "- a\n- list\n", "1"])
def test_from_yaml_refuses_what_is_no_protocol(text: str) -> None:
    assert refusal(text).line in (None, 1)


def test_from_yaml_refuses_large_files() -> None:
    refused = refusal(BY_HAND + "#" * MAX_BYTES)

    assert (refused.line, str(refused)) == (None, "the file is larger than 100 kB")


@each("opening", ["[", "{a: ", "- "])
def test_from_yaml_refuses_deep_nesting(opening: str) -> None:
    assert refusal(opening * 20_000).reason == "this is nested too deeply"


def test_from_yaml_refuses_a_bomb_of_aliases() -> None:
    bomb = "a: &a [x, x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(20))

    assert refusal(bomb).line == 2
