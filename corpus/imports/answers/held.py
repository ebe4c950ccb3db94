"""What a dataset holds already, by the words of a table of answers, in a fixed number of queries."""

from dataclasses import dataclass, field

from corpus.imports.answers.plan import AnnotationKey, AnswerKey
from corpus.models import Dataset, ImportedAnnotation, Item, Label, LabelSet, Response, Unit, UnitMember
from corpus.tidy.given import STORED, Given, Rater, restored
from corpus.tidy.rows import Origin, TidyAnswer

#: item key, system name
Answered = tuple[str, str]


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
    held.other_labels = rows.filter(label_set__is_table=False).exists()
    rows, by_pk = rows.filter(label_set__is_table=True), {}
    for pk, unit, *told in rows.values_list("pk", "unit__key", *STORED):
        given = restored(*told)
        held.annotations[given.rater, unit] = by_pk[pk] = HeldAnnotation(given, {})
    columns = ("annotation", "aspect", "slot", "value", "acceptable_a", "acceptable_b")
    for pk, *answer in Label.objects.filter(annotation__in=rows.values("pk")).values_list(*columns):
        by_pk[pk].answers[answer[0], answer[1]] = TidyAnswer(*answer)
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
