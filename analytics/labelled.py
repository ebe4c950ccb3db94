"""Label sets as rows: imported labels and a campaign's own answers, in one shape."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from annotation.models import Answer
from campaigns.models import Campaign, Label, LabelSet, Membership, Role, Unit


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
    """One rater's labels of one unit; order and times only where people answered here.

    `systems` has the system's name by slot.
    """

    unit: Unit
    systems: dict[str, str]
    rater: str
    labels: tuple[Labelled, ...]
    order: str = ""
    shown_at: datetime | None = None
    recorded_at: datetime | None = None


def imported_labels(label_set: LabelSet) -> Iterator[LabelledUnit]:
    """The units of an imported label set in the order of the import."""
    by_unit: dict[int, list[Labelled]] = {}
    for unit_id, aspect, value in (
        Label.objects.filter(label_set=label_set).order_by("pk").values_list("unit_id", "aspect", "value")
    ):
        by_unit.setdefault(unit_id, []).append(Labelled(aspect, value))
    units = _units(by_unit)
    for unit_id, labels in sorted(by_unit.items()):
        unit = units[unit_id]
        yield LabelledUnit(unit, _systems(unit), label_set.rater, tuple(labels))


def campaign_labels(campaign: Campaign) -> Iterator[LabelledUnit]:
    """Every annotation of a campaign, in the order in which they were recorded."""
    pseudonyms = dict(
        Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("user_id", "pseudonym")
    )
    answers: dict[int, list[Answer]] = {}
    rows = Answer.objects.filter(annotation__assignment__campaign=campaign).order_by("annotation_id", "pk")
    for row in rows.select_related("annotation__assignment__campaign_unit"):
        answers.setdefault(row.annotation_id, []).append(row)
    units = _units(said[0].annotation.assignment.campaign_unit.unit_id for said in answers.values())
    for said in answers.values():
        annotation = said[0].annotation
        assignment = annotation.assignment
        unit = units[assignment.campaign_unit.unit_id]
        yield LabelledUnit(
            unit=unit,
            systems=_systems(unit),
            rater=pseudonyms[assignment.annotator_id],
            labels=tuple(Labelled(a.aspect, a.value, a.slot, a.acceptable_a, a.acceptable_b) for a in said),
            order=assignment.order,
            shown_at=annotation.shown_at,
            recorded_at=annotation.recorded_at,
        )


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


def _systems(unit: Unit) -> dict[str, str]:
    sides = {"a": unit.a, "b": unit.b} | {member.slot: member.response for member in unit.members.all()}
    return {slot: response.system.name for slot, response in sides.items() if response}
