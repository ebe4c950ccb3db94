"""The page of one annotator's quality: signals, answers over time, gold, flags and decisions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from analytics.models import QualityFlag, QualityLook
from analytics.quality.pages.overview import Cell, cells_of, open_flags
from analytics.quality.signals import SIGNALS
from analytics.quality.snapshots import kept_of
from annotation.models import Annotation, AnnotatorDecision, Answer, UseDecision
from campaigns.models import BEFORE_FIRST_UNIT, Campaign, CampaignUnit, Membership

#: A timeline shows so many of the last answers, and times from a second to a quarter of an hour.
MOST_DOTS = 300
SLOWEST_S = 900.0
WIDTH, HEIGHT, MARGIN, LEFT = 900, 150, 14, 52


@dataclass(frozen=True)
class Dot:
    """One answer on the timeline: when in the session, how long it took, and what it was."""

    x: float
    y: float
    kind: str
    recorded_at: datetime
    seconds: float

    @property
    def took(self) -> str:
        return f"{self.seconds:.1f} s"


@dataclass(frozen=True)
class CheckAnswer:
    unit: str
    purpose: str
    expected: str
    given: str
    passed: bool
    recorded_at: datetime


@dataclass(frozen=True)
class PersonPage:
    cells: tuple[Cell, ...]
    dots: tuple[Dot, ...]
    lines: tuple[tuple[float, str], ...]
    checks: tuple[CheckAnswer, ...]
    flags: QuerySet[QualityFlag]
    decisions: QuerySet[AnnotatorDecision]
    use_decisions: tuple[UseDecision, ...]
    given: int
    used: int
    is_paused: bool
    paid: AnnotatorDecision | None


def person_page(campaign: Campaign, member: Membership) -> PersonPage:
    look = QualityLook.objects.filter(campaign=campaign).first()
    kept = {name: kept_of(look.found if look else {}, name) for name in SIGNALS}
    decisions = AnnotatorDecision.objects.filter(campaign=campaign, annotator=member.user_id).select_related("by")
    newest = {row.about: row for row in decisions}
    answers = list(_answers(campaign, member))
    study = [row for row in answers if row.assignment.campaign_unit.purpose == CampaignUnit.Purpose.STUDY]
    work, about = newest.get(AnnotatorDecision.About.WORK), AnnotatorDecision.About.PAY
    return PersonPage(
        cells=cells_of(member, SIGNALS.values(), kept, open_flags(campaign)),
        dots=tuple(_dots(answers[-MOST_DOTS:])),
        lines=tuple((_height(seconds), label) for seconds, label in GRID),
        checks=tuple(_checks(answers)),
        flags=member.quality_flags.select_related("by").order_by("-pk"),
        decisions=decisions.order_by("-pk"),
        use_decisions=tuple(_use_decisions(campaign, member)),
        given=len(study),
        used=sum(not row.assignment.excluded for row in study),
        is_paused=work is not None and not work.yes,
        paid=newest.get(about),
    )


GRID = ((1, "1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"))


def _answers(campaign: Campaign, member: Membership) -> QuerySet[Annotation]:
    """Standing answers with what was said to checks, in the order in which they came."""
    mine = Annotation.objects.filter(
        assignment__campaign=campaign, assignment__annotator=member.user_id, superseded_by=None
    ).exclude(assignment__campaign_unit__purpose__in=BEFORE_FIRST_UNIT)
    rows = mine.select_related("assignment__campaign_unit__unit").defer("listening").order_by("pk")
    of_checks = Answer.objects.exclude(annotation__assignment__campaign_unit__expected={})
    return rows.prefetch_related(Prefetch("answers", of_checks, to_attr="to_checks"))


def _dots(answers: list[Annotation]) -> list[Dot]:
    step = (WIDTH - LEFT - MARGIN) / max(1, len(answers) - 1)
    return [_dot(LEFT + n * step, row) for n, row in enumerate(answers)]


def _dot(x: float, row: Annotation) -> Dot:
    seconds = (row.recorded_at - row.shown_at).total_seconds()
    return Dot(round(x, 1), _height(seconds), _kind(row), row.recorded_at, seconds)


def _height(seconds: float) -> float:
    """Times on a logarithmic scale: the quickest are what one looks for."""
    share = math.log(min(max(seconds, 1.0), SLOWEST_S)) / math.log(SLOWEST_S)
    return round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1)


def _kind(row: Annotation) -> str:
    if (check := _check(row)) is not None:
        return "passed" if check.passed else "failed"
    return "excluded" if row.assignment.excluded else "study"


def _checks(answers: list[Annotation]) -> list[CheckAnswer]:
    return [check for row in answers if (check := _check(row)) is not None]


def _check(row: Annotation) -> CheckAnswer | None:
    unit = row.assignment.campaign_unit
    said = {f"{one.aspect}.{one.slot}" if one.slot else one.aspect: one.value for one in _to_checks(row)}
    expected = {name: values for name, values in unit.expected.items() if name in said}
    if not expected:
        return None
    passed = all(said[name] in values for name, values in expected.items())
    shown = _in_words(expected), _in_words(said, expected)
    return CheckAnswer(unit.unit.key, unit.purpose, *shown, passed, row.recorded_at)


def _to_checks(row: Annotation) -> list[Answer]:
    return row.to_checks  # type: ignore[attr-defined, no-any-return]  # by the prefetch


def _in_words(said: Mapping[str, Any], only: Mapping[str, Any] | None = None) -> str:
    shown = {name: value for name, value in said.items() if only is None or name in only}
    return "; ".join(f"{name}: {', '.join(v) if isinstance(v, list) else v}" for name, v in shown.items())


def _use_decisions(campaign: Campaign, member: Membership) -> list[UseDecision]:
    """The last decisions about answers, each moment and decider once: one action decides about many answers."""
    rows = UseDecision.objects.filter(assignment__campaign=campaign, assignment__annotator=member.user_id)
    found: dict[tuple[Any, ...], UseDecision] = {}
    for row in rows.select_related("by").order_by("-pk")[:MOST_DOTS]:
        moment = row.made_at.replace(second=0, microsecond=0)
        found.setdefault((row.use, row.reason, row.by_id, row.rule, moment), row)
    return list(found.values())
