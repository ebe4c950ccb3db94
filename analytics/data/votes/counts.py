"""Votes counted ahead: kept for each pair of systems and answer, and brought up to date from the changes of votes.

Changes are added in folds. A fold marks every change that it can see and that none has marked before, and adds up
what it has marked, in one transaction and one at a time; so a change that commits late is in a later fold, and none
is in two or in none. Whoever counts adds what no fold has yet.
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from analytics.models import VoteCount, VoteFold
from annotation.answers.vote_log import note_again, unnoted
from annotation.models import Annotation, VoteChange
from campaigns.models import Campaign

Key = tuple[Any, ...]

_CELL = ("aspect", "excluded", "category", "a", "b", "first", "value")
#: What is told of a cell: both systems, the slot presented first, the answer, and how many there are.
_TOLD = ("a", "b", "first", "value", "category", "excluded", "n", "changes")


@dataclass(frozen=True)
class Cell:
    """So many votes of one answer about two systems in one order, from so many changes."""

    a: int
    b: int
    first: str
    value: str
    n: int
    changes: int


def folded(campaign: Campaign) -> int:
    """Bring the kept counts up to date; return the fold that they are at, which changes with the votes."""
    if VoteChange.objects.filter(campaign=campaign, fold=None).exists():
        return _fold(campaign)
    return VoteFold.objects.filter(campaign=campaign).values_list("last", flat=True).first() or 0


def cells(campaign: Campaign, aspect: str, *, category: str = "", with_excluded: bool = False) -> list[Cell]:
    """What the votes on an aspect are, at this moment, in one statement however many there are."""
    where: dict[str, Any] = {"campaign": campaign, "aspect": aspect}
    where |= {"category": category} if category else {}
    where |= {} if with_excluded else {"excluded": False}
    kept = VoteCount.objects.filter(**where).values_list(*_TOLD)
    rows = kept.union(_sums(VoteChange.objects.filter(**where, fold=None)).values_list(*_TOLD), all=True)
    found: dict[tuple[Any, ...], list[int]] = {}
    for a, b, first, value, _category, _excluded, n, changes in rows:
        cell = found.setdefault((a, b, first, value), [0, 0])
        cell[0] += n
        cell[1] += changes
    return [Cell(*key, *sums) for key, sums in sorted(found.items())]


@dataclass(frozen=True)
class Repaired:
    """What was not as the answers say: votes whose change nobody wrote down, and counts that were no sums."""

    votes: int
    counts: int

    def __bool__(self) -> bool:
        return bool(self.votes or self.counts)


def repair(campaign: Campaign) -> Repaired:
    """Write down what was not, and count everything anew."""
    noted = sum(note_again(some) for some in unnoted(campaign))
    folded(campaign)
    return Repaired(noted, _count_anew(campaign))


def faults(campaign: Campaign) -> Repaired:
    """What `repair` would find, and nothing is repaired. Looked at twice, for votes may come while it looks."""
    suspected = {pk for some in unnoted(campaign) for pk in some}
    if suspected:
        suspected &= {pk for some in unnoted(campaign) for pk in some}
    folded(campaign)
    with transaction.atomic():
        _held(campaign)
        return Repaired(len(suspected), len(_wrong(campaign)))


def campaigns_with_answers() -> QuerySet[Campaign]:
    answered = Annotation.objects.filter(assignment__campaign=OuterRef("pk"))
    return Campaign.objects.filter(Exists(answered)).order_by("pk")


@transaction.atomic
def _fold(campaign: Campaign) -> int:
    held = _held(campaign)
    # Not the next number: one that was rolled back would come again, and stand for other votes.
    number = held.last + 1 + secrets.randbelow(2**32)
    unmarked = VoteChange.objects.filter(campaign=campaign, fold=None).values("pk")
    if not VoteChange.objects.filter(pk__in=unmarked).update(fold=number):
        return held.last
    _add(campaign, _sums(VoteChange.objects.filter(campaign=campaign, fold=number)))
    VoteFold.objects.filter(pk=held.pk).update(last=number)
    return number


def _held(campaign: Campaign) -> VoteFold:
    VoteFold.objects.get_or_create(campaign=campaign)
    return VoteFold.objects.select_for_update().get(campaign=campaign)


def _sums(changes: QuerySet[VoteChange]) -> QuerySet[VoteChange, Any]:
    sums: QuerySet[VoteChange, Any] = changes.order_by().values(*_CELL).annotate(n=Sum("change"), changes=Count("pk"))
    return sums


def _add(campaign: Campaign, sums: Iterable[dict[str, Any]]) -> None:
    come = {_key(it): it for it in sums}
    among = {f"{name}__in": {it[name] for it in come.values()} for name in ("aspect", "category", "a", "b")}
    there = VoteCount.objects.filter(campaign=campaign, **among).values(*_CELL, "n", "changes")
    before = {_key(it): it for it in there}
    nothing = {"n": 0, "changes": 0}
    _write(
        campaign,
        {key: it | {name: it[name] + before.get(key, nothing)[name] for name in nothing} for key, it in come.items()},
    )


def _write(campaign: Campaign, cells_: Mapping[Key, dict[str, Any]]) -> None:
    VoteCount.objects.bulk_create(
        (VoteCount(campaign=campaign, **it) for it in cells_.values()),
        update_conflicts=True,
        unique_fields=["campaign", *_CELL],
        update_fields=["n", "changes"],
        batch_size=500,
    )


@transaction.atomic
def _count_anew(campaign: Campaign) -> int:
    _held(campaign)
    wrong = _wrong(campaign)
    _write(campaign, wrong)
    return len(wrong)


def _wrong(campaign: Campaign) -> dict[Key, dict[str, Any]]:
    """The cells that are not the sums of their changes, as they should be."""
    due = {_key(it): it for it in _sums(VoteChange.objects.filter(campaign=campaign, fold__isnull=False))}
    kept = {_key(it): it for it in VoteCount.objects.filter(campaign=campaign).values(*_CELL, "n", "changes")}
    nothing = {key: it | {"n": 0, "changes": 0} for key, it in kept.items()}
    return {key: it for key, it in (nothing | due).items() if it != kept.get(key)}


def _key(cell: Mapping[str, Any]) -> Key:
    return tuple(cell[name] for name in _CELL)
