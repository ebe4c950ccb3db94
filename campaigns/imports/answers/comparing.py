"""A plan of answers against what its dataset holds. Asked in the dry run, and again under lock before writing."""

from campaigns.imports.answers.held import Held, HeldLabels, HeldUnit
from campaigns.imports.answers.plan import AnswersPlan, differing
from campaigns.tidy.rows import Origin, TidyUnit

#: By unit key: the ids of its responses by slot.
Slots = dict[str, dict[str, int]]


class UnknownHere(ValueError):
    """A unit that names what the dataset does not have. `column` says where."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


def compare_units(plan: AnswersPlan, held: Held) -> Slots:
    """The responses of every unit of the plan. What the dataset does not have, or has otherwise, is refused."""
    found: Slots = {}
    for key, planned in plan.units.items():
        try:
            found[key] = _slots(planned.unit, held)
        except UnknownHere as unknown:
            plan.refuse(planned.row, unknown.column, str(unknown))
    return found


def compare_labels(plan: AnswersPlan, held: HeldLabels, name: str) -> None:
    """Refuse what would mix with other labels of this name, or change what a rater said."""
    origin = plan.origin or Origin()
    if held.other_labels:
        plan.refuse(None, "labels", f"{name!r} are labels that came with pairs. Give the answers another name.")
    for other in held.origins - {origin} if held.annotations else ():
        column = next(differing(origin, other))
        plan.refuse(None, column, f"{name!r} are answers of another {column} here. Give these another name.")
    for key in plan.annotations.keys() & held.annotations.keys():
        planned, there = plan.annotations[key], held.annotations[key]
        columns = [*differing(planned.given, there.given)]
        columns += ["value"] if planned.answers != there.answers else []
        for column in columns:
            (who, _), unit = key
            message = (
                f"{who or 'This rater'} answered unit {unit} otherwise under this name. Give these another name."
            )
            plan.refuse(planned.row, column, message)


def _slots(unit: TidyUnit, held: Held) -> dict[str, int]:
    item = held.items.get(unit.item)
    if item is None:
        raise UnknownHere("item", f"Item {unit.item} is not in this dataset.")
    if unit.category not in ("", item.category):
        raise UnknownHere("category", f"Item {unit.item} is here with category {item.category!r}.")
    there = held.units.get(unit.key)
    if there and (there.kind, there.item) != (unit.kind, unit.item):
        raise UnknownHere("unit", f"Unit {unit.key} is here of item {there.item} and of kind {there.kind}.")
    slots = {slot: _response(unit, slot, held, there) for slot in unit.systems}
    if there and there.slots != slots:
        raise UnknownHere("systems", f"Unit {unit.key} is here with other responses, or with these in other slots.")
    if len(set(slots.values())) < len(slots):
        raise UnknownHere("responses", f"Unit {unit.key} names the same response twice.")
    return slots


def _response(unit: TidyUnit, slot: str, held: Held, there: HeldUnit | None) -> int:
    """The response in this slot. Where its take is not named: that of the unit, or the only one."""
    system = unit.systems[slot]
    takes = held.takes.get((unit.item, system))
    if takes is None:
        raise UnknownHere("systems", f"{system} has not answered item {unit.item} in this dataset.")
    if slot in unit.responses:
        if (take := unit.responses[slot]) not in takes:
            raise UnknownHere("responses", f"{system} has no response {take!r} to item {unit.item} in this dataset.")
        return takes[take]
    if there and there.slots.get(slot) in takes.values():
        return there.slots[slot]
    if len(takes) > 1:
        raise UnknownHere("responses", f"{system} answered item {unit.item} {len(takes)} times: name the response.")
    return next(iter(takes.values()))
