"""Which part of the queue an address asks for, and in which order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

from accounts.models import User
from analytics.review.queue import Queue, QueuedUnit, ReviewUnits, Sign, Work
from annotation.models import Assignment
from campaigns.access import Right, names_are_hidden, rights_in
from campaigns.models import Campaign, Membership, Role
from campaigns.people.members import withdrawn_memberships
from corpus.models import Turn, Unit
from infrastructure.whole_numbers import row_id

STATES = ("open", "done", "all")
SIZES = ("25", "50", "100")
LEAST_APART = ("0", "25", "50", "75", "100")
KINDS = ("study", "control")
#: Asks for every unit, with a reason to look at it or without.
EVERY = "every"
_LONGEST_SEARCH = 200
#: By the name of an order: what a unit is sorted by. Each goes both ways.
ORDERS: dict[str, Callable[[QueuedUnit], Any]] = {
    "apart": lambda unit: unit.apart.distance if unit.apart else -1.0,
    "unit": lambda unit: unit.number,
    "item": lambda unit: (unit.row.item.casefold(), unit.number),
    "answers": lambda unit: unit.n_used,
    "marks": lambda unit: unit.marks,
}


@dataclass(frozen=True)
class Wanted:
    """One sign or (without) any; what is still to do, done, or both; and what else narrows the queue down.

    In the place of a sign stands what reviewers have done, or `every`: these look at all units, in the queue or not.
    `annotator` is a membership whose answers there are.
    `order` is a name of ORDERS, with `-` before it from the largest on; empty, the queue stays as it is.
    """

    sign: str = ""
    state: str = "open"
    q: str = ""
    aspect: str = ""
    apart: str = "0"
    by: str = ""
    annotator: str = ""
    units: str = "study"
    order: str = ""
    size: str = "25"

    @property
    def query(self) -> str:
        """The address that asks for it, without defaults."""
        return urlencode({name: value for name, value in self._said() if value != getattr(_NOTHING, name)})

    @property
    def in_every_state(self) -> "Wanted":
        """The same, whether reviewed or not: of these, progress is counted."""
        return replace(self, state="all")

    @property
    def is_narrowed(self) -> bool:
        """Whether it is more than a state, an order and a size."""
        return replace(self, state="open", order="", size="25") != _NOTHING

    @property
    def looks_at_all(self) -> bool:
        """Whether units count that are not in the queue."""
        return self.sign == EVERY or self.sign in list(Work)

    def has(self, unit: QueuedUnit) -> bool:
        """Whether the unit is wanted; what is searched for is not looked at."""
        return (
            (self.state == "all" or unit.reviewed == (self.state == "done"))
            and (self.sign in {"", EVERY} or self.sign in unit.signs or self.sign in unit.work)
            and (not self.aspect or (unit.apart is not None and unit.apart.aspect == self.aspect))
            and (self.apart == "0" or (unit.percent_apart or 0) >= int(self.apart))
            and (not self.by or str(unit.reviewer) == self.by)
        )

    def _said(self) -> list[tuple[str, str]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


_NOTHING = Wanted()
_KNOWN: dict[str, Iterable[str]] = {
    "sign": [EVERY, *Sign, *Work], "state": STATES, "apart": LEAST_APART, "units": KINDS, "size": SIZES,
    "order": [sign + name for name in ORDERS for sign in ("", "-")],
}  # fmt: skip


def read_wanted(address: Mapping[str, str]) -> Wanted:
    """What an address asks for; words that mean nothing are passed over."""
    said = {field.name: address.get(field.name, "").strip()[:_LONGEST_SEARCH] for field in fields(Wanted)}
    return Wanted(**{name: word for name, word in said.items() if word and word in _KNOWN.get(name, [word])})


def wanted_units(
    campaign: Campaign,
    units: ReviewUnits,
    wanted: Wanted,
    reviewer: User,
    *,
    control: bool | None = None,
    along_with: int | None = None,
) -> Queue:
    """The units that are wanted; `along_with` names one that comes in any case, if it is among those looked at.

    Without `control` the address says whether units of the study or control units are meant.
    """
    among = units.every if wanted.looks_at_all else units.queue
    queue = among(control=wanted.units == "control" if control is None else control)
    found, annotator = _found(campaign, wanted.q, reviewer), _annotator(campaign, wanted.annotator)
    there = [
        it
        for it in queue
        if it.pk == along_with
        or (wanted.has(it) and (found is None or found(it)) and (annotator is None or annotator in it.annotators))
    ]
    if name := wanted.order.removeprefix("-"):
        there.sort(key=ORDERS[name], reverse=wanted.order.startswith("-"))
    return tuple(there)


def may_search_systems(campaign: Campaign, reviewer: User) -> bool:
    """Reviewers do not know who speaks, and those who run the study do unless names are hidden."""
    return Right.MANAGE in rights_in(campaign, reviewer) and not names_are_hidden(campaign)


def _found(campaign: Campaign, search: str, reviewer: User) -> Callable[[QueuedUnit], bool] | None:
    """Whether a unit is found by its item's key or text, an annotator who answered it, or a system."""
    if not search:
        return None
    asked = Turn.objects.filter(item__dataset=campaign.dataset_id, text__icontains=search)
    items = set(asked.values_list("item", flat=True))
    answered, spoken = _answered_by(campaign, search), set[int]()
    if may_search_systems(campaign, reviewer):
        named = Q(a__system__name__icontains=search) | Q(b__system__name__icontains=search)
        named |= Q(members__response__system__name__icontains=search)
        units = Unit.objects.filter(named, dataset=campaign.dataset_id)
        spoken = set(units.order_by().values_list("pk", flat=True))
    key = search.casefold()
    return lambda unit: (
        key in unit.row.item.casefold() or unit.row.item_id in items or unit.pk in answered or unit.row.unit in spoken
    )


def annotators(campaign: Campaign) -> QuerySet[Membership]:
    """Those who did not withdraw, by their pseudonyms."""
    people = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return people.exclude(pk__in=withdrawn_memberships().values("pk")).order_by("pseudonym")


def annotator_in(campaign: Campaign, membership: str) -> User | None:
    """The annotator with this membership; None where there is none."""
    found = annotators(campaign).filter(pk=row_id(membership)).select_related("user").first()
    return found.user if found else None


def _annotator(campaign: Campaign, membership: str) -> int | None:
    """None for no filter, and 0, which no account has, for a membership that is not there."""
    if not membership:
        return None
    found = annotator_in(campaign, membership)
    return found.pk if found else 0


def _answered_by(campaign: Campaign, search: str) -> set[int]:
    """The units of the campaign that annotators with such a pseudonym answered."""
    people = annotators(campaign).filter(pseudonym__icontains=search).order_by()
    rows = Assignment.objects.filter(campaign=campaign, annotator__in=people.values("user"))
    rows = rows.filter(status=Assignment.Status.ANSWERED).order_by()
    return set(rows.values_list("campaign_unit", flat=True))
