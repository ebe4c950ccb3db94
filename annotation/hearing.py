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
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.assignments import locked_assignment
from annotation.blinding import slot_at
from annotation.coverage import merged, seconds, share
from annotation.listening import asked_turns, responses_by_place, spoken_turns, trap_clips
from annotation.models import Assignment, ListeningLog
from campaigns.models import Campaign
from campaigns.protocols import Listening

#: Clocks and reports are not exact: this much more than the time that passed is believed.
TOLERANCE_S = 2.0
#: A clip counts as heard in full when no more than this is missing of it.
MISSING_S = 0.3
MAX_RANGES = 200
MAX_REPORTS = 100


class ListeningRefused(ValueError):
    """A report that cannot be true, or is none."""


@dataclass(frozen=True)
class Report:
    """What a page says was played since its last report. Ranges are by clip (`place-turn`), in seconds."""

    number: int
    ranges: dict[str, list[tuple[float, float]]]
    plays: dict[str, int]
    switches: int
    hidden_s: float


def read_reports(text: str) -> list[Report]:
    """Parse what a page sends: every report of which it does not know that it arrived. Raises ListeningRefused."""
    try:
        reports = [_read_report(one) for one in json.loads(text)]
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ListeningRefused(_("This is no report of listening.")) from error
    if len(reports) > MAX_REPORTS:
        raise ListeningRefused(_("These are too many reports of listening at once."))
    return reports


def _read_report(said: Mapping[str, Any]) -> Report:
    report = Report(
        number=int(said["number"]),
        ranges={str(clip): [(float(a), float(b)) for a, b in parts] for clip, parts in said["ranges"].items()},
        plays={str(clip): int(n) for clip, n in said["plays"].items()},
        switches=int(said["switches"]),
        hidden_s=float(said["hidden_s"]),
    )
    edges = [edge for parts in report.ranges.values() for part in merged(parts) for edge in part]
    if len(edges) > 2 * MAX_RANGES or not all(map(math.isfinite, [*edges, report.hidden_s])):
        raise ValueError("too many parts, or times that are none")
    return report


@transaction.atomic
def record_listening(
    assignment_id: UUID, *, annotator: User, reports: list[Report], campaign: Campaign | None = None
) -> ListeningLog:
    """Add reports to the assignment's log; one that was added before, or comes after the answer, changes nothing.

    Raises Assignment.DoesNotExist for somebody else's assignment, ListeningRefused where more was played than time
    has passed, or in a clip that is not there; then none is added.
    """
    assignment = locked_assignment(assignment_id, annotator, campaign)
    return add_reports(assignment, reports)


def add_reports(
    assignment: Assignment, reports: list[Report], *, durations: Mapping[str, float] | None = None
) -> ListeningLog:
    """The same for an assignment that is locked already; `durations` are its clips', where they are known."""
    log = log_of(assignment)
    new = [report for report in reports if report.number > log.number]
    if not new or not assignment.is_in_hand:
        return log
    durations = clip_seconds(assignment) if durations is None else durations
    passed = _seconds_since(assignment.reserved_at)
    for report in sorted(new, key=lambda report: report.number):
        if unknown := sorted({*report.ranges, *report.plays} - set(durations)):
            raise ListeningRefused(_("There is no clip %(clip)s here.") % {"clip": unknown[0]})
        played = sum(end - start for parts in report.ranges.values() for start, end in parts)
        if log.played_s + played > passed + TOLERANCE_S:
            raise ListeningRefused(_("More was reported as played than time has passed."))
        _add(log, report, played)
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
    spoken = {f"{place}-{turn}": row.clip.seconds for (place, turn), row in trap_clips(assignment).items()}
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
        if seconds(_ranges(log.clips, clip)) < _asked(rule, length) - MISSING_S
    ]


def heard_so_far(log: ListeningLog, *, order: str, durations: Mapping[str, float]) -> dict[str, Any]:
    """What the log says at this moment, in the stored frame, to be kept with an answer.

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


def _ranges(clips: Mapping[str, Any], clip: str) -> list[tuple[float, float]]:
    return [(start, end) for start, end in clips.get(clip, {}).get("ranges", [])]


def _add(log: ListeningLog, report: Report, played: float) -> None:
    for clip in {*report.ranges, *report.plays}:
        before = log.clips.get(clip, {})
        parts = merged([*_ranges(log.clips, clip), *report.ranges.get(clip, [])])
        plays = max(before.get("plays", 0), report.plays.get(clip, 0))
        log.clips[clip] = {"ranges": parts, "plays": plays}
    log.number = report.number
    log.played_s += played
    log.switches = max(log.switches, report.switches)
    log.hidden_s = max(log.hidden_s, report.hidden_s)
