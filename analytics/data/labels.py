"""Label sets as rows: imported labels and a campaign's own answers, in one shape."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Count, F, Min, Prefetch, Q, QuerySet

from analytics.data.inclusion import USED, Use, answers_in, standing_use_decisions
from annotation.models import Annotation, Answer, DefectMark, UseDecision
from annotation.review.adjudication import RATER, standing_adjudications
from campaigns.models import (
    Campaign,
    ImportedAnnotation,
    Label,
    LabelSet,
    Membership,
    Response,
    Role,
    Unit,
)

#: What a value looks like that was chosen, and not written.
CHOICE = re.compile(r"-?[0-9]{1,3}|[a-z][a-z_]{0,19}")

#: So many annotations are in memory at a time.
CHUNK = 1_000
Key = TypeVar("Key")


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
    """One rater's labels of one unit; order, times, notes and listening only where the source says them.

    `revision` is 1 for a first answer and more where it superseded an earlier one. `marks` and `listening` are in
    the stored frame, as plain data (annotation.listening.reports.heard_so_far). `purpose` is what the unit was there
    for; `expected` has what passes of a check. `excluded` is why the answers are left out, and `excluded_by` says
    whether a `person` or a `rule` did so; both are empty where they are used. `propensity` is the chance with which
    an arena drew the pair.
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
    purpose: str = ""
    excluded: str = ""
    excluded_by: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    propensity: float | None = None

    @property
    def responses(self) -> dict[str, Response]:
        """The unit's responses by slot."""
        sides = {"a": self.unit.a, "b": self.unit.b}
        sides |= {member.slot: member.response for member in self.unit.members.all()}
        return {slot: response for slot, response in sides.items() if response}


def imported_labels(*label_sets: LabelSet, use: Use = USED) -> Iterator[LabelledUnit]:
    """The units of imported label sets: answers in the order of their table, other labels in that of the units."""
    label_sets = tuple(row for row in label_sets if use.checks or not row.is_of_checks)
    raters: dict[int, dict[str, Any]] = {row.pk: {"rater": row.rater, "purpose": row.purpose} for row in label_sets}
    annotated = ImportedAnnotation.objects.filter(label_set__in=raters)
    places = {key: place for place, key in enumerate(annotated.order_by("pk").values_list("label_set", "unit"))}
    keys = Label.objects.filter(label_set__in=raters).order_by().values_list("label_set", "unit").distinct()
    for chunk in in_chunks(sorted(keys, key=lambda key: (places.get(key, -1), key[1], key[0]))):
        yield from _imported(chunk, raters, use)


def _imported(keys: list[tuple[int, int]], raters: dict[int, dict[str, Any]], use: Use) -> Iterator[LabelledUnit]:
    """The labels of these label sets and units, in this order."""
    by_label_set: dict[int, list[int]] = {}
    for label_set, unit in keys:
        by_label_set.setdefault(label_set, []).append(unit)
    wanted = Q()
    for label_set, of_units in by_label_set.items():
        wanted |= Q(label_set=label_set, unit__in=of_units)
    annotations = {(row.label_set_id, row.unit_id): row for row in ImportedAnnotation.objects.filter(wanted)}
    labels = _labels_by_unit(wanted)
    units = units_by_id(unit for _, unit in keys)
    for key in keys:
        said = annotations.get(key)
        if said and said.excluded and not use.excluded:
            continue
        yield LabelledUnit(
            units[key[1]], labels=tuple(labels[key]), **raters[key[0]], **(_as_annotated(said) if said else {})
        )


def _labels_by_unit(wanted: Q) -> dict[tuple[int, int], list[Labelled]]:
    """The labels by label set and unit, as they came."""
    columns = ("label_set", "unit", "aspect", "value", "slot", "acceptable_a", "acceptable_b")
    found: dict[tuple[int, int], list[Labelled]] = {}
    for label_set, unit, *said in Label.objects.filter(wanted).order_by("pk").values_list(*columns):
        found.setdefault((label_set, unit), []).append(Labelled(*said))
    return found


def _as_annotated(row: ImportedAnnotation) -> dict[str, Any]:
    return {
        "order": row.order,
        "shown_at": row.shown_at,
        "recorded_at": row.recorded_at,
        "revision": row.revision,
        "confidence": row.confidence,
        "flag": row.flag,
        "marks": tuple(row.marks),
        "listening": row.listening,
        "language": row.language,
        "excluded": row.excluded,
        "excluded_by": row.excluded_by,
        "expected": row.expected,
        "propensity": row.propensity,
    }


def campaign_labels(campaign: Campaign, use: Use = USED) -> Iterator[LabelledUnit]:
    """The standing annotations of a campaign, in the order in which they were recorded.

    Those that were left out of the analysis, answers to checks, and at the end what reviewers adjudicated, come only
    where `use` asks for them; what was withdrawn never does.
    """
    pseudonyms = dict(
        Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list("user_id", "pseudonym")
    )
    for ids in in_chunks(list(answers_in(campaign, use).values_list("pk", flat=True))):
        yield from _annotated(campaign, ids, pseudonyms, with_reasons=use.excluded)
    if use.adjudicated:
        yield from adjudicated_labels(campaign)


def _annotated(
    campaign: Campaign, ids: list[int], pseudonyms: Mapping[int, str], *, with_reasons: bool
) -> Iterator[LabelledUnit]:
    """These annotations, in this order. They are never edited, so that nothing changes between two chunks."""
    rows = list(
        Annotation.objects.filter(pk__in=ids)
        .order_by("pk")
        .select_related("assignment__campaign_unit")
        .annotate(propensity=F("assignment__draw__propensity"))
        .prefetch_related(Prefetch("answers", Answer.objects.order_by("pk")), "marks")
    )
    assignments = [row.assignment_id for row in rows]
    left_out = _left_out(campaign, assignments) if with_reasons else {}
    revisions = _revisions(assignments)
    units = units_by_id(row.assignment.campaign_unit.unit_id for row in rows)
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
            purpose=row.assignment.campaign_unit.purpose,
            expected=row.assignment.campaign_unit.expected,
            propensity=row.propensity,
            **left_out.get(row.assignment_id, {}),
        )


def in_chunks(ids: Sequence[Key], size: int | None = None) -> Iterator[list[Key]]:
    """So many at a time, a thousand unless it is said.

    An open cursor would do, too, but hold a view of SQLite from which the same connection could not write any more.
    """
    step = size or CHUNK
    for start in range(0, len(ids), step):
        yield list(ids[start : start + step])


def adjudicated_labels(campaign: Campaign) -> Iterator[LabelledUnit]:
    """What reviewers answered and stands, as a rater of its own. It says when, and not who."""
    rows = list(standing_adjudications(campaign).select_related("campaign_unit").prefetch_related("answers"))
    units = units_by_id(row.campaign_unit.unit_id for row in rows)
    for row in rows:
        yield LabelledUnit(
            unit=units[row.campaign_unit.unit_id],
            rater=RATER,
            labels=tuple(
                Labelled(a.aspect, a.value, a.slot, a.acceptable_a, a.acceptable_b) for a in row.answers.all()
            ),
            order=row.order,
            recorded_at=row.made_at,
            purpose=row.campaign_unit.purpose,
        )


def _left_out(campaign: Campaign, assignments: list[UUID]) -> dict[UUID, dict[str, str]]:
    """Why each answer is left out, and whether by a person or a rule."""
    rows = standing_use_decisions(campaign).filter(use=False, assignment__in=assignments)
    return {row.assignment_id: {"excluded": row.reason, "excluded_by": _whose(row)} for row in rows}


def _whose(decision: UseDecision) -> str:
    return "rule" if decision.rule else "person"


def _revisions(assignments: list[UUID]) -> dict[UUID, int]:
    """How many annotations each assignment has."""
    rows = Annotation.objects.filter(assignment__in=assignments).values_list("assignment")
    return dict(rows.annotate(n=Count("pk")).order_by())


def _mark(mark: DefectMark) -> dict[str, Any]:
    return {
        "slot": mark.slot or "prompt",
        "turn": mark.turn,
        "start": mark.start_s,
        "end": mark.end_s,
        "kind": mark.kind,
    }


def label_counts(label_set: LabelSet, use: Use = USED) -> dict[str, Counter[str]]:
    """How often each label was given, by aspect in the order of the source (TRACE/HCoT Table 6)."""
    rows = label_set.labels.all()
    return _counted(rows if use.excluded else rows.exclude(unit__in=left_out_of(label_set).values("unit")))


def left_out_of(label_set: LabelSet) -> QuerySet[ImportedAnnotation]:
    """The annotations of an imported label set that were left out of the analysis where it comes from."""
    return label_set.annotations.exclude(excluded="")


def campaign_label_counts(campaign: Campaign, use: Use = USED) -> dict[str, Counter[str]]:
    """How often each label was given in a campaign, by aspect, in the stored frame."""
    return _counted(Answer.objects.filter(annotation__in=answers_in(campaign, use).order_by().values("pk")))


def _counted(rows: QuerySet[Label] | QuerySet[Answer]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for row in rows.values("aspect", "value").annotate(n=Count("pk"), first=Min("pk")).order_by("first"):
        counts.setdefault(row["aspect"], Counter())[row["value"]] = row["n"]
    return counts


def is_of_pairs(label_set: LabelSet) -> bool:
    return not label_set.labels.exclude(unit__kind=Unit.Kind.PAIR).exists()


def choices(counts: Mapping[str, Iterable[str]]) -> list[str]:
    """The values that were chosen, typed ties first; an aspect answered in words of one's own adds none."""
    chosen = {value for values in counts.values() if all(map(CHOICE.fullmatch, values)) for value in values}
    ties = [value for value in ("a", "b", "both_good", "both_bad", "tie") if value in chosen]
    numbers = sorted((value for value in chosen if value.lstrip("-").isdecimal()), key=int)
    return ties + numbers + sorted(chosen.difference(ties, numbers))


def units_by_id(ids: Iterable[int]) -> dict[int, Unit]:
    """The units with everything that an export says of them."""
    rows = Unit.objects.filter(pk__in=set(ids)).select_related("item", "a__system", "b__system")
    rows = rows.prefetch_related("item__turns", "a__turns", "b__turns", "members__response__system")
    return {unit.pk: unit for unit in rows}
