"""Which units of a campaign should be reviewed, and in which order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import cache

from analytics.data.labels import ByPlace
from analytics.review.disagreement import FarApart, far_apart
from analytics.review.unit_facts import Kept, UnitFacts, UnitRow, kept_facts
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Unit
from measurements.identity_leaks.scans import latest_scan
from measurements.identity_leaks.units import units_with_leaks
from measurements.models import IdentityScan

#: From here on answers are said to disagree: half as far apart as the scale of an aspect allows.
FAR = 0.5
#: Given back so often for such a reason, a unit is suspected, and not its annotators.
OFTEN = 2
#: How long the number of units to review is kept for the navigation (s).
KEPT_S = 24 * 3600
SUSPICIOUS_RETURNS = ("does_not_play", "cannot_judge")
STUDY = str(CampaignUnit.Purpose.STUDY)


class Sign(StrEnum):
    """Why a unit is in the queue."""

    APART = "apart"
    FLAG = "flag"
    DEFECT = "defect"
    RETURNED = "returned"
    WAITING = "waiting"
    IDENTITY_LEAK = "identity-leak"


class Work(StrEnum):
    """What reviewers have done about a unit."""

    LEFT_OUT = "left-out"
    ADJUDICATED = "adjudicated"
    COMMENTED = "commented"


@dataclass(frozen=True)
class QueuedUnit:
    """A unit with what speaks for looking at it. `reviewer` is who marked it last, by the id of their account.

    `annotators` are those whose answers there are, by the ids of their accounts.
    """

    row: UnitRow
    n_used: int
    apart: FarApart | None
    marks: int
    signs: tuple[Sign, ...]
    reviewed: bool
    reviewer: int | None
    work: tuple[Work, ...] = ()
    annotators: frozenset[int] = frozenset()

    @property
    def is_queued(self) -> bool:
        """Whether it is in the queue: for a reason, or because it was."""
        return bool(self.signs) or self.reviewed

    @property
    def pk(self) -> int:
        return self.row.pk

    @property
    def number(self) -> int:
        """It counts the campaign's units of the study, or its control units, from 1."""
        return self.row.number

    @property
    def is_control(self) -> bool:
        return self.row.purpose != STUDY

    @property
    def percent_apart(self) -> int | None:
        return None if self.apart is None else round(100 * self.apart.distance)


Queue = tuple[QueuedUnit, ...]


@dataclass(frozen=True)
class ReviewUnits:
    """The units of the study, and its control units: all of them, and those that are in the queue.

    Answers furthest apart come first, among equals most flags and marks, then as they come in the campaign.
    """

    study: Queue
    control: Queue
    queued_study: Queue
    queued_control: Queue

    def every(self, *, control: bool = False) -> Queue:
        return self.control if control else self.study

    def queue(self, *, control: bool = False) -> Queue:
        """Those that have a sign or were reviewed."""
        return self.queued_control if control else self.queued_study


def review_units(campaign: Campaign) -> ReviewUnits:
    """What there is to review. The number of queries does not depend on the number of units."""
    kept = kept_facts(campaign)
    scan = latest_scan(campaign.dataset)
    returned = _returned(campaign)
    stamp = (kept.version, scan and scan.pk, tuple(sorted(returned.items())), _asked(campaign))
    if kept.assembled is None or kept.assembled[0] != stamp:
        ranked = _ranked(campaign, kept, scan, returned)
        study, control = (tuple(it for it in ranked if it.is_control == wanted) for wanted in (False, True))
        queued = (tuple(it for it in them if it.is_queued) for them in (study, control))
        kept.assembled = (stamp, ReviewUnits(study, control, *queued))
    units: ReviewUnits = kept.assembled[1]
    cache.set(_to_do(campaign), sum(not unit.reviewed for unit in units.queued_study), KEPT_S)
    return units


def review_queue(campaign: Campaign, *, control: bool = False) -> Queue:
    """Every unit of the study (or control unit) that has a sign or was reviewed."""
    return review_units(campaign).queue(control=control)


def n_to_review(campaign: Campaign) -> int:
    """How many units waited when the queue was last looked at; 0 where nobody has lately. Takes no query."""
    n: int = cache.get(_to_do(campaign), 0)
    return n


def _to_do(campaign: Campaign) -> str:
    return f"units-to-review-{campaign.pk}"


def n_reviewed(queue: Iterable[QueuedUnit]) -> int:
    return sum(unit.reviewed for unit in queue)


def n_by_sign(queue: Iterable[QueuedUnit]) -> Counter[Sign]:
    return Counter(sign for unit in queue for sign in unit.signs)


def n_by_work(units: Iterable[QueuedUnit]) -> Counter[Work]:
    return Counter(work for unit in units for work in unit.work)


def neighbours(units: Sequence[QueuedUnit], unit: int) -> tuple[int | None, int | None]:
    """The units before and after this one among these, which go round."""
    there = [unit.row.pk for unit in units]
    at = there.index(unit) if unit in there else -1
    others = there[at + 1 :] + there[: max(at, 0)]
    return (others[-1], others[0]) if others else (None, None)


def _ranked(campaign: Campaign, kept: Kept, scan: IdentityScan | None, returned: Counter[int]) -> list[QueuedUnit]:
    apart = _far_apart(campaign, kept)
    leaky = units_with_leaks(scan, Unit.objects.filter(pk__in=campaign.campaign_units.values("unit")))
    asked, nothing = _asked(campaign), UnitFacts()
    found = []
    for row in kept.rows:
        facts, far = kept.facts.get(row.pk, nothing), apart.get(row.pk)
        waits = facts.left_out > 0 and facts.used < asked and row.purpose == STUDY
        signs = _signs(facts, far, returned[row.pk], waits=waits, leaky=row.unit in leaky)
        reviewer = facts.review.by if facts.review else None
        found.append(
            QueuedUnit(
                row, facts.used, far, facts.flags + facts.defects, signs, facts.is_reviewed, reviewer,
                _work(facts), facts.annotators,
            )
        )  # fmt: skip
    return sorted(found, key=_rank)


def _work(facts: UnitFacts) -> tuple[Work, ...]:
    there = (
        (Work.LEFT_OUT, facts.left_out > 0),
        (Work.ADJUDICATED, facts.adjudicated),
        (Work.COMMENTED, facts.comments > 0),
    )
    return tuple(work for work, is_there in there if is_there)


def _signs(facts: UnitFacts, far: FarApart | None, returned: int, *, waits: bool, leaky: bool) -> tuple[Sign, ...]:
    there = (
        (Sign.APART, far is not None and far.distance >= FAR),
        (Sign.FLAG, facts.flags > 0),
        (Sign.DEFECT, facts.defects > 0),
        (Sign.RETURNED, returned >= OFTEN),
        (Sign.WAITING, waits),
        (Sign.IDENTITY_LEAK, leaky),
    )
    return tuple(sign for sign, is_there in there if is_there)


def _far_apart(campaign: Campaign, kept: Kept) -> dict[int, FarApart]:
    """Units of the study and control units by themselves: how often a value was used decides on ordinal distances."""
    found: dict[int, FarApart] = {}
    for is_study in (True, False):
        said: dict[str, ByPlace] = {}
        for row in kept.rows:
            if (row.purpose == STUDY) == is_study and (facts := kept.facts.get(row.pk)):
                for aspect, slot, value in facts.said:
                    said.setdefault(aspect, {}).setdefault((row.pk, slot), []).append(value)
        found |= far_apart(campaign.protocol, said)
    return found


def _rank(unit: QueuedUnit) -> tuple[float, int, int]:
    return -(unit.apart.distance if unit.apart else 0.0), -unit.marks, unit.number


def _asked(campaign: Campaign) -> int:
    """How many answers a unit still waits for at most."""
    return 0 if campaign.status == Campaign.Status.CLOSED else campaign.answers_per_unit


def _returned(campaign: Campaign) -> Counter[int]:
    """How often each unit was given back for a reason that speaks against the unit."""
    rows = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.RETURNED)
    rows = rows.filter(return_reason__in=SUSPICIOUS_RETURNS).order_by()
    return Counter(rows.values_list("campaign_unit", flat=True))
