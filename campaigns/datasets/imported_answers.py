"""Imported answers against the protocol by which they were given, where this installation knows it.

They are read as if they had just been clicked, by the same rules.
"""

import json
from collections.abc import Collection, Iterator, Mapping

from campaigns.models import Campaign
from campaigns.rubrics.asking import Facts, facts_to_read
from corpus.imports import reasons
from corpus.imports.answers.plan import AnswerKey, AnswersPlan, PlannedAnnotation
from corpus.models import Item
from corpus.tidy.rows import TidyAnswer
from infrastructure.wording.reasons import Reason
from protocols import SHIPPED, InvalidAnswers, Protocol, for_item, is_digest_of, read_answers, to_document
from protocols.kinds.frames import in_store
from protocols.kinds.kind import QuestionKind
from protocols.questions import question_name

#: The answer at fault (None: one that is missing), the column, and what is wrong.
Fault = tuple[AnswerKey | None, str, Reason]


def protocol_of(digest: str) -> Protocol | None:
    """The protocol with this digest: one by which a campaign asks, or one that ships."""
    if (campaign := Campaign.objects.filter(protocol_digest=digest).first()) is not None:
        return campaign.protocol
    return next((protocol for protocol in SHIPPED.values() if is_digest_of(digest, to_document(protocol))), None)


def check_by_known_protocol(plan: AnswersPlan, items: Mapping[str, Item], *, facts_known: bool) -> None:
    """Refuse what the protocol would not have taken; where it, or what it asks of each item, is not known, say so."""
    if plan.origin is None or not plan.origin.digest:
        return
    protocol = protocol_of(plan.origin.digest)
    if protocol is None or (protocol.asks_by_item and not facts_known):
        unknown = reasons.PROTOCOL_UNKNOWN(protocol=plan.origin.protocol)
        plan.warn(None, "protocol_digest", reasons.QUESTIONS_UNKNOWN() if protocol else unknown)
        return
    of_items = facts_to_read(items.values(), from_campaign=plan.origin.campaign)
    facts = {item.key: of_items.get(item.pk, item.facts) for item in items.values()}
    check_by_protocol(plan, protocol, items=items, facts=facts)


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
            message = reasons.KIND_NOT_ASKED(protocol=protocol.name, version=protocol.version, kind=unit.kind)
            plan.refuse(planned.row, "kind", message)
            continue
        of_item = facts[unit.item]
        same_facts = json.dumps(of_item, sort_keys=True)  # most items have none, and a protocol takes time to make
        try:
            asked[same_facts] = asked.get(same_facts) or for_item(protocol, of_item)
        except ValueError as error:
            plan.refuse(
                planned.row, "item", reasons.NOT_ASKED_OF_ITEM(protocol=protocol.name, item=unit.item, why=error)
            )
            continue
        order = planned.given.order or "".join(sorted(unit.systems))
        for answer, column, message in _faults(asked[same_facts], planned, order):
            plan.refuse(planned.rows[answer] if answer else planned.row, column, message)


def _faults(protocol: Protocol, planned: PlannedAnnotation, order: str) -> Iterator[Fault]:
    kinds = {aspect.name: aspect.scale.kind for aspect in protocol.aspects}
    clicked: dict[str, str] = {}
    answer_of: dict[str, AnswerKey] = {}
    for key, answer in planned.answers.items():
        shown = _shown(answer.value, order, kinds.get(answer.aspect))
        if shown is None:
            yield key, "value", reasons.NO_ANSWER_IN_SLOTS(value=repr(answer.value), aspect=answer.aspect)
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
                yield key, "acceptable_a", reasons.ACCEPTABILITY_NOT_ASKED()
        elif answer.slot or derived[answer.aspect] != _shown(answer.value, order, kinds[answer.aspect]):
            yield key, "value", reasons.DOES_NOT_FOLLOW(value=repr(answer.value))


def _shown(value: str, order: str, kind: QuestionKind | None) -> str | None:
    """The value as it was clicked, or None where the stored frame has no such value."""
    if kind is None:
        return value
    try:
        shown = kind.shown(value, order)
        return shown if kind.stored(shown, order) == value else None
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
