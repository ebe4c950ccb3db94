"""An annotator's answers about a unit beside the expected ones, in the words of the screen."""

from dataclasses import dataclass

from annotation.models import Assignment
from campaigns.rubrics.asking import protocol_for
from protocols import Scale


@dataclass(frozen=True)
class Compared:
    """One aspect: the title, and the labels of the answer and of the expected answers. `place` is of the response."""

    title: str
    place: int | None
    said: str
    expected: tuple[str, ...]
    is_right: bool


def compared(assignment: Assignment) -> list[Compared]:
    """Every aspect of which an answer was expected, as they are asked; one that was not answered is not right."""
    protocol = protocol_for(assignment.campaign, assignment.campaign_unit.unit.item)
    annotation = assignment.annotations.filter(superseded_by=None).first()
    answers = annotation.answers.all() if annotation else ()
    said = {(f"{answer.aspect}.{answer.slot}" if answer.slot else answer.aspect): answer.value for answer in answers}
    asked = [aspect.name for aspect in protocol.aspects]
    parts = [(*name.partition(".")[::2], values) for name, values in assignment.campaign_unit.expected.items()]
    found = []
    for aspect_name, slot, values in sorted(parts, key=lambda part: (asked.index(part[0]), part[1])):
        aspect, name = protocol.aspect(aspect_name), f"{aspect_name}.{slot}" if slot else aspect_name
        value = said.get(name, "")
        found.append(
            Compared(
                title=aspect.title,
                place=assignment.order.index(slot) + 1 if slot else None,
                said=_label(value, aspect.scale, assignment.order) if value else "",
                expected=tuple(_label(one, aspect.scale, assignment.order) for one in values),
                is_right=value in values,
            )
        )
    return found


def _label(stored: str, scale: Scale, order: str) -> str:
    return scale.kind.label(scale.kind.shown(stored, order))
