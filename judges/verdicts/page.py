"""A verdict as a page shows it: what was heard, what was asked and replied, and the answers in both frames."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from campaigns.rubrics.asking import protocol_for
from corpus.audio.reading import UnreadableAudio
from corpus.datasets.units import slots_of
from corpus.models import Clip, ResponseTurn, Turn
from judges.cases.case import sound_of
from judges.kinds.imported import IMPORTED
from judges.models import Call, Run, Verdict
from judges.sounds.perturbations import Perturbation, Unperturbable
from judges.sounds.recordings import wav_of
from measurements.identity_leaks.units import IdentityLeak, identity_leaks_of

#: What is played: what the judge heard (the clips as they came, or changed copies), or the originals of what it read
#: as words, or of copies that could not be made.
Played = Literal["heard", "copies", "originals_of_words", "originals"]


@dataclass(frozen=True)
class ShownSound:
    """A turn of the prompt (place 0) or of the response that was heard at this place."""

    place: int
    slot: str
    text: str
    clip: Clip | None


@dataclass(frozen=True)
class ShownMessage:
    role: str
    text: str


@dataclass(frozen=True)
class ShownCall:
    call: Call
    cached: bool
    messages: list[ShownMessage]
    parameters: str


@dataclass(frozen=True)
class ShownAnswer:
    """A value as the judge gave it (`1` is what it heard first) and as it is stored."""

    title: str
    place: int | None
    slot: str
    given: str
    stored: str


@dataclass(frozen=True)
class ShownVerdict:
    sounds: list[ShownSound]
    played: Played
    answers: list[ShownAnswer]
    calls: list[ShownCall]
    said: str
    model_changed: bool
    identity_leaks: tuple[IdentityLeak, ...]


def shown_verdict(verdict: Verdict, run: Run) -> ShownVerdict:
    others = Verdict.objects.filter(run=run).exclude(model="").exclude(model=verdict.model)
    calls = verdict.calls.select_related("call__language_model")
    return ShownVerdict(
        sounds=_sounds(verdict),
        played=_played(verdict, run),
        answers=_answers(verdict, run),
        calls=[ShownCall(use.call, use.cached, _messages(use.call), _parameters(use.call)) for use in calls],
        said=json.dumps(verdict.said, ensure_ascii=False, indent=2) if verdict.said else "",
        model_changed=bool(verdict.model) and others.exists(),
        identity_leaks=identity_leaks_of(run.campaign.dataset, [verdict.unit_id]).get(verdict.unit_id, ()),
    )


def copy_heard(verdict: Verdict, run: Run, clip: int) -> bytes:
    """A clip (by its id) of this verdict as the probe changed it, as WAV: the same samples that the judge was given.

    Raises LookupError where there is no such copy.
    """
    known = [sound.clip for sound in _sounds(verdict) if sound.clip and sound.clip.pk == clip]
    if not known or _played(verdict, run) != "copies":
        raise LookupError
    try:
        samples, rate = sound_of(known[0], _perturbation(run)).read()
    except (Unperturbable, UnreadableAudio, OSError) as error:
        raise LookupError from error
    return wav_of(samples, rate)


def _played(verdict: Verdict, run: Run) -> Played:
    change = _perturbation(run)
    if change is None or change.name == "swapped_order":
        return "heard"
    if run.judge.kind == IMPORTED.name:  # what it heard was made elsewhere
        return "originals"
    if change.name == "transcript_only":
        return "originals_of_words"
    return "originals" if verdict.status == Verdict.Status.ERROR else "copies"


def _perturbation(run: Run) -> Perturbation | None:
    return Perturbation.from_json(run.perturbation) if run.perturbation else None


def _sounds(verdict: Verdict) -> list[ShownSound]:
    slots = slots_of(verdict.unit)
    place = {slots[slot]: (at, slot) for at, slot in enumerate(verdict.order, 1)}
    prompt = Turn.objects.filter(item=verdict.unit.item_id).select_related("clip").order_by("position")
    said = ResponseTurn.objects.filter(response__in=place).select_related("clip").order_by("position")
    found = [ShownSound(0, "", turn.text, turn.clip) for turn in prompt]
    found += [ShownSound(*place[turn.response_id], turn.text, turn.clip) for turn in said]
    return sorted(found, key=lambda sound: sound.place)


def _answers(verdict: Verdict, run: Run) -> list[ShownAnswer]:
    protocol = protocol_for(run.campaign, verdict.unit.item)
    aspects = {aspect.name: (at, aspect) for at, aspect in enumerate(protocol.aspects)}
    found = []
    for row in verdict.answers.all():
        at, aspect = aspects.get(row.aspect, (len(aspects), None))
        place = verdict.order.index(row.slot) + 1 if row.slot else None
        given = aspect.scale.kind.shown(row.value, verdict.order) if aspect else row.value
        title = aspect.title if aspect else row.aspect
        found.append((at, place or 0, ShownAnswer(title, place, row.slot, given, row.value)))
    return [shown for *_at, shown in sorted(found, key=lambda one: one[:2])]


def _messages(call: Call) -> list[ShownMessage]:
    messages: list[Any] = call.request.get("messages", [])
    return [ShownMessage(str(it.get("role", "")), _text(it.get("content"))) for it in messages]


def _text(content: Any) -> str:
    """A message's text; parts that are none, such as sound, by their hash."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False)
    parts = [part.get("text") or json.dumps(part, ensure_ascii=False) for part in content if isinstance(part, dict)]
    return "\n".join(parts)


def _parameters(call: Call) -> str:
    rest = {name: value for name, value in call.request.items() if name != "messages"}
    return json.dumps(rest, ensure_ascii=False, indent=2)
