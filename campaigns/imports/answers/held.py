"""What a dataset holds already, by the words of a table of answers, in a fixed number of queries."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from campaigns.imports.answers.plan import AnnotationKey, AnswerKey
from campaigns.models import Dataset, ImportedAnnotation, Item, Label, LabelSet, Response, Unit, UnitMember
from campaigns.tidy.rows import Given, Origin, Rater, TidyAnswer

#: item key, system name
Answered = tuple[str, str]
#: the columns of an annotation that are the fields of what was given, as they are
GIVEN = (
    "order", "shown_at", "recorded_at", "revision", "confidence", "flag", "listening", "language", "excluded",
    "excluded_by", "expected", "propensity",
)  # fmt: skip


@dataclass
class HeldUnit:
    """A unit with its responses (their ids) by slot."""

    pk: int
    kind: str
    item: str
    slots: dict[str, int]


@dataclass(frozen=True)
class HeldAnnotation:
    given: Given
    answers: dict[AnswerKey, TidyAnswer]


@dataclass(frozen=True)
class Held:
    """Items by key; takes (their ids by key) by what they answer; units by key."""

    items: dict[str, Item]
    takes: dict[Answered, dict[str, int]]
    units: dict[str, HeldUnit]


@dataclass
class HeldLabels:
    """The label sets of one name: their origins, whether some are no answers, and the annotations in them."""

    sets: dict[Rater, LabelSet] = field(default_factory=dict)
    other_labels: bool = False
    annotations: dict[AnnotationKey, HeldAnnotation] = field(default_factory=dict)

    @property
    def origins(self) -> set[Origin]:
        return {origin_of(row) for row in self.sets.values()}


def held_in(dataset: Dataset) -> Held:
    items = {item.key: item for item in dataset.items.all()}
    responses = Response.objects.filter(item__dataset=dataset)
    takes: dict[Answered, dict[str, int]] = {}
    for pk, item, system, take in responses.values_list("pk", "item__key", "system__name", "key"):
        takes.setdefault((item, system), {})[take] = pk
    return Held(items, takes, _units(dataset))


def held_labels(dataset: Dataset, name: str) -> HeldLabels:
    sets = LabelSet.objects.filter(dataset=dataset, name=name)
    held = HeldLabels({(row.rater, row.purpose): row for row in sets})
    rows = ImportedAnnotation.objects.filter(label_set__in=sets)
    columns = ("label_set__rater", "label_set__purpose", "unit__key", "marks", *GIVEN)
    for rater, purpose, unit, marks, *given in rows.values_list(*columns):
        said = Given(rater, marks=tuple(marks), purpose=purpose, **dict(zip(GIVEN, given, strict=True)))
        held.annotations[said.rater, unit] = HeldAnnotation(said, {})
    for key, answer in _answers(sets):
        if key in held.annotations:
            held.annotations[key].answers[answer.aspect, answer.slot] = answer
        else:
            held.other_labels = True
    return held


def origin_of(labels: LabelSet) -> Origin:
    return Origin(labels.from_campaign, labels.protocol, labels.protocol_digest)


def _units(dataset: Dataset) -> dict[str, HeldUnit]:
    rows = Unit.objects.filter(dataset=dataset).values_list("pk", "key", "kind", "item__key", "a", "b")
    found = {
        pk: (key, HeldUnit(pk, kind, item, {slot: side for slot, side in (("a", a), ("b", b)) if side}))
        for pk, key, kind, item, a, b in rows
    }
    members = UnitMember.objects.filter(unit__dataset=dataset).order_by("slot")
    for unit, slot, response in members.values_list("unit", "slot", "response"):
        found[unit][1].slots[slot] = response
    return dict(found.values())


def _answers(sets: Any) -> Iterator[tuple[AnnotationKey, TidyAnswer]]:
    whose = ("label_set__rater", "label_set__purpose", "unit__key")
    said = ("aspect", "slot", "value", "acceptable_a", "acceptable_b")
    for rater, purpose, unit, *answer in Label.objects.filter(label_set__in=sets).values_list(*whose, *said):
        yield ((rater, purpose), unit), TidyAnswer(*answer)
