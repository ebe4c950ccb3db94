"""The page of one annotator's quality: signals, answers over time, gold, flags and decisions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.models import QualityFlag, QualityLook
from analytics.quality.flags import open_flags
from analytics.quality.pages.overview import Cell, cells_of, columns_of
from analytics.quality.signals import SIGNALS
from analytics.quality.snapshots import kept_of
from annotation.models import Annotation, AnnotatorDecision, Answer, UseDecision
from campaigns.models import BEFORE_FIRST_UNIT, Campaign, CampaignUnit, Membership
from charts.marks import KEYS, Mark
from charts.planes import Plane, Timed, timeline

#: A timeline shows so many of the last answers.
MOST_DOTS = 300
#: Times that are written beside it, in seconds.
GRID = (
    (0.1, "0.1 s"), (1, "1 s"), (3, "3 s"), (10, "10 s"), (30, "30 s"), (60, "1 min"), (180, "3 min"),
    (600, "10 min"), (1800, "30 min"), (3600, "1 h"), (36_000, "10 h"),
)  # fmt: skip
#: How an answer is drawn, and what that stands for.
LOOKS = {
    "point": gettext_lazy("used"),
    "excluded": gettext_lazy("left out"),
    "passed": gettext_lazy("check passed"),
    "failed": gettext_lazy("check failed"),
}


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
    timeline: Plane | None
    checks: tuple[CheckAnswer, ...]
    flags: QuerySet[QualityFlag]
    decisions: QuerySet[AnnotatorDecision]
    use_decisions: tuple[UseDecision, ...]
    given: int
    used: int
    is_paused: bool
    paid: AnnotatorDecision | None

    @property
    def looks(self) -> list[tuple[Mark, str]]:
        return [(KEYS[look], str(what)) for look, what in LOOKS.items()]


def person_page(campaign: Campaign, member: Membership) -> PersonPage:
    look = QualityLook.objects.filter(campaign=campaign).first()
    kept = {name: kept_of(look.found if look else {}, name) for name in SIGNALS}
    decisions = AnnotatorDecision.objects.filter(campaign=campaign, annotator=member.user_id).select_related("by")
    newest = {row.about: row for row in decisions}
    answers = list(_answers(campaign, member))
    study = [row for row in answers if row.assignment.campaign_unit.purpose == CampaignUnit.Purpose.STUDY]
    work, about = newest.get(AnnotatorDecision.About.WORK), AnnotatorDecision.About.PAY
    return PersonPage(
        cells=cells_of(member, columns_of(SIGNALS.values(), kept), kept, open_flags(campaign)),
        timeline=_timeline(answers),
        checks=tuple(_checks(answers)),
        flags=member.quality_flags.select_related("by").order_by("-pk"),
        decisions=decisions.order_by("-pk"),
        use_decisions=tuple(_use_decisions(campaign, member)),
        given=len(study),
        used=sum(not row.assignment.excluded for row in study),
        is_paused=work is not None and not work.yes,
        paid=newest.get(about),
    )


def _answers(campaign: Campaign, member: Membership) -> QuerySet[Annotation]:
    """Standing answers with what was said to checks, in the order in which they came."""
    mine = Annotation.objects.filter(
        assignment__campaign=campaign, assignment__annotator=member.user_id, superseded_by=None
    ).exclude(assignment__campaign_unit__purpose__in=BEFORE_FIRST_UNIT)
    rows = mine.select_related("assignment__campaign_unit__unit").defer("listening").order_by("pk")
    of_checks = Answer.objects.exclude(annotation__assignment__campaign_unit__expected={})
    return rows.prefetch_related(Prefetch("answers", of_checks, to_attr="to_checks"))


def _timeline(answers: list[Annotation]) -> Plane | None:
    """The last answers by how long each took."""
    if not answers:
        return None
    shown = [Timed(*_took(row)) for row in answers[-MOST_DOTS:]]
    return timeline(shown, GRID, x_title=_("Answers in the order in which they came"), y_title=_("Time taken"))


def _took(row: Annotation) -> tuple[float, str, str]:
    seconds = (row.recorded_at - row.shown_at).total_seconds()
    when = date_format(localtime(row.recorded_at), "H:i:s")
    kind = _kind(row)
    return seconds, kind, f"{when} · {number_format(seconds, 1)} s · {LOOKS[kind]}"


def _kind(row: Annotation) -> str:
    if (check := _check(row)) is not None:
        return "passed" if check.passed else "failed"
    return "excluded" if row.assignment.excluded else "point"


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
