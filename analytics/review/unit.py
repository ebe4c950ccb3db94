"""One unit as a reviewer sees it: what is heard, and everybody's answers side by side, in the reviewer's frame."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from accounts.models import User
from analytics.data.inclusion import Use, answers_in, standing_use_decisions
from annotation.models import AdjudicatedAnswer, Adjudication, Annotation, Answer, DefectMark, UseDecision
from annotation.review.adjudication import asked_of_reviewers, review_order, standing_adjudication
from campaigns.audio.unit_clips import PROMPT, heard_responses, trap_clips
from campaigns.models import CampaignUnit, Membership, Role
from corpus.models import Clip, ResponseTurn, Turn
from measurements.identity_leaks.units import IdentityLeak, identity_leaks_of
from protocols import CONFIDENCE, Protocol

_ALL = Use(excluded=True, checks=True)


@dataclass(frozen=True)
class HeardClip:
    """A clip by its place (0 is the prompt) and turn, with what was marked in it. `system` only where it is shown."""

    place: int
    turn: int
    text: str
    seconds: float | None
    marks: tuple["PlacedMark", ...]
    system: str = ""


@dataclass(frozen=True)
class PlacedMark:
    """A defect that an annotator marked, and where it lies on a line of 1000 steps."""

    rater: str
    kind: str
    start: float
    end: float
    x: float
    width: float


@dataclass(frozen=True)
class SeenAnswer:
    """One annotator's answers, with how they came about and what was decided about them."""

    annotation: Annotation
    rater: str
    heard_first: int
    seconds: float
    coverage: int | None
    confidence: str
    decision: UseDecision | None

    @property
    def is_used(self) -> bool:
        return not self.annotation.assignment.excluded


@dataclass(frozen=True)
class ComparedAspect:
    """One aspect (of one response, at its place) with what each rater said, in their order; "" where nothing."""

    title: str
    place: int | None
    said: tuple[str, ...]
    adjudicated: str


@dataclass(frozen=True)
class ReviewedUnit:
    """`identity_leaks` are words that name the system, by the place of their response."""

    unit: CampaignUnit
    protocol: Protocol
    order: str
    turns: tuple[tuple[int, tuple[HeardClip, ...]], ...]
    answers: tuple[SeenAnswer, ...]
    compared: tuple[ComparedAspect, ...]
    adjudication: Adjudication | None
    identity_leaks: tuple[tuple[int, IdentityLeak], ...]


def reviewed_unit(unit: CampaignUnit, reviewer: User, *, with_names: bool) -> ReviewedUnit:
    """Everything about the unit; its number of queries does not depend on how many answered."""
    protocol, order = asked_of_reviewers(unit), review_order(unit, reviewer)
    answers = tuple(_answers(unit, order))
    adjudication = standing_adjudication(unit)
    leaks = identity_leaks_of(unit.campaign.dataset, [unit.unit_id]).get(unit.unit_id, ())
    return ReviewedUnit(
        unit=unit,
        protocol=protocol,
        order=order,
        turns=tuple(_turns(unit, order, answers, with_names=with_names)),
        answers=answers,
        compared=tuple(_compared(protocol, order, answers, adjudication)),
        adjudication=adjudication,
        identity_leaks=tuple(sorted(((order.index(it.slot) + 1, it) for it in leaks), key=lambda placed: placed[0])),
    )


def _answers(unit: CampaignUnit, order: str) -> Iterator[SeenAnswer]:
    # Put in order afterwards: to have them in order, SQLite reads all answers of the installation.
    rows = answers_in(unit.campaign, _ALL).filter(assignment__campaign_unit=unit).order_by()
    rows = rows.select_related("assignment").prefetch_related(
        Prefetch("answers", Answer.objects.order_by("pk")), "marks", "reviews"
    )
    members = Membership.objects.filter(campaign=unit.campaign, role=Role.ANNOTATOR)
    names = dict(members.values_list("user_id", "pseudonym"))
    standing = standing_use_decisions(unit.campaign).filter(assignment__campaign_unit=unit).select_related("by")
    decisions = {row.assignment_id: row for row in standing}
    for row in sorted(rows, key=lambda row: row.pk):
        yield SeenAnswer(
            annotation=row,
            rater=names[row.assignment.annotator_id],
            heard_first=order.index(row.assignment.order[0]) + 1,
            seconds=(row.recorded_at - row.shown_at).total_seconds(),
            coverage=_coverage(row),
            confidence=next((o.label for o in CONFIDENCE.options if o.value == str(row.confidence)), ""),
            decision=decisions.get(row.assignment_id),
        )


def _coverage(row: Annotation) -> int | None:
    """Per cent of the clip that was heard least."""
    clips = row.listening.get("clips", {}).values()
    return min((round(100 * clip["coverage"]) for clip in clips), default=None)


def _turns(
    unit: CampaignUnit, order: str, answers: Iterable[SeenAnswer], *, with_names: bool
) -> Iterator[tuple[int, tuple[HeardClip, ...]]]:
    places: dict[int, list[int]] = {}
    for place, response in enumerate(heard_responses(unit, order), start=1):
        places.setdefault(response, []).append(place)
    spoken = trap_clips(unit, order)
    marks = [(seen.rater, mark) for seen in answers for mark in seen.annotation.marks.all()]
    clips: dict[int, dict[int, HeardClip]] = {}

    def add(place: int, turn: Turn | ResponseTurn, system: str = "") -> None:
        slot = order[place - 1] if place else ""
        here = [(who, mark) for who, mark in marks if (mark.slot, mark.turn) == (slot, turn.position)]
        trap = spoken.get((place, turn.position))
        sound = trap.clip if trap else turn.clip
        clip = _heard_clip(place, turn, sound, [_placed(who, mark, sound) for who, mark in here], system)
        clips.setdefault(turn.position, {})[place] = clip

    for prompt in Turn.objects.filter(item=unit.unit.item_id).select_related("clip"):
        add(PROMPT, prompt)
    said = ResponseTurn.objects.filter(response__in=places).select_related("clip", "response__system")
    for turn in said:
        for place in places[turn.response_id]:
            add(place, turn, turn.response.system.name if with_names else "")
    for position in sorted(clips):
        yield position, tuple(clips[position][place] for place in sorted(clips[position]))


def _heard_clip(
    place: int, turn: Turn | ResponseTurn, sound: Clip | None, marks: list[PlacedMark], system: str
) -> HeardClip:
    text = turn.text if place == PROMPT else ""
    return HeardClip(place, turn.position, text, sound.seconds if sound else None, tuple(marks), system)


def _placed(rater: str, mark: DefectMark, clip: Clip | None) -> PlacedMark:
    length = max(clip.seconds if clip else 0.0, mark.end_s) or 1.0
    width = max(1000 * (mark.end_s - mark.start_s) / length, 8.0)
    x = min(1000 * mark.start_s / length, 1000 - width)
    kind = DefectMark.Kind(mark.kind).label
    return PlacedMark(rater, str(kind), mark.start_s, mark.end_s, round(x, 1), round(width, 1))


def _compared(
    protocol: Protocol, order: str, answers: tuple[SeenAnswer, ...], adjudication: Adjudication | None
) -> Iterator[ComparedAspect]:
    by_rater = [_shown(protocol, order, seen.annotation.answers.all()) for seen in answers]
    decided = _shown(protocol, order, adjudication.answers.all() if adjudication else ())
    for aspect in protocol.aspects:
        for place in range(1, len(order) + 1) if aspect.per_response else (None,):
            said = tuple(shown.get((aspect.name, place), "") for shown in by_rater)
            last = decided.get((aspect.name, place), "")
            if last or any(said):
                yield ComparedAspect(aspect.title, place, said, last)


def _shown(
    protocol: Protocol, order: str, answers: Iterable[Answer | AdjudicatedAnswer]
) -> dict[tuple[str, int | None], str]:
    """What was answered, in the words of the protocol and in the reviewer's frame."""
    found = {}
    for answer in answers:
        kind = protocol.aspect(answer.aspect).scale.kind
        label = str(kind.label(kind.shown(answer.value, order)))
        if kind.any_response:
            label = _("Response %(n)s") % {"n": label}
        found[answer.aspect, order.index(answer.slot) + 1 if answer.slot else None] = label
    return found
