"""What goes along with the answers to a unit: how sure one is, a flag with its reason, defects marked in clips."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.blinding import slot_at
from annotation.models import Annotation, DefectMark
from protocols import CONFIDENCE, InvalidAnswers, reasons

#: The form's names of notes; names of questions never look like this.
PREFIX = "note."
MAX_FLAG = 2000
MAX_MARKS = 50
TOLERANCE_S = 0.1


@dataclass(frozen=True)
class Mark:
    """A defect from `start` to `end` seconds in the clip `place-turn`; the prompt is at place 0."""

    clip: str
    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class Notes:
    confidence: int | None = None
    flag: str = ""
    marks: tuple[Mark, ...] = ()


def read_notes(posted: Mapping[str, str], *, clip_seconds: Mapping[str, float], ask_confidence: bool) -> Notes:
    """The notes among what was posted. `clip_seconds` has the lengths of the clips by `place-turn`.

    Raises InvalidAnswers, naming every note at fault.
    """
    unknown = [name for name in posted if name not in _known(ask_confidence)]
    errors = {name: reasons.QUESTION_NOT_ASKED(name=repr(name)) for name in unknown}
    confidence = posted.get(CONFIDENCE.name, "")
    if confidence and confidence not in {option.value for option in CONFIDENCE.options}:
        errors[CONFIDENCE.name] = reasons.CONFIDENCE_NOT_A_CHOICE(value=repr(confidence[:20]))
    flag = posted.get("note.flag", "").strip()
    if len(flag) > MAX_FLAG or "\x00" in flag:
        errors["note.flag"] = reasons.FLAG_NOT_KEPT(n=MAX_FLAG)
    marks: tuple[Mark, ...] = ()
    try:
        marks = _marks(posted.get("note.marks", ""), clip_seconds)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        errors["note.marks"] = reasons.MARK_OUTSIDE()
    if errors:
        raise InvalidAnswers(errors)
    return Notes(int(confidence) if confidence else None, flag, marks)


def store_marks(annotation: Annotation, marks: tuple[Mark, ...], *, order: str) -> None:
    """Keep the marks in the stored frame."""
    DefectMark.objects.bulk_create(
        DefectMark(
            annotation=annotation,
            slot=slot_at(place, order) if place else "",
            turn=turn,
            start_s=mark.start,
            end_s=mark.end,
            kind=mark.kind,
        )
        for mark in marks
        for place, turn in [map(int, mark.clip.split("-"))]
    )


def shown_marks(annotation: Annotation, *, order: str) -> str:
    """The marks in the screen's frame, as the form sends them."""
    return json.dumps(
        [
            {
                "clip": f"{order.index(mark.slot) + 1 if mark.slot else 0}-{mark.turn}",
                "start": mark.start_s,
                "end": mark.end_s,
                "kind": mark.kind,
            }
            for mark in annotation.marks.all()
        ]
    )


def _known(ask_confidence: bool) -> set[str]:
    return {"note.flag", "note.marks", *([CONFIDENCE.name] if ask_confidence else [])}


def _marks(text: str, clip_seconds: Mapping[str, float]) -> tuple[Mark, ...]:
    said = json.loads(text) if text else []
    if not isinstance(said, list) or len(said) > MAX_MARKS:
        raise ValueError("not a list of marks")
    return tuple(_mark(one, clip_seconds) for one in said)


def _mark(said: Mapping[str, object], clip_seconds: Mapping[str, float]) -> Mark:
    mark = Mark(str(said["clip"]), float(str(said["start"])), float(str(said["end"])), str(said["kind"]))
    if not (math.isfinite(mark.end) and 0 <= mark.start <= mark.end <= clip_seconds[mark.clip] + TOLERANCE_S):
        raise ValueError("outside the clip")
    if mark.kind not in DefectMark.Kind.values:
        raise ValueError("no such kind of defect")
    return mark
