"""Listening as the server knows it: what a page reports, checked against the clock, and what a rule still asks."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation import reasons
from annotation.assignment.next_unit import locked_assignment
from annotation.blinding import slot_at
from annotation.listening.clips import responses_by_place
from annotation.listening.coverage import TOLERANCE_S, Credit, MoreThanTime, Range, credited, seconds, share, within
from annotation.models import Assignment, ListeningLog
from campaigns.audio.unit_clips import asked_turns, spoken_turns, trap_clips
from campaigns.models import Campaign
from infrastructure.wording.reasons import Reasoned
from protocols import Listening

#: A clip counts as heard in full when no more than this is missing of it.
MISSING_S = 0.3
#: So many parts has one report, of all clips together and before any are joined; a page plays a few in ten seconds.
MAX_RANGES = 1_000
#: The most parts stored of one clip. Parts that touch are merged, so that no listener reaches this number.
MAX_KEPT_RANGES = 1_000
MAX_REPORTS = 100
#: The number of a report, which is milliseconds since 1970.
LARGEST_NUMBER = 2**62
#: Plays, switches, and seconds out of view.
LARGEST_COUNT = 2**31 - 1


class ListeningRefused(Reasoned, ValueError):
    """A report that cannot be true, or is none."""


class MalformedReport(ListeningRefused):
    """Something that no page sends: no report, or with numbers that are out of all bounds."""


@dataclass(frozen=True)
class Report:
    """What a page says was played since its last report. Ranges are by clip (`place-turn`), in seconds."""

    number: int
    ranges: dict[str, list[Range]]
    plays: dict[str, int]
    switches: int
    hidden_s: float


def read_reports(text: str) -> list[Report]:
    """Parse what a page sends: every report of which it does not know that it arrived.

    Raises MalformedReport, and ListeningRefused for more reports than are taken at once.
    """
    try:
        said = json.loads(text)
        if len(said) <= MAX_REPORTS:
            return [_read_report(one) for one in said]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedReport(reasons.NO_LISTENING_REPORT()) from error
    raise ListeningRefused(reasons.TOO_MANY_REPORTS())


def _read_report(said: Mapping[str, Any]) -> Report:
    """Raises what `read_reports` turns into MalformedReport."""
    if sum(map(len, said["ranges"].values())) > MAX_RANGES:
        raise ValueError("too many parts")
    return Report(
        number=_whole(said["number"], at_least=1, at_most=LARGEST_NUMBER),
        ranges={str(clip): [_range(*part) for part in parts] for clip, parts in said["ranges"].items()},
        plays={str(clip): _whole(n, at_most=LARGEST_COUNT) for clip, n in said["plays"].items()},
        switches=_whole(said["switches"], at_most=LARGEST_COUNT),
        hidden_s=_seconds(said["hidden_s"]),
    )


def _range(start: object, end: object) -> Range:
    part = (_seconds(start), _seconds(end))
    if part[0] > part[1]:
        raise ValueError("a part that runs backwards")
    return part


def _seconds(value: object) -> float:
    """A number of seconds, as JSON has it; raises ValueError for NaN, for infinity and for what is out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_COUNT:
        raise ValueError("no number of seconds")
    return float(value)


def _whole(value: object, *, at_least: int = 0, at_most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not at_least <= value <= at_most:
        raise ValueError("no whole number within bounds")
    return value


@transaction.atomic
def record_listening(
    assignment_id: UUID, *, annotator: User, reports: list[Report], campaign: Campaign | None = None
) -> ListeningLog:
    """Add reports to the assignment's log; one that was added before, or comes after the answer, changes nothing.

    Raises Assignment.DoesNotExist for another annotator's assignment, ListeningRefused where more was played than
    time has passed, or in a clip that is not there; then none is added.
    """
    assignment = locked_assignment(assignment_id, annotator, campaign)
    return add_reports(assignment, reports)


def add_reports(
    assignment: Assignment, reports: list[Report], *, durations: Mapping[str, float] | None = None
) -> ListeningLog:
    """The same for an assignment that is locked already; `durations` are its clips', where they are known."""
    log = log_of(assignment)
    new = {report.number: report for report in reports if report.number > log.number}
    if not new or not assignment.is_in_hand:
        return log
    durations = clip_seconds(assignment) if durations is None else durations
    passed_s = _seconds_since(assignment.reserved_at)
    for _number, report in sorted(new.items()):
        if unknown := sorted({*report.ranges, *report.plays} - set(durations)):
            raise ListeningRefused(reasons.NO_SUCH_CLIP(clip=unknown[0]))
        _add(log, report, durations=durations, passed_s=passed_s)
    log.save()
    return log


def clip_seconds(assignment: Assignment) -> dict[str, float]:
    """The length of every clip of the assignment, by `place-turn`; the prompt's place is 0."""
    responses = responses_by_place(assignment)
    asked = asked_turns.rows(item=assignment.campaign_unit.unit.item_id)
    prompts = {f"0-{position}": length for position, _text, length in asked if length is not None}
    said = spoken_turns(responses)
    heard = {
        f"{place}-{position}": length
        for place, response in enumerate(responses, start=1)
        for of, position, length in said
        if of == response and length is not None
    }
    traps = trap_clips(assignment.campaign_unit, assignment.order)
    spoken = {f"{place}-{turn}": row.clip.seconds for (place, turn), row in traps.items()}
    return prompts | heard | spoken


def _seconds_since(reserved_at: datetime) -> float:
    """What is later than now is from before the clock was set back: how much time has passed is not known."""
    passed = (timezone.now() - reserved_at).total_seconds()
    return passed if passed > -TOLERANCE_S else math.inf


def log_of(assignment: Assignment) -> ListeningLog:
    """What was reported so far; an empty log where nothing was."""
    log: ListeningLog | None = getattr(assignment, "listening", None)
    return log or ListeningLog(assignment=assignment)


def still_to_hear(log: ListeningLog, rule: Listening, *, durations: Mapping[str, float]) -> list[str]:
    """The clips (`place-turn`) of which less was heard than the rule asks."""
    if rule.rule == "none":
        return []
    return [
        clip
        for clip, length in sorted(durations.items())
        if seconds(within(_ranges(log.clips, clip), length)) < _asked(rule, length) - MISSING_S
    ]


def heard_so_far(log: ListeningLog, *, order: str, durations: Mapping[str, float]) -> dict[str, Any]:
    """The state of the log, in the stored frame, to be stored with an answer.

    By clip (`slot-turn`, or `prompt-turn`): the share that was played, from 0 to 1, and how often it was begun. A
    clip of which nothing was reported has zeros.
    """
    clips = {}
    for clip, length in sorted(durations.items()):
        place, turn = clip.split("-")
        slot = slot_at(int(place), order) if int(place) else "prompt"
        clips[f"{slot}-{turn}"] = {
            "coverage": round(share(_ranges(log.clips, clip), length), 3),
            "plays": log.clips.get(clip, {}).get("plays", 0),
        }
    return {
        "clips": clips,
        "played_s": round(log.played_s, 3),
        "switches": log.switches,
        "hidden_s": round(log.hidden_s, 3),
    }


def _asked(rule: Listening, length: float) -> float:
    return length if rule.rule == "full" else min(rule.seconds, length)


def _ranges(clips: Mapping[str, Any], clip: str) -> list[Range]:
    return [(start, end) for start, end in clips.get(clip, {}).get("ranges", [])]


def _add(log: ListeningLog, report: Report, *, durations: Mapping[str, float], passed_s: float) -> None:
    """Raises ListeningRefused."""
    before = Credit({clip: _ranges(log.clips, clip) for clip in log.clips}, log.played_s)
    try:
        now = credited(before, report.ranges, durations=durations, passed_s=passed_s)
    except MoreThanTime as error:
        raise ListeningRefused(reasons.MORE_THAN_TIME()) from error
    if any(len(parts) > MAX_KEPT_RANGES for parts in now.ranges.values()):
        raise ListeningRefused(reasons.TOO_MANY_PARTS())
    for clip in {*report.ranges, *report.plays}:
        plays = max(log.clips.get(clip, {}).get("plays", 0), report.plays.get(clip, 0))
        log.clips[clip] = {"ranges": list(now.ranges.get(clip, ())), "plays": plays}
    log.number = report.number
    log.played_s = now.played_s
    log.switches = max(log.switches, report.switches)
    log.hidden_s = max(log.hidden_s, report.hidden_s)
