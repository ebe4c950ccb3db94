"""Label sets as rows: imported labels and a campaign's own answers, in one shape."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Min

from annotation.models import Annotation, DefectMark
from campaigns.members import withdrawn_memberships
from campaigns.models import Campaign, CampaignUnit, Label, LabelSet, Membership, Response, Role, Unit


@dataclass(frozen=True)
class Labelled:
    """The label of one aspect, of the unit or (with a slot) of one of its responses, in the stored frame."""

    aspect: str
    value: str
    slot: str = ""
    acceptable_a: bool | None = None
    acceptable_b: bool | None = None


@dataclass(frozen=True)
class LabelledUnit:
    """One rater's labels of one unit; order, times, notes and listening only where people answered.

    `revision` is 1 for a first answer and more where it superseded an earlier one. `marks` and `listening` are in
    the stored frame, as plain data (annotation.hearing.heard_so_far).
    """

    unit: Unit
    rater: str
    labels: tuple[Labelled, ...]
    order: str = ""
    shown_at: datetime | None = None
    recorded_at: datetime | None = None
    revision: int | None = None
    confidence: int | None = None
    flag: str = ""
    marks: tuple[dict[str, Any], ...] = ()
    listening: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""

    @property
    def responses(self) -> dict[str, Response]:
        """The unit's responses by slot."""
        sides = {"a": self.unit.a, "b": self.unit.b}
        sides |= {member.slot: member.response for member in self.unit.members.all()}
        return {slot: response for slot, response in sides.items() if response}


def imported_labels(label_set: LabelSet) -> Iterator[LabelledUnit]:
    """The units of an imported label set in the order of the import."""
    by_unit: dict[int, list[Labelled]] = {}
    for unit_id, aspect, value in (
        Label.objects.filter(label_set=label_set).order_by("pk").values_list("unit_id", "aspect", "value")
    ):
        by_unit.setdefault(unit_id, []).append(Labelled(aspect, value))
    units = _units(by_unit)
    for unit_id, labels in sorted(by_unit.items()):
        yield LabelledUnit(units[unit_id], label_set.rater, tuple(labels))


def campaign_labels(campaign: Campaign, *, with_excluded: bool = False) -> Iterator[LabelledUnit]:
    """The standing annotations of a campaign, in the order in which they were recorded.

    Those that were left out of the analysis come only with `with_excluded`; those that were withdrawn, and answers
    to checks, never do.
    """
    pseudonyms = dict(
        Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("user_id", "pseudonym")
    )
    rows = (
        Annotation.objects.filter(
            assignment__campaign=campaign,
            assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY,
            assignment__excluded__in=[False, with_excluded],
            superseded_by=None,
        )
        .exclude(assignment__annotator__in=withdrawn_memberships().filter(campaign=campaign).values("user"))
        .select_related("assignment__campaign_unit")
        .prefetch_related("answers", "marks")
        .order_by("pk")
    )
    revisions = _revisions(campaign)
    units = _units(row.assignment.campaign_unit.unit_id for row in rows)
    for row in rows:
        yield LabelledUnit(
            unit=units[row.assignment.campaign_unit.unit_id],
            rater=pseudonyms[row.assignment.annotator_id],
            labels=tuple(
                Labelled(a.aspect, a.value, a.slot, a.acceptable_a, a.acceptable_b) for a in row.answers.all()
            ),
            order=row.assignment.order,
            shown_at=row.shown_at,
            recorded_at=row.recorded_at,
            revision=revisions[row.assignment_id],
            confidence=row.confidence,
            flag=row.flag,
            marks=tuple(_mark(mark) for mark in row.marks.all()),
            listening=row.listening,
            language=row.language,
        )


def _revisions(campaign: Campaign) -> dict[UUID, int]:
    """How many annotations each assignment has."""
    rows = Annotation.objects.filter(assignment__campaign=campaign).values_list("assignment")
    return dict(rows.annotate(n=Count("pk")).order_by())


def _mark(mark: DefectMark) -> dict[str, Any]:
    return {
        "slot": mark.slot or "prompt",
        "turn": mark.turn,
        "start": mark.start_s,
        "end": mark.end_s,
        "kind": mark.kind,
    }


def label_counts(label_set: LabelSet) -> dict[str, Counter[str]]:
    """How often each label was given, by aspect in the order of the source (TRACE/HCoT Table 6)."""
    counts: dict[str, Counter[str]] = {}
    rows = label_set.labels.values("aspect", "value").annotate(n=Count("pk"), first=Min("pk")).order_by("first")
    for row in rows:
        counts.setdefault(row["aspect"], Counter())[row["value"]] = row["n"]
    return counts


def _units(ids: Iterable[int]) -> dict[int, Unit]:
    rows = Unit.objects.filter(pk__in=set(ids)).select_related("item", "a__system", "b__system")
    rows = rows.prefetch_related("item__turns", "a__turns", "b__turns", "members__response__system")
    return {unit.pk: unit for unit in rows}
