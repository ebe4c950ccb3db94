"""Answers against the protocol by which they were given, where this installation knows it.

They are read as if they had just been clicked, by the same rules.
"""

import json
from collections.abc import Collection, Iterator, Mapping

from campaigns.imports.answers.plan import AnswerKey, AnswersPlan, PlannedAnnotation
from campaigns.models import Campaign, Item
from campaigns.rubrics.asking import Facts, facts_to_read
from campaigns.tidy.rows import TidyAnswer
from protocols import SHIPPED, InvalidAnswers, Protocol, for_item, is_digest_of, read_answers, to_document
from protocols.presentation.frames import in_store, shown_value, stored_value
from protocols.protocol import Frame
from protocols.questions import question_name

#: The answer at fault (None: one that is missing), the column, and what is wrong.
Fault = tuple[AnswerKey | None, str, str]


def known_protocol(wanted: str) -> Protocol | None:
    """The protocol with this digest: that of a campaign, or one that ships."""
    if campaign := Campaign.objects.filter(protocol_digest=wanted).first():
        return campaign.protocol
    return next((protocol for protocol in SHIPPED.values() if is_digest_of(wanted, to_document(protocol))), None)


def check_by_known_protocol(plan: AnswersPlan, items: Mapping[str, Item], *, facts_known: bool = True) -> None:
    """Refuse what the protocol would not have taken; where it, or what it asks of each item, is not known, say so."""
    if plan.origin is None or not plan.origin.digest:
        return
    protocol = known_protocol(plan.origin.digest)
    if protocol is None or (protocol.asks_by_item and not facts_known):
        missing = "What it asks of each item" if protocol else f"The protocol {plan.origin.protocol}"
        message = f"{missing} is not known here: the answers are checked by their form alone."
        plan.warn(None, "protocol_digest", message)
        return
    check_by_protocol(
        plan, protocol, items=items, facts=facts_to_read(items.values(), from_campaign=plan.origin.campaign)
    )


def check_by_protocol(
    plan: AnswersPlan, protocol: Protocol, *, items: Collection[str], facts: Mapping[str, Facts]
) -> None:
    """Refuse what the protocol would not have taken. `facts` are by the item's key."""
    asked: dict[str, Protocol] = {}
    for key, planned in plan.annotations.items():
        unit = plan.units[key[1]].unit
        if key in plan.unread or unit.item not in items:
            continue
        if unit.kind != protocol.unit:
            message = f"{protocol.name} {protocol.version} does not ask about units of kind {unit.kind}."
            plan.refuse(planned.row, "kind", message)
            continue
        of_item = facts[unit.item]
        same_facts = json.dumps(of_item, sort_keys=True)  # most items have none, and a protocol takes time to make
        try:
            asked[same_facts] = asked.get(same_facts) or for_item(protocol, of_item)
        except ValueError as error:
            plan.refuse(planned.row, "item", f"{protocol.name} cannot be asked about item {unit.item}: {error}.")
            continue
        order = planned.given.order or "".join(sorted(unit.systems))
        for answer, column, message in _faults(asked[same_facts], planned, order):
            plan.refuse(planned.rows[answer] if answer else planned.row, column, message)


def _faults(protocol: Protocol, planned: PlannedAnnotation, order: str) -> Iterator[Fault]:
    frames: dict[str, Frame] = {aspect.name: aspect.scale.frame for aspect in protocol.aspects}
    clicked: dict[str, str] = {}
    answer_of: dict[str, AnswerKey] = {}
    for key, answer in planned.answers.items():
        shown = _shown(answer.value, order, frames.get(answer.aspect, "none"))
        if shown is None:
            yield key, "value", f"{answer.value!r} is no answer to {answer.aspect} in the frame of slots."
            return
        clicks = _clicks(protocol, answer, shown, order)
        clicked |= clicks
        answer_of |= dict.fromkeys(clicks, key)
    try:
        read = read_answers(protocol, clicked, n_responses=len(order))
    except InvalidAnswers as invalid:
        for name, message in invalid.errors.items():
            yield answer_of.get(name), "value" if name in answer_of else "aspect", message
        return
    derived = {said.aspect: said.value for said in read}
    for key, answer in planned.answers.items():
        if protocol.elicitation == "direct":
            if answer.acceptable_a is not None:
                yield key, "acceptable_a", "Acceptability is not asked by this protocol."
        elif answer.slot or derived[answer.aspect] != _shown(answer.value, order, "response"):
            yield key, "value", f"{answer.value!r} does not follow from what is acceptable."


def _shown(value: str, order: str, frame: Frame) -> str | None:
    """The value as it was clicked, or None where the stored frame has no such value."""
    try:
        shown = shown_value(value, order, frame)
        return shown if stored_value(shown, order, frame) == value else None
    except (ValueError, IndexError):
        return None


def _clicks(protocol: Protocol, answer: TidyAnswer, shown: str, order: str) -> dict[str, str]:
    if protocol.elicitation == "direct":
        return {question_name(answer.aspect, order.index(answer.slot) + 1 if answer.slot else None): shown}
    first, second = in_store(answer.acceptable_a, answer.acceptable_b, order)
    steps = {"acceptable_1": _yes_or_no(first), "acceptable_2": _yes_or_no(second)}
    if first and second:
        steps["better"] = shown
    return {f"{answer.aspect}.{step}": clicked for step, clicked in steps.items() if clicked}


def _yes_or_no(acceptable: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[acceptable]
