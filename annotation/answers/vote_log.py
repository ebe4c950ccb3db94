"""The only writer of the log of votes: each action that changes a vote calls it at its end.

A vote is an answer about a pair of the study, of the unit as a whole, which was neither superseded nor withdrawn.
What is written is the difference between the votes as they are and as they were written down before, so no action has
to know what it changed, and noting the same twice writes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Sum, UUIDField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Length, Substr

from annotation.models import Annotation, Answer, Assignment, VoteChange
from annotation.models.votes import LONGEST
from campaigns.models import Campaign, CampaignUnit, Membership, Role
from campaigns.people.members import withdrawn_memberships
from infrastructure.compiled_queries import Given, Prepared

#: What a vote is, in the names of its columns; two votes that are the same in all of them are the same vote.
COLUMNS = (
    "campaign", "annotation", "aspect", "category", "unit", "item", "a", "b", "first", "value", "voter", "excluded",
)  # fmt: skip
#: So many annotations are looked through at a time where all of a campaign are.
AT_ONCE = 5_000

Row = tuple[Any, ...]


def note_votes(assignments: Iterable[UUID], *, first: bool = False) -> int:
    """Write down what changed in the votes of these assignments; return how many rows that took.

    To be called in the action's transaction, after its last change, with the assignments locked. With `first` nothing
    can have been written down about them before.
    """
    ids = list(assignments)
    if first and len(ids) == 1:
        return _append(Counter(_votes_of_one.rows(assignment=ids[0])), Counter())
    now = votes_as_they_are(annotation__assignment__in=ids)
    written = Counter[Row]() if first else votes_as_written(annotation__assignment__in=ids)
    return _append(now, written)


def votes_as_they_are(**where: Any) -> Counter[Row]:
    """The votes that follow from the answers."""
    return Counter(_votes().filter(**where))


@cache
def _votes() -> QuerySet[Answer, Row]:
    """All there are, as rows. Building the query takes several times as long as what it finds for one assignment."""
    assignment = "annotation__assignment__"
    unit = f"{assignment}campaign_unit__unit__"
    own = {"campaign": OuterRef(f"{assignment}campaign"), "user": OuterRef(f"{assignment}annotator")}
    members = Membership.objects.filter(**own, role=Role.ANNOTATOR).order_by().values("pk")
    votes = Answer.objects.annotate(length=Length("value")).filter(
        ~Exists(withdrawn_memberships().filter(**own)),
        slot="",
        length__lte=LONGEST,
        annotation__superseded_by=None,
        annotation__assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY,
        annotation__assignment__campaign_unit__unit__kind="pair",
    )
    columns: dict[str, str | Combinable] = {
        "campaign": f"{assignment}campaign",
        "category": f"{unit}item__category",
        "unit": f"{assignment}campaign_unit__unit",
        "item": f"{unit}item",
        "a": f"{unit}a__system",
        "b": f"{unit}b__system",
        "first": Substr(f"{assignment}order", 1, 1),
        "voter": Coalesce(Subquery(members), Value(0)),
        "excluded": f"{assignment}excluded",
    }
    return votes.values_list(*(columns.get(name, name) for name in COLUMNS))


_votes_of_one = Prepared(lambda: _votes().filter(annotation__assignment=Given("assignment", UUIDField())))


def votes_as_written(**where: Any) -> Counter[Row]:
    """The votes that the rows written so far add up to."""
    rows = VoteChange.objects.filter(**where).values_list(*COLUMNS).annotate(n=Sum("change")).exclude(n=0).order_by()
    return Counter({row[:-1]: row[-1] for row in rows})


def unnoted(campaign: Campaign) -> Iterator[list[UUID]]:
    """Assignments whose votes differ from the log, in batches: none, if every action called `note_votes`."""
    for some in _annotations(campaign):
        where = {"annotation__in": some}
        now, written = votes_as_they_are(**where), votes_as_written(**where)
        wrong = {row[COLUMNS.index("annotation")] for row in (now - written) + (written - now)}
        if wrong:
            found = Assignment.objects.filter(annotations__in=wrong).distinct()
            yield list(found.values_list("pk", flat=True))


@transaction.atomic
def note_again(assignments: list[UUID]) -> int:
    """Look at these assignments under lock, and write down what was not; return how many rows that took."""
    list(Assignment.objects.select_for_update().filter(pk__in=assignments).order_by("pk").values_list("pk"))
    return note_votes(assignments)


def _annotations(campaign: Campaign) -> Iterator[QuerySet[Annotation, Any]]:
    """Those of the campaign, some at a time: as ranges of keys, which cost one look each."""
    ours = Annotation.objects.filter(assignment__campaign=campaign).order_by("pk")
    last = 0
    while ends := list(ours.filter(pk__gt=last).values_list("pk", flat=True)[:AT_ONCE]):
        yield ours.filter(pk__gt=last, pk__lte=ends[-1]).order_by().values("pk")
        last = ends[-1]


def _append(now: Counter[Row], written: Counter[Row]) -> int:
    come, gone = now - written, written - now
    rows = [
        VoteChange(
            **{
                f"{name}_id" if name in {"campaign", "annotation"} else name: it
                for name, it in zip(COLUMNS, row, strict=True)
            },
            change=change,
        )
        for votes, change in ((gone, -1), (come, 1))
        for row in votes.elements()
    ]
    VoteChange.objects.bulk_create(rows, batch_size=AT_ONCE)
    return len(rows)
