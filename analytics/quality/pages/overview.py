"""The page of a campaign's quality: everybody × every signal, and what became of the answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, Subquery

from analytics.models import QualityLook
from analytics.quality.flags import open_flags
from analytics.quality.signals import SIGNALS, Signal
from analytics.quality.snapshots import Kept, kept_of
from annotation.assignment.next_unit import paused_annotators
from annotation.models import Assignment, Reason, UseDecision
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from charts.axes import Axis, holding
from charts.marks import Mark, parts, strip, strip_axis

#: The ends of the strips, which reach further where a value does: shares go from 0 to 1, ratios a little beyond what
#: is usual.
SCALES = {"share": (0.0, 1.0), "ratio": (-0.5, 1.5)}


@dataclass(frozen=True)
class Column:
    """A signal with the axis on which all annotators are drawn."""

    signal: Signal
    axis: Axis


@dataclass(frozen=True)
class Cell:
    """What one signal says of one annotator, or nothing, and whether it has spoken up and not been taken back."""

    column: Column
    kept: Kept | None
    strip: Mark | None
    is_flagged: bool

    @property
    def signal(self) -> Signal:
        return self.column.signal


@dataclass(frozen=True)
class AnnotatorRow:
    member: Membership
    n: int
    is_paused: bool
    cells: tuple[Cell, ...]

    @property
    def n_flags(self) -> int:
        return sum(cell.is_flagged for cell in self.cells)


@dataclass(frozen=True)
class Step:
    """A part of the answers, as a share in percent of all that were given."""

    label: str
    n: int
    percent: float


@dataclass(frozen=True)
class Overview:
    """`columns` are of the signals that say something; `silent` had nothing to go by."""

    look: QualityLook | None
    columns: tuple[Column, ...]
    silent: tuple[Signal, ...]
    rows: tuple[AnnotatorRow, ...]
    given: int
    used: int
    left_out: tuple[Step, ...]
    checks: int

    @property
    def mark(self) -> str:
        """Changes when the page has something new to show."""
        paused = sum(row.is_paused for row in self.rows)
        when = self.look.made_at.isoformat() if self.look and self.look.made_at else ""
        return f"{when} {self.given} {self.used} {len(self.rows)} {paused}"

    @property
    def used_percent(self) -> float:
        return 100 * self.used / self.given if self.given else 0.0

    @property
    def funnel(self) -> Mark:
        """What is used, and what is left out, as parts of all that were given."""
        return parts((self.used, 0, self.given - self.used))


def overview(campaign: Campaign, *, sort: str = "") -> Overview:
    """As the last look found it; in the order of a signal, of the answers (`n`), or of the flags."""
    look = QualityLook.objects.filter(campaign=campaign).first()
    kept = {name: kept_of(look.found if look else {}, name) for name in SIGNALS}
    speaking = columns_of(filter(lambda it: _says_something(kept[it.name]), SIGNALS.values()), kept)
    members = list(campaign.memberships.filter(role=Role.ANNOTATOR, answers_withdrawn_at=None).order_by("pk"))
    counts, flagged, paused = _counts(campaign), open_flags(campaign), paused_annotators(campaign)
    rows = [
        AnnotatorRow(
            member,
            counts.get(member.user_id, 0),
            member.user_id in paused,
            cells_of(member, speaking, kept, flagged),
        )
        for member in members
    ]
    given, used, checks = _totals(campaign)
    return Overview(
        look=look if look and look.made_at else None,
        columns=speaking,
        silent=tuple(it for it in SIGNALS.values() if not _says_something(kept[it.name])),
        rows=tuple(_sorted(rows, sort, kept)),
        given=given,
        used=used,
        left_out=tuple(_left_out(campaign, given)),
        checks=checks,
    )


def columns_of(signals: Iterable[Signal], kept: Mapping[str, Mapping[int, Kept]]) -> tuple[Column, ...]:
    """Each signal with an axis that has every value, interval and limit."""
    return tuple(Column(it, _axis(it, kept[it.name].values())) for it in signals)


def _axis(signal: Signal, found: Iterable[Kept]) -> Axis:
    values = [value for it in found for value in (it.value, it.low, it.high, it.tolerated)]
    return strip_axis(*holding(*SCALES[signal.unit], values))


def _says_something(found: Mapping[int, Kept]) -> bool:
    return any(it.value is not None for it in found.values())


def cells_of(
    member: Membership,
    columns: Iterable[Column],
    kept: Mapping[str, Mapping[int, Kept]],
    flagged: set[tuple[int, str]],
) -> tuple[Cell, ...]:
    return tuple(_cell(it, member, kept[it.signal.name], (member.pk, it.signal.name) in flagged) for it in columns)


def _cell(column: Column, member: Membership, kept: Mapping[int, Kept], is_flagged: bool) -> Cell:
    mine = kept.get(member.pk)
    if mine is None or mine.value is None:
        return Cell(column, mine, None, is_flagged)
    others = [one.value for pk, one in kept.items() if pk != member.pk and one.value is not None]
    drawn = strip(
        column.axis,
        mine.value,
        others,
        tolerated=mine.tolerated,
        interval=(mine.low, mine.high),
        flagged=is_flagged,
    )
    return Cell(column, mine, drawn, is_flagged)


def _sorted(rows: list[AnnotatorRow], sort: str, kept: Mapping[str, Mapping[int, Kept]]) -> list[AnnotatorRow]:
    """The worst first; who has no value comes last."""
    if sort == "n":
        return sorted(rows, key=lambda row: -row.n)
    if sort not in SIGNALS:
        return sorted(rows, key=lambda row: -row.n_flags)
    sign = 1 if SIGNALS[sort].low_is_bad else -1

    def badness(row: AnnotatorRow) -> tuple[bool, float]:
        value = kept[sort][row.member.pk].value if row.member.pk in kept[sort] else None
        return (value is None, sign * (value or 0.0))

    return sorted(rows, key=badness)


def _counts(campaign: Campaign) -> dict[int, int]:
    """Everything that each annotator answered, checks included."""
    answered = campaign.assignments.filter(status=Assignment.Status.ANSWERED).order_by()
    return dict(answered.values_list("annotator").annotate(n=Count("pk")))


def _totals(campaign: Campaign) -> tuple[int, int, int]:
    study = Q(campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    answered = campaign.assignments.filter(status=Assignment.Status.ANSWERED)
    n = answered.aggregate(
        given=Count("pk", study), used=Count("pk", study & Q(excluded=False)), checks=Count("pk", ~study)
    )
    return n["given"], n["used"], n["checks"]


def _left_out(campaign: Campaign, given: int) -> Iterable[Step]:
    """By the reason of the last decision about each answer."""
    last = UseDecision.objects.filter(assignment=OuterRef("pk")).order_by("-pk").values("reason")[:1]
    excluded = campaign.assignments.filter(
        excluded=True, status=Assignment.Status.ANSWERED, campaign_unit__purpose=CampaignUnit.Purpose.STUDY
    )
    counts = excluded.annotate(why=Subquery(last)).order_by().values_list("why").annotate(n=Count("pk"))
    for why, n in sorted(counts, key=lambda row: -row[1]):
        yield Step(str(Reason(why).label), n, 100 * n / given)
