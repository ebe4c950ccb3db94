"""What an annotator is shown of an assignment: words, questions and clips by where they stand, never whose."""

from dataclasses import dataclass

from django.urls import reverse

from annotation.blinding import on_screen
from annotation.listening import clip_token
from annotation.models import Assignment
from campaigns.models import ResponseTurn, Turn
from campaigns.protocols import Aspect, Protocol, Question, questions


@dataclass(frozen=True)
class ShownClip:
    """A clip by its place: `prompt`, `1` or `2`, and the turn."""

    place: str
    turn: int
    url: str
    text: str = ""


@dataclass(frozen=True)
class ShownAspect:
    aspect: Aspect
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Screen:
    assignment: Assignment
    prompt: tuple[ShownClip, ...]
    first: tuple[ShownClip, ...]
    second: tuple[ShownClip, ...]
    aspects: tuple[ShownAspect, ...]


def screen_of(assignment: Assignment, protocol: Protocol) -> Screen:
    unit = assignment.campaign_unit.unit
    sides = ResponseTurn.objects.filter(response__in=[unit.a_id, unit.b_id])
    said: dict[int, list[int]] = {unit.a_id: [], unit.b_id: []}
    for turn in sides:
        said[turn.response_id].append(turn.position)
    first, second = on_screen(said[unit.a_id], said[unit.b_id], assignment.side_order)
    put = questions(protocol)
    return Screen(
        assignment=assignment,
        prompt=tuple(_prompt_clip(assignment, turn) for turn in Turn.objects.filter(item=unit.item_id)),
        first=tuple(_response_clip(assignment, "1", position) for position in first),
        second=tuple(_response_clip(assignment, "2", position) for position in second),
        aspects=tuple(
            ShownAspect(aspect, tuple(q for q in put if q.aspect == aspect.name)) for aspect in protocol.aspects
        ),
    )


def _prompt_clip(assignment: Assignment, turn: Turn) -> ShownClip:
    url = _url(assignment, "prompt", turn.position) if turn.clip_id else ""
    return ShownClip("prompt", turn.position, url, turn.text)


def _response_clip(assignment: Assignment, place: str, position: int) -> ShownClip:
    return ShownClip(place, position, _url(assignment, place, position))


def _url(assignment: Assignment, place: str, turn: int) -> str:
    return reverse("listen", args=[clip_token(assignment, place, turn)])
