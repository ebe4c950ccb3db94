"""A plan of answers against what its dataset holds. Asked in the dry run, and again under lock before writing."""

from corpus.imports import reasons
from corpus.imports.answers.held import Held, HeldLabels, HeldUnit
from corpus.imports.answers.plan import AnswersPlan, differing
from corpus.tidy.rows import Origin, TidyUnit
from infrastructure.wording.reasons import Reason, Reasoned

#: By unit key: the ids of its responses by slot.
Slots = dict[str, dict[str, int]]


class UnknownHere(Reasoned, ValueError):
    """A unit that names what the dataset does not have. `column` says where."""

    def __init__(self, column: str, reason: Reason) -> None:
        super().__init__(reason)
        self.column = column


def compare_units(plan: AnswersPlan, held: Held) -> Slots:
    """The responses of every unit of the plan. What the dataset does not have, or has otherwise, is refused."""
    found: Slots = {}
    for key, planned in plan.units.items():
        try:
            found[key] = _slots(planned.unit, held)
        except UnknownHere as unknown:
            plan.refuse(planned.row, unknown.column, unknown.reason)
    return found


def compare_labels(plan: AnswersPlan, held: HeldLabels, name: str) -> None:
    """Refuse what would mix with other labels of this name, or change what a rater said."""
    origin = plan.origin or Origin()
    if held.other_labels:
        plan.refuse(None, "labels", reasons.LABELS_OF_PAIRS(name=repr(name)))
    for other in held.origins - {origin} if held.holds_any else ():
        column = next(differing(origin, other))
        plan.refuse(None, column, reasons.ANSWERS_OF_ANOTHER(name=repr(name), column=column))
    for key in plan.annotations.keys() & held.annotations.keys():
        planned, there = plan.annotations[key], held.annotations[key]
        columns = [*differing(planned.given, there.given)]
        columns += ["value"] if planned.answers != there.answers else []
        for column in columns:
            (who, _), unit = key
            said = (
                reasons.ANSWERED_OTHERWISE(who=who, unit=unit) if who else reasons.RATER_ANSWERED_OTHERWISE(unit=unit)
            )
            plan.refuse(planned.row, column, said)


def _slots(unit: TidyUnit, held: Held) -> dict[str, int]:
    item = held.items.get(unit.item)
    if item is None:
        raise UnknownHere("item", reasons.ITEM_NOT_HERE(item=unit.item))
    if unit.category not in ("", item.category):
        raise UnknownHere("category", reasons.ITEM_OF_CATEGORY(item=unit.item, category=repr(item.category)))
    there = held.units.get(unit.key)
    if there and (there.kind, there.item) != (unit.kind, unit.item):
        raise UnknownHere("unit", reasons.UNIT_OF_ITEM(unit=unit.key, item=there.item, kind=there.kind))
    slots = {slot: _response(unit, slot, held, there) for slot in unit.systems}
    if there and there.slots != slots:
        raise UnknownHere("systems", reasons.UNIT_OF_RESPONSES(unit=unit.key))
    if len(set(slots.values())) < len(slots):
        raise UnknownHere("responses", reasons.RESPONSE_TWICE(unit=unit.key))
    return slots


def _response(unit: TidyUnit, slot: str, held: Held, there: HeldUnit | None) -> int:
    """The response in this slot. Where its take is not named: that of the unit, or the only one."""
    system = unit.systems[slot]
    takes = held.takes.get((unit.item, system))
    if takes is None:
        raise UnknownHere("systems", reasons.NOT_ANSWERED(system=system, item=unit.item))
    if slot in unit.responses:
        if (take := unit.responses[slot]) not in takes:
            raise UnknownHere(
                "responses", reasons.NO_SUCH_RESPONSE(system=system, response=repr(take), item=unit.item)
            )
        return takes[take]
    if there and there.slots.get(slot) in takes.values():
        return there.slots[slot]
    if len(takes) > 1:
        raise UnknownHere("responses", reasons.ANSWERED_TIMES(system=system, item=unit.item, n=len(takes)))
    return next(iter(takes.values()))
