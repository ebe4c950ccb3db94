"""What an annotator is shown of an assignment: words, questions and clips by where they stand, never whose."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotation.answers.revise import said_before
from annotation.listening.clips import clip_token, responses_by_place
from annotation.models import Assignment
from campaigns.audio.unit_clips import PROMPT, asked_turns, spoken_turns
from campaigns.models import Campaign
from campaigns.rubrics.asking import protocol_for
from infrastructure.templatetags.wording import worded
from protocols import Protocol, ShownAspect, fact_title, shown_aspects

KEYS = "QWRTYASDFG"
#: What the overlay of keys explains and lets one change; which key it is says static/js/label/keymap.js.
KEY_ACTIONS = {
    "play-0": _("Play the prompt"),
    "play-1": _("Play response 1"),
    "play-2": _("Play response 2"),
    "pause": _("Pause and resume"),
    "loop": _("Loop: from here, to here, off"),
    "previous": _("Question before"),
    "next": _("Next question"),
    "submit": _("Submit and continue"),
    "take-back": _("Change my last answer"),
    "mark": _("Mark a defect: from here, to here"),
    "kind": _("What the last defect is: the next kind"),
    "guidelines": _("Guidelines"),
    "shortcuts": _("This overview"),
}

#: Choices by their place. On a scale that goes below zero each number has a key of its own.
CHOICES = (
    _("First choice"), _("Second choice"), _("Third choice"), _("Fourth choice"), _("Fifth choice"),
)  # fmt: skip


def key_actions(protocol: Protocol) -> dict[str, str]:
    """What the keys do on the page of this protocol, in words."""
    kinds = [aspect.scale.kind for aspect in protocol.aspects if aspect.scale.kind.has_choices]
    signed = {option.value: worded(option.label) for it in kinds if it.is_signed for option in it.options}
    places = max((len(it.options) for it in kinds if not it.is_signed), default=0) or len(CHOICES)
    by_place = {} if signed or not kinds else {f"choose-{n}": text for n, text in enumerate(CHOICES[:places], 1)}
    by_value = {f"choose-{value}": text for value, text in signed.items()}
    return {action: str(text) for action, text in (KEY_ACTIONS | by_place).items()} | by_value


@dataclass(frozen=True)
class ShownClip:
    """A clip by its place (0 is the prompt) and turn; `key` plays it."""

    place: int
    turn: int
    url: str
    key: str
    text: str = ""


@dataclass(frozen=True)
class ShownTurn:
    position: int
    prompt: ShownClip | None
    responses: tuple[ShownClip, ...]


@dataclass(frozen=True)
class Addresses:
    """Where the page of a unit sends what happens there."""

    answer: str
    heard: str
    ahead: str
    give_back: str


@dataclass(frozen=True)
class Screen:
    assignment: Assignment
    protocol: Protocol  # as it is asked about this item
    facts: tuple[tuple[str, str], ...]
    turns: tuple[ShownTurn, ...]
    heard: str
    answers: str
    aspects: tuple[ShownAspect, ...]


def screen_of(assignment: Assignment, campaign: Campaign) -> Screen:
    item = assignment.campaign_unit.unit.item
    protocol = protocol_for(campaign, item)
    return Screen(
        assignment=assignment,
        protocol=protocol,
        facts=tuple((fact_title(name), str(item.facts[name])) for name in protocol.shows if item.facts.get(name)),
        turns=tuple(_turns(assignment)),
        heard=json.dumps(_heard(assignment)),
        answers=json.dumps(said_before(assignment, protocol)) if assignment.reopened_at else "{}",
        aspects=tuple(shown_aspects(protocol, len(assignment.order))),
    )


def addresses_of(assignment: Assignment, campaign: Campaign) -> Addresses:
    here = [campaign.slug, assignment.pk]
    return Addresses(
        answer=reverse("answer", args=here),
        heard=reverse("heard", args=here),
        ahead=reverse("ahead", args=[campaign.slug]),
        give_back=reverse("give-back", args=here),
    )


def clip_urls(assignment: Assignment) -> dict[str, str]:
    """The address of every clip of the assignment, by `place-turn`."""
    return {f"{clip.place}-{clip.turn}": clip.url for clip in shown_clips(assignment)}


def shown_clips(assignment: Assignment) -> list[ShownClip]:
    """Every clip of the assignment that can be heard."""
    clips = (clip for turn in _turns(assignment) for clip in (turn.prompt, *turn.responses) if clip)
    return [clip for clip in clips if clip.url]


def _heard(assignment: Assignment) -> dict[str, Any]:
    """What was heard before the page was loaded, so that it need not be heard again."""
    log = getattr(assignment, "listening", None)
    return {clip: known["ranges"] for clip, known in log.clips.items()} if log else {}


def _turns(assignment: Assignment) -> Iterable[ShownTurn]:
    responses = responses_by_place(assignment)
    positions: dict[int, set[int]] = {response: set() for response in responses}
    for response, position, _seconds in spoken_turns(responses):
        positions[response].add(position)
    said = [positions[response] for response in responses]
    asked = asked_turns.rows(item=assignment.campaign_unit.unit.item_id)
    prompts = {
        position: (text, seconds is not None) for position, text, seconds in asked if text or seconds is not None
    }
    for position in sorted(set(prompts).union(*said)):
        yield ShownTurn(
            position,
            _prompt(assignment, position, *prompts[position]) if position in prompts else None,
            tuple(_response(assignment, place, position) for place, has in enumerate(said, 1) if position in has),
        )


def _prompt(assignment: Assignment, position: int, text: str, is_spoken: bool) -> ShownClip:
    return ShownClip(PROMPT, position, _url(assignment, PROMPT, position) if is_spoken else "", "E", text)


def _response(assignment: Assignment, place: int, position: int) -> ShownClip:
    return ShownClip(place, position, _url(assignment, place, position), KEYS[place - 1 : place])


def _url(assignment: Assignment, place: int, turn: int) -> str:
    return reverse("listen", args=[clip_token(assignment, place, turn)])
