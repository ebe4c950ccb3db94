"""A campaign's answers as columns for the signals: a fixed number of queries, whatever there is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Q

from analytics.data.inclusion import Use, answers_in
from analytics.data.labels import values_by_annotation
from analytics.data.preferences import preferences_of_scale
from analytics.quality.inputs import Given
from annotation.assignment.next_unit import paused_annotators
from annotation.models import Annotation
from campaigns.models import BEFORE_FIRST_UNIT, Campaign, CampaignUnit, Membership, Role
from corpus.models import ResponseTurn, Turn, Unit, UnitMember
from protocols import Aspect, Protocol
from stats.arrays import Ints

#: Used or not, of the study and of checks; withdrawn ones never come.
ALL = Use(excluded=True, checks=True)


@dataclass(frozen=True)
class Row:
    """One standing answer as the database has it."""

    annotation: int
    assignment: UUID
    user: int
    campaign_unit: int
    order: str
    excluded: bool
    shown_at: datetime
    recorded_at: datetime
    listening: Mapping[str, Any]
    origin: str = ""


@dataclass(frozen=True, eq=False)
class Read:
    """The columns, whose annotators are `members` by their index and whose rows are `rows`."""

    given: Given
    members: tuple[Membership, ...]
    rows: tuple[Row, ...]
    main: str


@dataclass(frozen=True)
class _Check:
    """`systems` are those of a pair's a and b; empty where there is none."""

    purpose: str
    unit: int
    expected: Mapping[str, list[str]]
    systems: tuple[str, ...]


def read_given(campaign: Campaign) -> Read:
    """Every current answer to the study and its checks, used or not; withdrawn ones are left out.

    Answers before the first unit, in training or qualification, do not show how an annotator works.
    """
    members = tuple(
        campaign.memberships.filter(role=Role.ANNOTATOR, answers_withdrawn_at=None)
        .select_related("user")
        .order_by("pk")
    )
    index = {member.user_id: n for n, member in enumerate(members)}
    rows = tuple(row for row in _rows(campaign) if row.user in index)
    units = _units(campaign)
    main, texts = campaign.protocol.main_aspect, text_aspects(campaign.protocol)
    said = _said(campaign, main.name if main else "", texts)
    return Read(_given(campaign, rows, units, index, said, main, texts), members, rows, main.name if main else "")


def text_aspects(protocol: Protocol) -> list[str]:
    return [aspect.name for aspect in protocol.aspects if aspect.scale.kind.is_written]


def _rows(campaign: Campaign) -> Iterable[Row]:
    columns = (
        "pk", "assignment_id", "assignment__annotator_id", "assignment__campaign_unit_id", "assignment__order",
        "assignment__excluded", "shown_at", "recorded_at", "listening",
        "origin",
    )  # fmt: skip
    standing = answers_in(campaign, ALL).exclude(assignment__campaign_unit__purpose__in=BEFORE_FIRST_UNIT)
    first = _first_times(campaign)
    found = standing.values_list(*columns)
    for pk, assignment, user, unit, order, excluded, shown_at, recorded_at, listening, origin in found:
        shown, recorded = first.get(assignment, (shown_at, recorded_at))
        yield Row(pk, assignment, user, unit, order, excluded, shown, recorded, listening, origin)


def _first_times(campaign: Campaign) -> dict[UUID, tuple[datetime, datetime]]:
    """When an answer that was changed later was first shown and given: a change is quick for everybody."""
    changed = Annotation.objects.filter(
        assignment__campaign=campaign, supersedes=None, superseded_by__isnull=False
    ).values_list("assignment_id", "shown_at", "recorded_at")
    return {assignment: (shown, recorded) for assignment, shown, recorded in changed}


def _units(campaign: Campaign) -> dict[int, _Check]:
    columns = ("pk", "purpose", "unit_id", "expected", "unit__a__system__name", "unit__b__system__name")
    return {
        pk: _Check(purpose, unit, expected, (a, b) if a and b else ())
        for pk, purpose, unit, expected, a, b in campaign.campaign_units.values_list(*columns)
    }


def _said(campaign: Campaign, main: str, texts: list[str]) -> dict[int, dict[str, str]]:
    """By annotation, the main answer and the reasons; of checks every answer."""
    of_check = ~Q(annotation__assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    return values_by_annotation(answers_in(campaign, ALL), Q(aspect__in=[main, *texts]) | of_check)


def _given(
    campaign: Campaign,
    rows: tuple[Row, ...],
    units: Mapping[int, _Check],
    index: Mapping[int, int],
    said: Mapping[int, Mapping[str, str]],
    main: Aspect | None,
    texts: list[str],
) -> Given:
    audio, paused = _audio(campaign), paused_annotators(campaign)
    answers = [said.get(row.annotation, {}) for row in rows]
    mains = [_main_value(answer, main) for answer in answers]
    values = _values(main, mains)
    codes = {value: code for code, value in enumerate(values)}
    checks = [units[row.campaign_unit] for row in rows]
    origins = {origin: n for n, origin in enumerate(dict.fromkeys(row.origin for row in rows if row.origin))}
    outcomes = _outcomes(main, values)
    systems = tuple(sorted({name for check in checks for name in check.systems})) if (outcomes >= 0).any() else ()
    place = {name: n for n, name in enumerate(systems)}
    pairs = np.array([[place.get(name, -1) for name in check.systems or ("", "")] for check in checks], dtype=int)
    pairs = pairs.reshape(-1, 2)
    return Given(
        n_raters=len(index),
        values=values,
        mirror=np.array([codes.get(_mirrored(value, main), codes[value]) for value in values], dtype=int),
        sided=np.array([_mirrored(value, main) != value for value in values], dtype=bool),
        rater=np.array([index[row.user] for row in rows], dtype=int),
        unit=np.array([check.unit for check in checks], dtype=int),
        purpose=np.array([check.purpose for check in checks], dtype="U10"),
        value=np.array([codes.get(value, -1) for value in mains], dtype=int),
        turned=np.array([not row.order.startswith("a") for row in rows], dtype=bool),
        took=np.array([(row.recorded_at - row.shown_at).total_seconds() for row in rows], dtype=float),
        audio=np.array([audio.get(check.unit, 0.0) for check in checks], dtype=float),
        heard=np.array([_least_heard(row.listening) for row in rows], dtype=float),
        passed=np.array([_passed(a, c.expected) for a, c in zip(answers, checks, strict=True)], dtype=int),
        counts=np.array([not row.excluded and row.user not in paused for row in rows], dtype=bool),
        texts=tuple(" ".join(answer.get(name, "") for name in texts).strip() for answer in answers),
        at=np.array([row.recorded_at.timestamp() for row in rows], dtype=float),
        origin=np.array([origins.get(row.origin, -1) for row in rows], dtype=int),
        a=pairs[:, 0],
        b=pairs[:, 1],
        outcomes=outcomes,
        systems=systems,
    )


def _outcomes(main: Aspect | None, values: tuple[str, ...]) -> Ints:
    """What each value says of the pair where a is presented first, -1 where it says nothing of who is better."""
    preferences = preferences_of_scale(main.scale) if main and not main.per_response else None
    known = preferences.outcomes if preferences else {}
    return np.array([known.get(value, -1) for value in values], dtype=int)


def _main_value(answer: Mapping[str, str], main: Aspect | None) -> str:
    if main is None:
        return ""
    return answer.get(main.name, "") or answer.get(f"{main.name}.a", "")


def _values(main: Aspect | None, found: list[str]) -> tuple[str, ...]:
    """Those of the scale, and what else was said: an item's own letters."""
    said = set(found) - {""}
    return (main.scale.kind.categories(said) if main else tuple(sorted(said))) or ("",)


def _mirrored(value: str, main: Aspect | None) -> str:
    """The value with the two sides of a pair swapped; only sides change."""
    return main.scale.kind.mirrored(value) if main else value


def _least_heard(listening: Mapping[str, Any]) -> float:
    clips = listening.get("clips", {})
    return min((clip["coverage"] for name, clip in clips.items() if not name.startswith("prompt")), default=np.nan)


def _passed(answer: Mapping[str, str], expected: Mapping[str, list[str]]) -> int:
    """Whether every expected answer that was given passes; -1 where none was expected or given."""
    expected_here = [(answer[name], values) for name, values in expected.items() if name in answer]
    return int(all(value in values for value, values in expected_here)) if expected_here else -1


def _audio(campaign: Campaign) -> dict[int, float]:
    """Seconds of sound of each unit: its prompt and its responses, once each."""
    ours = campaign.campaign_units.values("unit")
    prompts = _seconds(Turn.objects.filter(item__units__in=ours), "item__units")
    sides = Unit.objects.filter(pk__in=ours).values_list("pk", "a", "b")
    pairs = [(unit, side) for unit, *both in sides for side in both if side]
    responses = _seconds(ResponseTurn.objects.filter(response__item__units__in=ours), "response")
    total: dict[int, float] = defaultdict(float, prompts)
    members = UnitMember.objects.filter(unit__in=ours).values_list("unit", "response")
    for unit, response in [*pairs, *members]:
        total[unit] += responses.get(response, 0.0)
    return total


def _seconds(turns: Any, by: str) -> dict[int, float]:
    with_sound = turns.filter(clip__isnull=False).order_by()
    rows = with_sound.values_list(by, "pk", "clip__seconds").distinct()
    total: dict[int, float] = defaultdict(float)
    for key, _turn, seconds in rows:
        total[key] += seconds
    return total
