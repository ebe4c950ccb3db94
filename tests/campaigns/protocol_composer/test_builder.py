"""The builder without its pages: from a protocol to its forms and back, and where faults are shown."""

import copy
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.protocol_composer.composition import Composition, defaults
from campaigns.protocol_composer.forms import AspectForm, ExampleForm, ProtocolForm, RecordForm
from protocols import SHIPPED, Aspect, Example, Option, Protocol, Scale, from_document, to_document
from protocols.scales.named import BY_NAME
from tests.campaigns.protocol_composer.filling import posted
from tests.cases import each

HCOT = posted(Composition.of(SHIPPED["hcot"]))
RUBRIC = posted(Composition.of(SHIPPED["rubric"]))
DUBBING = posted(Composition.of(SHIPPED["dubbing"]))

every_protocol = each("protocol", SHIPPED.values())


def faults(data: dict[str, str]) -> dict[str, str]:
    return {fault.field: fault.message for fault in Composition(data).faults}


def without(data: dict[str, str], *prefixes: str) -> dict[str, str]:
    return {name: value for name, value in data.items() if not name.startswith(prefixes)}


@every_protocol
def test_shipped_protocol_comes_back_from_the_forms_as_the_same_document(protocol: Protocol) -> None:
    composition = Composition(posted(Composition.of(protocol)))

    assert composition.faults == []
    assert composition.document == to_document(protocol)
    assert composition.protocol == protocol


def test_scales_with_separators_and_long_texts_come_back() -> None:
    options = (Option("a|b", "1 | 2", "First.\nSecond, \\n."), Option("c", "c"), Option("d", "", ""))
    scale = Scale("yes_no", options, measure="ordinal")
    aspect = Aspect("one", "One", "Which?", scale, guidance="Two\nlines.", only_for={"a = b": "c = d"})
    example = Example("Heard\nthis.", {"one": "a|b"}, "Because = so.")
    protocol = Protocol("p", "1", "P", "Listen.\n\nWell.", (aspect,), shows=("a, b", "c"), examples=(example,))

    assert Composition(posted(Composition.of(protocol))).protocol == protocol


@each("scale", BY_NAME.values())
def test_scale_that_only_shares_the_name_of_ours_comes_back(scale: Scale) -> None:
    own = replace(
        scale, options=(*scale.options[:-1], replace(scale.options[-1], label="Other")) if scale.options else ()
    )
    aspects = tuple(
        Aspect(f"a{n}", "A", "Q?", one) for n, one in enumerate((own, replace(scale, name="another_name")))
    )
    unit = "item" if scale.kind.any_response else "pair"
    protocol = Protocol("p", "1", "P", "Listen.", aspects, unit=unit)  # type: ignore[arg-type]

    assert Composition(posted(Composition.of(protocol))).protocol == protocol


def test_forms_have_a_field_for_everything_a_protocol_is_made_of() -> None:
    """A new field of a protocol that no form can hold would be lost; see RecordForm."""
    elsewhere = {"listening": {"rule", "seconds"}, "aspects": set(), "examples": set()}

    head = set(ProtocolForm().fields)

    assert head == {f.name for f in fields(Protocol)} - set(elsewhere) | {"rule", "seconds"}
    assert set(AspectForm().fields) == {f.name for f in fields(Aspect)} | {
        "choices", "frame", "measure", "scale_name",
    }  # fmt: skip
    assert set(ExampleForm().fields) == {f.name for f in fields(Example)}


@dataclass(frozen=True)
class Tomorrow:
    """What a protocol may be made of one day."""

    name: str
    playback: Literal["restart", "synchronised"] = "restart"
    loud: bool = False
    tags: tuple[str, ...] = ()
    weight: float = 1.0


class TomorrowForm(RecordForm):
    record = Tomorrow


def test_field_that_no_form_declares_is_made_from_its_type() -> None:
    form = TomorrowForm({"name": "n", "playback": "synchronised", "loud": "on", "tags": "a, b", "weight": "2.5"})

    assert form.is_valid()
    assert form.row() == {
        "name": "n",
        "playback": "synchronised",
        "loud": True,
        "tags": ["a", "b"],
        "weight": 2.5,
    }
    assert [str(bound.label) for bound in form.fine_print()] == ["Name", "Playback", "Loud", "Tags", "Weight"]


def test_blank_form_has_the_defaults_of_a_protocol() -> None:
    composition = Composition.blank()

    given = {name: composition.document[name] for name in defaults(Protocol) if name in composition.head.fields}
    assert given == {name: to_default(value) for name, value in defaults(Protocol).items() if name in given}
    assert composition.document["listening"] == {"rule": "full", "seconds": 0.0}
    assert faults(posted(composition)) == {
        "name": "the protocol needs name",
        "title": "the protocol needs title",
        "instructions": "the protocol needs instructions",
        "aspect-0-title": "aspect 1 needs a title",
        "aspect-0-question": "aspect 1 needs a question",
    }


def to_default(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def test_rows_come_in_the_order_in_which_they_are_posted() -> None:
    head = without(HCOT, "aspect-")
    rows = [{n: v for n, v in HCOT.items() if n.startswith(f"aspect-{key}-")} for key in (2, 0, 1)]
    renamed = {name.replace("aspect-0-", "aspect-x9-"): value for name, value in rows[1].items()}

    composition = Composition(head | rows[0] | renamed | rows[2])

    assert [a["name"] for a in composition.document["aspects"]] == ["paralinguistics", "content", "voice_quality"]


@each(
    "data, at, message",
    [
        (HCOT | {"title": " "}, "title", "the protocol needs title"),
        (HCOT | {"unit": "single"}, "aspect-0-scale", "compares responses"),
        (HCOT | {"unit": "triple"}, "unit", "Select a valid choice"),
        (HCOT | {"unit": ""}, "unit", "unit is to be one of pair, single, item"),
        (HCOT | {"rule": "seconds"}, "seconds", "a number of seconds above 0"),
        (HCOT | {"seconds": "three"}, "seconds", "Enter a number"),
        (HCOT | {"seconds": "1e999"}, "seconds", "Enter a number"),
        (HCOT | {"rule": "often"}, "rule", "Select a valid choice"),
        (HCOT | {"title": "a\0b"}, "title", "cannot be kept"),
        (HCOT | {"aspect-1-name": "content"}, "aspect-1-name", "stands twice"),
        (HCOT | {"aspect-1-name": "two words"}, "aspect-1-name", "letters, digits and underscores"),
        (HCOT | {"aspect-1-question": ""}, "aspect-1-question", "needs a question"),
        (HCOT | {"aspect-1-after": "overall"}, "aspect-1-after", "waits for 'overall'"),
        (HCOT | {"aspect-1-only_if": "content = 7"}, "aspect-1-only_if", "which is no choice there"),
        (HCOT | {"aspect-1-only_if": "content"}, "aspect-1-only_if", "Line 1"),
        (HCOT | {"aspect-1-unlike": "overall"}, "aspect-1-unlike", "waits for 'overall'"),
        (HCOT | {"aspect-1-scale": "own"}, "aspect-1-choices", "a scale without choices"),
        (HCOT | {"aspect-1-scale": "own", "aspect-1-choices": "1 | 2 | 3 | 4"}, "aspect-1-choices", "Line 1"),
        (HCOT | {"aspect-1-scale": "own", "aspect-1-choices": "a\0"}, "aspect-1-choices", "cannot be kept"),
        (HCOT | {"aspect-1-scale": "own", "aspect-1-choices": "a\na"}, "aspect-1-choices", "the same value twice"),
        (HCOT | {"aspect-1-scale": "nonsense"}, "aspect-1-scale", "Select a valid choice"),
        (HCOT | {"aspect-1-frame": "sideways"}, "aspect-1-frame", "Select a valid choice"),
        (DUBBING | {"elicitation": "guided"}, "elicitation", "only pairs"),
        (RUBRIC | {"criteria_only_if": "missing = yes"}, "criteria_only_if", "waits for 'missing'"),
        (HCOT | {"example-0-answers": "contents = 1"}, "example-0-answers", "no question is called 'contents'"),
        (HCOT | {"example-0-answers": "content"}, "example-0-answers", "Line 1"),
        (HCOT | {"example-1-why": ""}, "example-1-why", "Why: an example needs it."),
        (without(HCOT, "aspect-"), "", "at least one aspect"),
    ],
)
def test_fault_is_told_at_its_field(data: dict[str, str], at: str, message: str) -> None:
    found = faults(data)

    assert message in found[at]
    assert Composition(data).protocol is None or at.startswith("example")


def test_show_faults_puts_every_fault_at_its_field() -> None:
    composition = Composition(HCOT | {"title": "", "aspect-1-only_if": "nothing", "aspect-2-name": "content"})

    composition.show_faults()

    shown = {name: list(map(str, errors)) for form in composition.forms for name, errors in form.errors.items()}
    assert set(shown) == {"title", "only_if", "name", "after"}
    assert all(len(errors) == 1 for errors in shown.values())


@each("data", [{}, {"aspect-": "x", "aspect-0": "y", "example-0-": "z", "aspect-0-0-0": "w"}])
def test_composition_of_next_to_nothing_has_faults(data: dict[str, str]) -> None:
    composition = Composition(data)

    assert composition.protocol is None
    assert composition.faults


WORDS = st.sampled_from(
    [
        *(
            "",
            "content",
            "overall",
            "yes",
            "1",
            "both_good",
            "content = 1",
            "a | b | c",
            "own",
            "text",
            "acr",
            "yes_no",
        ),
        *(
            "response",
            "signed",
            "interval",
            "guided",
            "single",
            "item",
            "seconds",
            "-3\n3",
            "1\n1",
            "\\",
            "item_1",
            "on",
        ),
    ]
)
TEXTS = st.text(st.sampled_from('ab1 |=,\\n\n\r\0"<>é￿\u2028'), max_size=12)
randomly = settings(max_examples=120, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def edited(draw: st.DrawFn) -> dict[str, str]:
    """A shipped protocol in the form, after a few random edits, some of them senseless."""
    data = copy.copy(posted(Composition.of(SHIPPED[draw(st.sampled_from(sorted(SHIPPED)))])))
    for _ in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(sorted(data)))
        kind = draw(st.sampled_from(["put", "drop", "drop row", "add row"]))
        if kind == "put":
            data[name] = draw(WORDS | TEXTS)
        elif kind == "drop":
            del data[name]
        elif kind == "drop row" and "-" in name:
            data = without(data, name.rpartition("-")[0] + "-")
        else:
            data[f"aspect-{draw(st.integers(0, 20))}-title"] = draw(WORDS)
        if not data:
            return data
    return data


@randomly
@given(data=edited())
def test_random_edits_give_a_protocol_or_faults_at_fields(data: dict[str, str]) -> None:
    composition = Composition(data)
    fields = {form.add_prefix(name) for form in composition.forms for name in form.fields}

    for fault in composition.faults:
        assert fault.message
        assert fault.field in fields or (fault.field, composition.aspects) == ("", [])
    if composition.protocol is None:
        assert composition.faults
    else:
        assert from_document(composition.document) == composition.protocol
        assert Composition(posted(Composition.of(composition.protocol))).protocol == composition.protocol
