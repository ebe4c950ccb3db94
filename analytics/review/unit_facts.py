"""What is known about the units of a campaign that a review needs, kept in the process and brought up to date.

A cache and no truth. Reading everything takes seconds in a campaign with 100,000 answers; afterwards only the units
are read again that were answered, decided about or reviewed since. The last rows are always read again, because the
transaction of a lower number may end after that of a higher one; and where the row that was read last is gone, its
transaction was rolled back and everything is read anew.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from django.db.models import Count, Manager, Max, Q, QuerySet, Value

from analytics.data.inclusion import Use, answers_in
from annotation.models import (
    Adjudication,
    Annotation,
    Answer,
    Assignment,
    DefectMark,
    ReviewComment,
    UnitReview,
    UseDecision,
)
from campaigns.models import Campaign, CampaignUnit

#: Campaigns that are kept at the same time, the ones asked for last.
MOST = 4
#: So many of the last rows of each table are read again.
OVERLAP = 100
#: Where more units than this changed, all are read: their ids would make a longer query than some databases take.
MOST_TOUCHED = 1000
PURPOSES = ("study", "gold", "identical", "repeat", "trap")
_USED, _ALL = Use(checks=True), Use(excluded=True, checks=True)
_COLUMNS = ("pk", "unit", "purpose", "unit__item", "unit__item__key", "unit__item__category")
#: The tables that grow when something changes, with the way to the campaign's unit and the time of a row.
_LOGS: tuple[tuple[Manager[Any], str, str], ...] = (
    (Annotation.objects, "assignment__campaign_unit", "recorded_at"),
    (UseDecision.objects, "assignment__campaign_unit", "made_at"),
    (UnitReview.objects, "campaign_unit", "made_at"),
    (ReviewComment.objects, "campaign_unit", "made_at"),
)
Last = tuple[int, datetime | None]


@dataclass(frozen=True)
class LastReview:
    """Who marked a unit as reviewed, or opened it again (`done` is false), and when."""

    made_at: datetime
    by: int
    done: bool


@dataclass(frozen=True)
class UnitFacts:
    """`said` are the used answers: aspect, slot and value. `used` and `left_out` count assignments.

    `annotators` are those whose answers there are, by the ids of their accounts.
    """

    said: tuple[tuple[str, str, str], ...] = ()
    used: int = 0
    left_out: int = 0
    flags: int = 0
    defects: int = 0
    answered_at: datetime | None = None
    review: LastReview | None = None
    annotators: frozenset[int] = frozenset()
    comments: int = 0
    adjudicated: bool = False

    @property
    def is_reviewed(self) -> bool:
        """Whether a reviewer was through with it, and no answer came later."""
        there, answered = self.review, self.answered_at
        return there is not None and there.done and (answered is None or there.made_at >= answered)


@dataclass(frozen=True)
class UnitRow:
    """A unit of the campaign, `number` counting those of the study from 1, and control units by themselves."""

    pk: int
    unit: int
    purpose: str
    number: int
    item_id: int
    item: str
    category: str


@dataclass
class Kept:
    """`version` is another one whenever something has changed; `assembled` is what the queue made of it."""

    rows: tuple[UnitRow, ...]
    facts: dict[int, UnitFacts]
    last: tuple[Last, ...]
    version: int = 0
    assembled: tuple[Any, ...] | None = None


_kept: OrderedDict[tuple[int, datetime], Kept] = OrderedDict()
_lock = Lock()


def kept_facts(campaign: Campaign) -> Kept:
    """Every unit of the campaign with what is known about it now."""
    key = (campaign.pk, campaign.created_at)
    with _lock:
        before = _kept.get(key)
        if before is None or len(before.rows) != _units(campaign).count() or not _is_known(before.last):
            newest = _newest()
            before = Kept(tuple(_read_rows(campaign)), _read_facts(campaign), newest)
        else:
            _bring_up_to_date(before, campaign)
        _kept[key] = before
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        return before


def _bring_up_to_date(kept: Kept, campaign: Campaign) -> None:
    newest, touched = _newest(), set[int]()
    for (rows, path, _at), (last, _when), (now_last, _now) in zip(_LOGS, kept.last, newest, strict=True):
        if now_last == 0:
            continue
        # Whose campaign it is is asked afterwards: else SQLite reads all rows of the campaign for the last hundred.
        later = rows.filter(pk__gt=last - OVERLAP).order_by().values_list(path, f"{path}__campaign")
        touched |= {unit for unit, of in later if of == campaign.pk}
    now = _read_facts(campaign, touched if len(touched) <= MOST_TOUCHED else None) if touched else {}
    for unit in touched:
        if (facts := now.get(unit, UnitFacts())) != kept.facts.get(unit, UnitFacts()):
            kept.facts[unit] = facts
            kept.version += 1
    kept.last = newest


def _newest() -> tuple[Last, ...]:
    """The last row of each log in the whole installation."""
    return tuple(rows.order_by("-pk").values_list("pk", at).first() or (0, None) for rows, _unit, at in _LOGS)


def _is_known(last: tuple[Last, ...]) -> bool:
    return all(
        pk == 0 or rows.filter(pk=pk, **{at: when}).exists()
        for (rows, _unit, at), (pk, when) in zip(_LOGS, last, strict=True)
    )


def _units(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose__in=PURPOSES)


def _read_rows(campaign: Campaign) -> Iterator[UnitRow]:
    numbers: Counter[bool] = Counter()
    for pk, unit, purpose, *item in _units(campaign).order_by("position").values_list(*_COLUMNS):
        numbers[purpose == "study"] += 1
        yield UnitRow(pk, unit, purpose, numbers[purpose == "study"], *item)


def _read_facts(campaign: Campaign, units: Collection[int] | None = None) -> dict[int, UnitFacts]:
    """Of these units, or of all. The number of queries does not depend on how many there are."""
    there = _about(answers_in(campaign, _ALL), "assignment__campaign_unit", units).order_by()
    used = _about(answers_in(campaign, _USED), "assignment__campaign_unit", units).order_by()
    said: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    answers = Answer.objects.filter(annotation__in=used.values("pk")).order_by("pk")
    columns = ("annotation__assignment__campaign_unit", "aspect", "slot", "value")
    for unit, aspect, slot, value in answers.values_list(*columns):
        said[unit].append((aspect, slot, value))
    flags: Counter[int] = Counter()
    answered_at: dict[int, datetime] = {}
    people: dict[int, set[int]] = defaultdict(set)
    columns = ("assignment__campaign_unit", "assignment__annotator", "flag", "recorded_at")
    for unit, annotator, flag, at in there.values_list(*columns):
        people[unit].add(annotator)
        flags[unit] += flag != ""
        answered_at[unit] = max(at, answered_at.get(unit, at))
    marks = _about(DefectMark.objects.all(), "annotation__assignment__campaign_unit", units)
    marks = marks.filter(annotation__in=there.values("pk"))
    defects = Counter(marks.order_by().values_list("annotation__assignment__campaign_unit", flat=True))
    held, reviews = _held(campaign, units), _last_reviews(campaign, units)
    comments, adjudicated = _noted(campaign, units)
    return {
        unit: UnitFacts(
            tuple(said.get(unit, ())), *held.get(unit, (0, 0)), flags[unit], defects[unit],
            answered_at.get(unit), reviews.get(unit), frozenset(people.get(unit, ())), comments[unit],
            unit in adjudicated,
        )
        for unit in {*held, *reviews, *answered_at, *comments, *adjudicated}
    }  # fmt: skip


def _held(campaign: Campaign, units: Collection[int] | None) -> dict[int, tuple[int, int]]:
    """How many answered assignments of a unit are used, and how many left out."""
    rows = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.ANSWERED).order_by()
    counted = _about(rows, "campaign_unit", units).values("campaign_unit")
    counted = counted.annotate(used=Count("pk", Q(excluded=False)), out=Count("pk", Q(excluded=True)))
    return {row["campaign_unit"]: (row["used"], row["out"]) for row in counted}


def _noted(campaign: Campaign, units: Collection[int] | None) -> tuple[Counter[int], set[int]]:
    """How many comments each unit has, and which units were adjudicated. In one query."""
    comments, adjudications = (
        _about(rows.filter(campaign_unit__campaign=campaign), "campaign_unit", units)
        .order_by()
        .values_list("campaign_unit", Value(is_comment))
        for rows, is_comment in ((ReviewComment.objects.all(), 1), (Adjudication.objects.all(), 0))
    )
    counted: Counter[int] = Counter()
    adjudicated = set[int]()
    for unit, is_comment in comments.union(adjudications, all=True):
        counted[unit] += is_comment
        if not is_comment:
            adjudicated.add(unit)
    return counted, adjudicated


def _last_reviews(campaign: Campaign, units: Collection[int] | None) -> dict[int, LastReview]:
    rows = _about(UnitReview.objects.filter(campaign_unit__campaign=campaign), "campaign_unit", units)
    newest = rows.order_by().values("campaign_unit").annotate(newest=Max("pk")).values("newest")
    found = UnitReview.objects.filter(pk__in=newest).order_by().values_list("campaign_unit", "made_at", "by", "done")
    return {unit: LastReview(made_at, by, done) for unit, made_at, by, done in found}


def _about(rows: QuerySet[Any], unit: str, units: Collection[int] | None) -> QuerySet[Any]:
    return rows if units is None else rows.filter(**{f"{unit}__in": units})
