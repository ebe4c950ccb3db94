"""What people, imported tables and judges said, read from rows in one place.

`Said` is one answer: what arrays are made of, and cheap. `Record` is everything that one rater said of one unit, with
the unit and its responses: what files are made of. Both come as streams, in the same order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Value

from analytics.data.inclusion import USED, Use, answers_in, standing_use_decisions
from annotation.models import Annotation, Answer, DefectMark
from annotation.review.adjudication import RATER, standing_adjudications
from campaigns.models import Campaign, Membership, Role
from corpus.models import ImportedAnnotation, Label, LabelSet, Response, Unit
from corpus.tidy.given import FIELDS, MARK, Given, restored
from corpus.tidy.rows import TidyAnswer
from judges.models import Run, Verdict, VerdictAnswer

#: So many annotations or verdicts are in memory at a time.
CHUNK = 1_000
Key = TypeVar("Key")
#: The answers about each unit of a campaign and slot.
ByPlace = dict[tuple[int, str], list[str]]
#: Where the fields of `Given` are, seen from an annotation and from a verdict; other tables have the rest.
_OF_PERSON = {name: it.annotation for name, it in FIELDS.items() if it.annotation}
_OF_JUDGE = {name: it.verdict for name, it in FIELDS.items() if it.verdict}
_WHOSE = ("assignment", "assignment__annotator", "assignment__campaign_unit__unit")
_ANSWER = ("aspect", "slot", "value", "acceptable_a", "acceptable_b")


class Said(NamedTuple):
    """One answer of one rater to one aspect, of the unit or (with a slot) of a response, in the stored frame.

    `rater` is the id of a person, of an imported label set or of a judge's run; `source` is that of the annotation,
    or the verdict, and grows with the time at which it came. `order` is empty where nobody knows it.
    """

    rater: int
    unit: int
    order: str
    source: int
    aspect: str
    slot: str
    value: str
    sample: int = 0


@dataclass(frozen=True)
class Record:
    """What one rater said of one unit: `given` is what the answers have in common, `verdict` is there for judges.

    Records of people have `given.annotator`, those of judges have not. `given.excluded` says why the answers are left
    out of the analysis, and is empty where they are used.
    """

    unit: Unit
    given: Given
    answers: tuple[TidyAnswer, ...]
    verdict: Verdict | None = None

    @property
    def is_of_study(self) -> bool:
        """Whether it is no answer to a check."""
        return self.given.purpose in ("", "study")


def responses_of(unit: Unit) -> dict[str, Response]:
    """A unit's responses by slot."""
    sides = {"a": unit.a, "b": unit.b} | {member.slot: member.response for member in unit.members.all()}
    return {slot: response for slot, response in sides.items() if response}


def said_by_people(annotations: QuerySet[Annotation], only: Q | None = None) -> Iterator[Said]:
    """The answers of these annotations, in the order in which they were recorded."""
    annotations = annotations.order_by()
    columns = ("pk", "assignment__annotator", "assignment__campaign_unit__unit", "assignment__order")
    about = {source: (rater, unit, order) for source, rater, unit, order in annotations.values_list(*columns)}
    rows = Answer.objects.filter(only or Q(), annotation__in=annotations.values("pk")).order_by("pk")
    for source, aspect, slot, value in rows.values_list("annotation", "aspect", "slot", "value"):
        if source in about:  # what came between the two queries is for the next time
            yield Said(*about[source], source, aspect, slot, value)


def values_by_place(annotations: QuerySet[Annotation], only: Q | None = None) -> dict[str, ByPlace]:
    """By aspect, and by unit of the campaign and slot, every answer of these annotations; not whose it is."""
    rows = Answer.objects.filter(only or Q(), annotation__in=annotations.order_by().values("pk")).order_by("pk")
    columns = ("annotation__assignment__campaign_unit", "aspect", "slot", "value")
    found: dict[str, ByPlace] = {}
    for unit, aspect, slot, value in rows.values_list(*columns):
        found.setdefault(aspect, {}).setdefault((unit, slot), []).append(value)
    return found


def values_by_annotation(annotations: QuerySet[Annotation], only: Q | None = None) -> dict[int, dict[str, str]]:
    """By annotation, its values by aspect, or by `aspect.slot` where they are about a response."""
    rows = Answer.objects.filter(only or Q(), annotation__in=annotations.order_by().values("pk"))
    found: dict[int, dict[str, str]] = {}
    for annotation, aspect, slot, value in rows.values_list("annotation", "aspect", "slot", "value"):
        found.setdefault(annotation, {})[f"{aspect}.{slot}" if slot else aspect] = value
    return found


def pseudonyms(campaign: Campaign) -> dict[int, str]:
    """Those of its annotators, by user."""
    rows = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return dict(rows.values_list("user_id", "pseudonym"))


def said_in_labels(labels: QuerySet[Label], *, with_excluded: bool = False) -> Iterator[Said]:
    """Imported labels, in the order of their table; with those that were left out, or without."""
    rows = labels if with_excluded else labels.filter(annotation__excluded="")
    columns = ("annotation__label_set", "annotation__unit", "annotation__order", "annotation")
    return map(Said._make, rows.order_by("pk").values_list(*columns, "aspect", "slot", "value", Value(0)))


def said_by_judges(runs: Iterable[int], only: Q | None = None) -> Iterator[Said]:
    """The answers in the verdicts of these runs, as they came."""
    columns = ("run", "unit", "order", "pk")
    rows = VerdictAnswer.objects.filter(only or Q(), verdict__run__in=runs)
    said = rows.values_list(*(f"verdict__{it}" for it in columns), "aspect", "slot", "value", "verdict__sample")
    return map(Said._make, said)


def campaign_labels(campaign: Campaign, use: Use = USED) -> Iterator[Record]:
    """The standing annotations of a campaign, in the order in which they were recorded.

    Those that were left out of the analysis, answers to checks, and at the end what reviewers adjudicated, come only
    where `use` asks for them; what was withdrawn never does.
    """
    names = pseudonyms(campaign)
    for ids in in_chunks(list(answers_in(campaign, use).values_list("pk", flat=True))):
        yield from _annotated(campaign, ids, names, with_reasons=use.excluded)
    if use.adjudicated:
        yield from adjudicated_labels(campaign)


def _annotated(
    campaign: Campaign, ids: list[int], names: Mapping[int, str], *, with_reasons: bool
) -> Iterator[Record]:
    """These annotations, in this order. They are never edited, so that nothing changes between two chunks."""
    chosen = Annotation.objects.filter(pk__in=ids).order_by("pk")
    rows = list(chosen.values_list("pk", *_WHOSE, *_OF_PERSON.values()))
    answers = _answers(Answer.objects.filter(annotation__in=ids).order_by("pk").values_list("annotation", *_ANSWER))
    assignments = [assignment for _pk, assignment, *_told in rows]
    left_out = _left_out(campaign, assignments) if with_reasons else {}
    revisions, marks = _revisions(assignments), _marks(ids)
    units = units_by_id(unit for _pk, _assignment, _user, unit, *_told in rows)
    for pk, assignment, user, unit, *told in rows:
        given = Given(
            names[user],
            revision=revisions[assignment],
            marks=marks.get(pk, ()),
            **dict(zip(_OF_PERSON, told, strict=True)),
            **left_out.get(assignment, {}),
        )
        yield Record(units[unit], given, answers.get(pk, ()))


def adjudicated_labels(campaign: Campaign) -> Iterator[Record]:
    """What reviewers answered and stands, as a rater of its own. It says when, and not who."""
    rows = list(standing_adjudications(campaign).select_related("campaign_unit").prefetch_related("answers"))
    units = units_by_id(row.campaign_unit.unit_id for row in rows)
    for row in rows:
        given = Given(RATER, order=row.order, recorded_at=row.made_at, purpose=row.campaign_unit.purpose)
        answers = (TidyAnswer(*(getattr(it, name) for name in _ANSWER)) for it in row.answers.all())
        yield Record(units[row.campaign_unit.unit_id], given, tuple(answers))


def imported_labels(*label_sets: LabelSet, use: Use = USED) -> Iterator[Record]:
    """The units of imported label sets: answers in the order of their table, other labels in that of the units."""
    raters = {row.pk: row for row in label_sets if use.checks or not row.is_of_checks}
    rows = ImportedAnnotation.objects.filter(label_set__in=raters)
    rows = rows if use.excluded else rows.filter(excluded="")
    places = sorted(
        (pk, 0, 0, pk) if raters[label_set].is_table else (0, unit, label_set, pk)
        for pk, label_set, unit in rows.values_list("pk", "label_set", "unit")
    )
    for ids in in_chunks([pk for *_place, pk in places]):
        yield from _imported(ids, raters)


def _imported(ids: list[int], raters: Mapping[int, LabelSet]) -> Iterator[Record]:
    """These imported annotations, in this order."""
    rows = ImportedAnnotation.objects.in_bulk(ids)
    answers = _answers(Label.objects.filter(annotation__in=ids).order_by("pk").values_list("annotation", *_ANSWER))
    units = units_by_id(row.unit_id for row in rows.values())
    for row in (rows[pk] for pk in ids):
        rater = raters[row.label_set_id]
        given = restored(rater.rater, rater.purpose, row.order, row.excluded, row.given)
        yield Record(units[row.unit_id], given, answers.get(row.pk, ()))


def verdicts_said(campaign: Campaign) -> QuerySet[Verdict]:
    """What judges said of clean audio, run by run, with and without an answer; what is still to do is not there."""
    runs = Run.objects.filter(campaign=campaign, perturbation__isnull=True)
    return Verdict.objects.filter(run__in=runs).exclude(status=Verdict.Status.WAITING).order_by("run_id", "pk")


def judged_labels(campaign: Campaign) -> Iterator[Record]:
    """Those verdicts as records; one that is missing has no answers."""
    for ids in in_chunks(list(verdicts_said(campaign).values_list("pk", flat=True))):
        rows = list(Verdict.objects.filter(pk__in=ids).order_by("run_id", "pk").select_related("run__judge"))
        said = VerdictAnswer.objects.filter(verdict__in=ids).order_by("pk")
        answers = _answers(said.values_list("verdict", "aspect", "slot", "value"))
        units = units_by_id(row.unit_id for row in rows)
        for row in rows:
            told = {name: getattr(row, path) for name, path in _OF_JUDGE.items()}
            given = Given("", purpose="study", **told)
            yield Record(units[row.unit_id], given, answers.get(row.pk, ()), row)


def _answers(rows: Iterable[Sequence[Any]]) -> dict[Any, tuple[TidyAnswer, ...]]:
    """Answers by the first column, whose they are."""
    found: dict[Any, list[TidyAnswer]] = {}
    for whose, *answer in rows:
        found.setdefault(whose, []).append(TidyAnswer(*answer))
    return {whose: tuple(answers) for whose, answers in found.items()}


def in_chunks(ids: Sequence[Key], size: int | None = None) -> Iterator[list[Key]]:
    """So many at a time, a thousand unless it is said.

    An open cursor would do, too, but hold a view of SQLite from which the same connection could not write any more.
    """
    step = size or CHUNK
    for start in range(0, len(ids), step):
        yield list(ids[start : start + step])


def _left_out(campaign: Campaign, assignments: list[UUID]) -> dict[UUID, dict[str, Any]]:
    """Why each answer is left out, and whether by a person or a rule."""
    rows = standing_use_decisions(campaign).filter(use=False, assignment__in=assignments)
    return {
        row.assignment_id: {"excluded": row.reason, "excluded_by": "rule" if row.rule else "person"} for row in rows
    }


def _revisions(assignments: list[UUID]) -> dict[UUID, int]:
    """How many annotations each assignment has."""
    rows = Annotation.objects.filter(assignment__in=assignments).values_list("assignment")
    return dict(rows.annotate(n=Count("pk")).order_by())


def _marks(annotations: list[int]) -> dict[int, tuple[dict[str, object], ...]]:
    """The defects that were marked with each annotation."""
    found: dict[int, tuple[dict[str, object], ...]] = {}
    rows = DefectMark.objects.filter(annotation__in=annotations).order_by("pk")
    for pk, slot, *rest in rows.values_list("annotation", "slot", "turn", "start_s", "end_s", "kind"):
        found[pk] = (*found.get(pk, ()), dict(zip(MARK, (slot or "prompt", *rest), strict=True)))
    return found


def units_by_id(ids: Iterable[int]) -> dict[int, Unit]:
    """The units with everything that an export says of them."""
    rows = Unit.objects.filter(pk__in=set(ids)).select_related("item", "a__system", "b__system")
    rows = rows.prefetch_related("item__turns", "a__turns", "b__turns", "members__response__system")
    return {unit.pk: unit for unit in rows}
