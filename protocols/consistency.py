"""What must hold between the parts of a protocol, said in sentences for whoever wrote it."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocols.protocol import Aspect, Protocol, Scale

#: What a judge writes before it answers; an aspect of this name would overwrite it.
REASONING = "reasoning"
MAX_NAME = 60
TYPED_TIES = {"1", "2", "both_good", "both_bad"}


class InvalidProtocol(ValueError):
    """A protocol that cannot be asked. `path` leads to the fault: `("aspects", 2, "after")`."""

    def __init__(self, reason: str, *path: str | int) -> None:
        super().__init__(reason)
        self.path = path


def faults(protocol: "Protocol") -> Iterator[InvalidProtocol]:
    """Every fault of the protocol, in reading order."""
    yield from (
        InvalidProtocol(f"the protocol needs {field}", field)
        for field in ("name", "version", "title", "instructions")
        if not getattr(protocol, field).strip()
    )
    if protocol.listening.rule == "seconds" and not 0 < protocol.listening.seconds < math.inf:
        yield InvalidProtocol("listening by seconds needs a number of seconds above 0", "listening")
    if protocol.elicitation == "guided" and protocol.unit != "pair":
        yield InvalidProtocol("only pairs can be asked about in guided steps", "elicitation")
    if protocol.elicitation == "guided" and protocol.item_criteria:
        yield InvalidProtocol("the items' own criteria cannot be asked in guided steps", "item_criteria")
    if not protocol.aspects:
        yield InvalidProtocol("a protocol asks about at least one aspect", "aspects")
    before: dict[str, Aspect] = {}
    for place, aspect in enumerate(protocol.aspects):
        called = repr(aspect.name) if aspect.name.strip() else place + 1
        for reason, field in _of_aspect(aspect, before, protocol):
            yield InvalidProtocol(f"aspect {called} {reason}", "aspects", place, field)
        before[aspect.name] = aspect
    for reason in _gate(protocol.criteria_only_if, before, per_response=False):
        yield InvalidProtocol(f"the items' criteria {reason}", "criteria_only_if")


def _of_aspect(aspect: "Aspect", before: "Mapping[str, Aspect]", protocol: "Protocol") -> Iterator[tuple[str, str]]:
    """Reasons, each with the field at fault."""
    yield from ((reason, "name") for reason in _name(aspect.name, before, protocol))
    yield from ((f"needs a {field}", field) for field in ("title", "question") if not getattr(aspect, field).strip())
    if later := sorted(set(aspect.after) - set(before)):
        yield f"waits for {_listed(later)}, which does not come before it", "after"
    yield from ((reason, "only_if") for reason in _gate(aspect.only_if, before, per_response=aspect.per_response))
    if aspect.unlike:
        yield from ((reason, "unlike") for reason in _reachable(aspect.unlike, before, aspect.per_response))
    yield from ((reason, "scale") for reason in _scale(aspect.scale))
    yield from ((reason, "scale") for reason in _fit(aspect, protocol))
    if protocol.elicitation == "guided":
        yield from _in_steps(aspect)


def _name(name: str, before: "Mapping[str, Aspect]", protocol: "Protocol") -> Iterator[str]:
    if name in before:
        yield f"stands twice in protocol {protocol.name!r}"
    if not (name.isascii() and name.isidentifier()):
        yield "must be named with letters, digits and underscores"
    if len(name) > MAX_NAME:
        yield f"has a name of more than {MAX_NAME} characters"
    if name == REASONING:
        yield "must be called otherwise: judges keep their reasons under that name"
    if protocol.item_criteria and name.startswith("item_"):
        yield "must be called otherwise: the items' own criteria are named item_1, item_2, …"


def _gate(only_if: Mapping[str, str], before: "Mapping[str, Aspect]", *, per_response: bool) -> Iterator[str]:
    for name, value in only_if.items():
        unreachable = list(_reachable(name, before, per_response))
        yield from unreachable
        if not unreachable and value not in {option.value for option in before[name].scale.options}:
            yield f"waits for {name}={value!r}, which is no choice there"


def _reachable(name: str, before: "Mapping[str, Aspect]", per_response: bool) -> Iterator[str]:
    if name not in before:
        yield f"waits for {name!r}, which does not come before it"
    elif before[name].per_response and not per_response:
        yield f"is asked once, so it cannot depend on {name!r}, which is asked of each response"


def _scale(scale: "Scale") -> Iterator[str]:
    values = [option.value for option in scale.options]
    if not values and not scale.is_text and scale.frame != "response":
        yield "has a scale without choices"
    if scale.is_text and (values or scale.frame != "none"):
        yield "asks for text, so its scale has neither choices nor a frame"
    if len(values) != len(set(values)):
        yield "offers the same value twice"
    if any(not value or value != value.strip() for value in values):
        yield "offers a value that is empty or has blanks around it"
    if scale.measure == "typed_tie" and (set(values) != TYPED_TIES or scale.frame != "response"):
        yield "has a typed tie, so it offers 1, 2, both_good and both_bad in the frame of responses"
    if (scale.frame == "signed" or scale.measure == "interval") and not all(map(_is_whole, values)):
        yield "counts with its values, so they must be whole numbers"
    elif scale.frame == "signed" and {int(value) for value in values} != {-int(value) for value in values}:
        yield "has a signed scale, so every value needs its opposite"


def _fit(aspect: "Aspect", protocol: "Protocol") -> Iterator[str]:
    """Whether the scale can be used for what is put before raters."""
    scale = aspect.scale
    if scale.frame == "none":
        return
    if protocol.unit == "single" or aspect.per_response:
        yield "compares responses, so it cannot be asked about one response"
    if protocol.unit == "item" and scale.options:
        yield "compares two responses, so it cannot be asked about all the responses of an item"
    if scale.frame == "response" and {o.value for o in scale.options if o.value.isdecimal()} - {"1", "2"}:
        yield "offers a response that a pair does not have"


def _in_steps(aspect: "Aspect") -> Iterator[tuple[str, str]]:
    if aspect.scale.measure != "typed_tie":
        yield "cannot be asked in guided steps: its scale is not a typed tie", "scale"
    if not aspect.required:
        yield "cannot be left out in guided steps", "required"
    yield from (
        ("cannot depend on other answers in guided steps", field)
        for field in ("only_if", "unlike")
        if getattr(aspect, field)
    )


def _listed(names: "list[str]") -> str:
    return " and ".join(map(repr, names))


def _is_whole(value: str) -> bool:
    return value.isascii() and value.removeprefix("-").isdecimal() and value == str(int(value))
