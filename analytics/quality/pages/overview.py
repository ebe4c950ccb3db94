"""The page of a campaign's quality: everybody × every signal, and what became of the answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, OuterRef, Q, Subquery

from analytics.models import QualityFlag, QualityLook
from analytics.quality.signals import SIGNALS, Signal
from analytics.quality.snapshots import Kept, kept_of
from annotation.assignment.next_unit import paused_annotators
from annotation.models import Assignment, Reason, UseDecision
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from infrastructure.inline_charts import Strip, strip

#: The scales of the strips: shares go from 0 to 1, ratios a little beyond what is usual.
SCALES = {"share": (0.0, 1.0), "ratio": (-0.5, 1.5)}


@dataclass(frozen=True)
class Cell:
    """What one signal says of one annotator, or nothing, and whether it has spoken up and not been taken back."""

    signal: Signal
    kept: Kept | None
    strip: Strip | None
    is_flagged: bool


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
    """`signals` are those that say something; `silent` had nothing to go by."""

    look: QualityLook | None
    signals: tuple[Signal, ...]
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


def overview(campaign: Campaign, *, sort: str = "") -> Overview:
    """As the last look found it; in the order of a signal, of the answers (`n`), or of the flags."""
    look = QualityLook.objects.filter(campaign=campaign).first()
    kept = {name: kept_of(look.found if look else {}, name) for name in SIGNALS}
    speaking = tuple(s for s in SIGNALS.values() if any(k.value is not None for k in kept[s.name].values()))
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
        signals=speaking,
        silent=tuple(signal for signal in SIGNALS.values() if signal not in speaking),
        rows=tuple(_sorted(rows, sort, kept)),
        given=given,
        used=used,
        left_out=tuple(_left_out(campaign, given)),
        checks=checks,
    )


def cells_of(
    member: Membership,
    signals: Iterable[Signal],
    kept: Mapping[str, Mapping[int, Kept]],
    flagged: set[tuple[int, str]],
) -> tuple[Cell, ...]:
    return tuple(
        Cell(s, kept[s.name].get(member.pk), _strip(s, member, kept[s.name]), (member.pk, s.name) in flagged)
        for s in signals
    )


def open_flags(campaign: Campaign) -> set[tuple[int, str]]:
    """Membership and signal wherever the last word of the signal is that it spoke up."""
    said = (
        QualityFlag.objects.filter(membership__campaign=campaign).exclude(event=QualityFlag.Event.LIFTED).order_by()
    )
    newest = said.values("membership", "signal").annotate(newest=Max("pk")).values("newest")
    crossed = QualityFlag.objects.filter(pk__in=newest, event=QualityFlag.Event.CROSSED)
    return set(crossed.values_list("membership", "signal"))


def _strip(signal: Signal, member: Membership, kept: Mapping[int, Kept]) -> Strip | None:
    mine = kept.get(member.pk)
    if mine is None or mine.value is None:
        return None
    lowest, highest = SCALES[signal.unit]
    others = [one.value for pk, one in kept.items() if pk != member.pk and one.value is not None]
    return strip(
        mine.value, others, tolerated=mine.tolerated, interval=(mine.low, mine.high), lowest=lowest, highest=highest
    )


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
