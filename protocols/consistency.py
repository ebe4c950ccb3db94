"""Rules between the parts of a protocol, as sentences for its author."""

import math
from collections.abc import Iterator, Mapping

from protocols.declared import Aspect, DeclaredProtocol

#: What a judge writes before it answers; an aspect of this name would overwrite it.
REASONING = "reasoning"
MAX_NAME = 60


class InvalidProtocol(ValueError):
    """A protocol that cannot be asked. `path` leads to the fault: `("aspects", 2, "after")`."""

    def __init__(self, reason: str, *path: str | int) -> None:
        super().__init__(reason)
        self.path = path


def faults(protocol: DeclaredProtocol) -> Iterator[InvalidProtocol]:
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


def _of_aspect(aspect: Aspect, before: Mapping[str, Aspect], protocol: DeclaredProtocol) -> Iterator[tuple[str, str]]:
    """Reasons, each with the field at fault."""
    yield from ((reason, "name") for reason in _name(aspect.name, before, protocol))
    yield from ((f"needs a {field}", field) for field in ("title", "question") if not getattr(aspect, field).strip())
    if later := sorted(set(aspect.after) - set(before)):
        yield f"waits for {_listed(later)}, which does not come before it", "after"
    yield from ((reason, "only_if") for reason in _gate(aspect.only_if, before, per_response=aspect.per_response))
    if aspect.unlike:
        yield from ((reason, "unlike") for reason in _reachable(aspect.unlike, before, aspect.per_response))
    kind = aspect.scale.kind
    if aspect.unlike and not kind.has_choices:
        yield "has no choices, so its answer cannot be kept from being that of another", "unlike"
    yield from ((reason, "scale") for reason in kind.faults())
    yield from ((reason, "scale") for reason in kind.misfits(protocol.unit, per_response=aspect.per_response))
    if protocol.elicitation == "guided":
        yield from _in_steps(aspect)


def _name(name: str, before: Mapping[str, Aspect], protocol: DeclaredProtocol) -> Iterator[str]:
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


def _gate(only_if: Mapping[str, str], before: Mapping[str, Aspect], *, per_response: bool) -> Iterator[str]:
    for name, value in only_if.items():
        unreachable = list(_reachable(name, before, per_response))
        yield from unreachable
        if not unreachable and value not in before[name].scale.kind.gates:
            yield f"waits for {name}={value!r}, which is no choice there"


def _reachable(name: str, before: Mapping[str, Aspect], per_response: bool) -> Iterator[str]:
    if name not in before:
        yield f"waits for {name!r}, which does not come before it"
    elif before[name].per_response and not per_response:
        yield f"is asked once, so it cannot depend on {name!r}, which is asked of each response"


def _in_steps(aspect: Aspect) -> Iterator[tuple[str, str]]:
    if aspect.scale.kind.distance != "typed_tie":
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
