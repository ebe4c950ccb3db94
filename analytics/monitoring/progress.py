"""How a campaign goes at this moment: each figure with the number of answers or units it is of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from analytics.data.inclusion import left_out_by_reason
from analytics.monitoring.forecast import SLOTS, Finish, finish_of
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships

HOURS = 24
HOUR = timedelta(hours=1)
SLOT = timedelta(minutes=10)
AT_WORK = timedelta(minutes=10)


@dataclass(frozen=True)
class HourOfAnswers:
    """The answers of one hour that began at `begins`."""

    begins: datetime
    n: int


@dataclass(frozen=True)
class Coverage:
    """How many units have 0, 1, … used answers; the last step holds those with the target or more."""

    steps: tuple[tuple[int, int], ...]
    target: int

    @property
    def units(self) -> int:
        return sum(n for _, n in self.steps)

    @property
    def complete(self) -> int:
        return dict(self.steps).get(self.target, 0)


@dataclass(frozen=True)
class Exclusions:
    """Of `answered` units of an annotator, those left out of the analysis, by reason."""

    answered: int
    excluded: int
    withdrawn: int
    by_reason: tuple[tuple[str, int], ...]

    @property
    def percent(self) -> float | None:
        return 100 * self.excluded / self.answered if self.answered else None


@dataclass(frozen=True)
class Pulse:
    """`used` answers of `wanted` are there."""

    at: datetime
    hours: tuple[HourOfAnswers, ...]
    coverage: Coverage
    at_work: int
    today: int
    exclusions: Exclusions
    used: int
    wanted: int
    finish: Finish

    @property
    def most(self) -> int:
        return max((hour.n for hour in self.hours), default=0)

    @property
    def last_day(self) -> int:
        return sum(hour.n for hour in self.hours)


def pulse(campaign: Campaign) -> Pulse:
    """In eight queries at most, however much was answered."""
    now = timezone.now()
    withdrawn = set(withdrawn_memberships().filter(campaign=campaign).values_list("user_id", flat=True))
    counts = _assignments(campaign, now, withdrawn)
    coverage = _coverage(campaign, withdrawn)
    hours, slots = _hours_and_slots(campaign, now)
    missing = sum((campaign.answers_per_unit - n) * units for n, units in coverage.steps)
    return Pulse(
        at=now,
        hours=hours,
        coverage=coverage,
        at_work=counts["n_at_work"],
        today=counts["n_today"],
        exclusions=Exclusions(
            counts["n_answered"], counts["n_excluded"], counts["n_withdrawn"], left_out_by_reason(campaign)
        ),
        used=counts["n_used"],
        wanted=coverage.units * campaign.answers_per_unit,
        finish=finish_of(missing, slots=slots, slot=SLOT, now=now),
    )


def _study(campaign: Campaign) -> QuerySet[Assignment]:
    return Assignment.objects.filter(campaign=campaign, campaign_unit__purpose=CampaignUnit.Purpose.STUDY)


def _assignments(campaign: Campaign, now: datetime, withdrawn: set[int]) -> Mapping[str, int]:
    answered = Q(status=Assignment.Status.ANSWERED)
    theirs = Q(annotator__in=withdrawn)
    study = Q(campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    people = Assignment.objects.filter(campaign=campaign).exclude(status=Assignment.Status.PLANNED)
    counts: Mapping[str, int] = people.aggregate(
        n_at_work=Count("annotator", distinct=True, filter=_moved_since(now - AT_WORK)),
        n_today=Count("annotator", distinct=True, filter=_moved_since(midnight)),
        n_answered=Count("pk", filter=study & answered & ~theirs),
        n_excluded=Count("pk", filter=study & answered & ~theirs & Q(excluded=True)),
        n_withdrawn=Count("pk", filter=study & answered & theirs),
        n_used=Count("pk", filter=study & answered & ~theirs & Q(excluded=False)),
    )
    return counts


def _moved_since(moment: datetime) -> Q:
    return Q(reserved_at__gte=moment) | Q(shown_at__gte=moment) | Q(reopened_at__gte=moment)


def _coverage(campaign: Campaign, withdrawn: set[int]) -> Coverage:
    """Units by their used answers. More than the target counts as the target."""
    target = campaign.answers_per_unit
    used = _study(campaign).filter(status=Assignment.Status.ANSWERED, excluded=False)
    used = used.exclude(annotator__in=withdrawn)
    per_unit = used.values("campaign_unit").annotate(n=Count("pk")).order_by().values_list("n", flat=True)
    found = Counter(min(n, target) for n in per_unit)
    units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()
    found[0] = units - found.total()
    return Coverage(tuple((n, found[n]) for n in range(target + 1)), target)


def _hours_and_slots(campaign: Campaign, now: datetime) -> tuple[tuple[HourOfAnswers, ...], list[int]]:
    """First answers of the last day by the hour, and of the last hours by ten minutes, the latest last.

    Hours that are long over are counted once. Slots reach as far back as the campaign goes.
    """
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    hours = [this_hour - n * HOUR for n in reversed(range(HOURS))]
    slots = [now - (n + 1) * SLOT for n in reversed(range(SLOTS))]
    slots = [begins for begins in slots if begins >= (campaign.opened_at or begins)]
    key = f"hours-{campaign.pk}-{this_hour.timestamp():.0f}"
    over: list[int] | None = cache.get(key)
    if over is None:
        (over,) = _counts(campaign, (hours[:-2], HOUR))
        cache.set(key, over, 3600)
    fresh, in_slots = _counts(campaign, (hours[-2:], HOUR), (slots, SLOT))
    return tuple(HourOfAnswers(begins, n) for begins, n in zip(hours, over + fresh, strict=True)), in_slots


def _counts(campaign: Campaign, *wanted: tuple[list[datetime], timedelta]) -> list[list[int]]:
    """How many first answers were recorded in each stretch of time, for rows of stretches that follow each other.

    One pass for all of them: an answer is put between the two moments, of all at which a stretch begins or ends,
    between which it was recorded. The latest are asked about first, since most answers that matter are recent.
    """
    moments = sorted({at for begins, lasts in wanted for one in begins for at in (one, one + lasts)})
    between = [When(recorded_at__gte=at, then=Value(place)) for place, at in reversed(list(enumerate(moments)))]
    rows = Annotation.objects.filter(assignment__campaign=campaign, supersedes=None)
    rows = rows.filter(recorded_at__gte=moments[0], recorded_at__lt=moments[-1])
    rows = rows.filter(assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    placed = rows.annotate(place=Case(*between, output_field=IntegerField())).order_by().values_list("place")
    n_from = {moments[place]: n for place, n in placed.annotate(n=Count("pk"))}
    return [
        [sum(n for at, n in n_from.items() if one <= at < one + lasts) for one in begins] for begins, lasts in wanted
    ]
