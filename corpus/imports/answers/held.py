"""What a dataset holds already of what a table of answers is about, in a fixed number of queries."""

from dataclasses import dataclass, field

from corpus.imports.answers.plan import AnnotationKey, AnswerKey, AnswersPlan
from corpus.imports.checks.conflicts import named
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
    """The label sets of one name: their origins, whether some are no answers, and whether there are any annotations;
    sets of some raters, and annotations of some units.
    """

    sets: dict[Rater, LabelSet] = field(default_factory=dict)
    origins: set[Origin] = field(default_factory=set)
    other_labels: bool = False
    holds_any: bool = False
    annotations: dict[AnnotationKey, HeldAnnotation] = field(default_factory=dict)


def held_about(dataset: Dataset, plan: AnswersPlan) -> Held:
    """As much of the dataset as the plan can be about."""
    about = {planned.unit.item for planned in plan.units.values()}
    items = {item.key: item for item in dataset.items.filter(named("key", about))}
    responses = Response.objects.filter(named("item__key", about), item__dataset=dataset)
    takes: dict[Answered, dict[str, int]] = {}
    for pk, item, system, take in responses.values_list("pk", "item__key", "system__name", "key"):
        takes.setdefault((item, system), {})[take] = pk
    return Held(items, takes, _units(dataset, plan))


def held_labels(dataset: Dataset, name: str, plan: AnswersPlan) -> HeldLabels:
    sets = LabelSet.objects.filter(dataset=dataset, name=name)
    of_plan = sets.filter(named("rater", {who for (who, _), _ in plan.annotations}))
    held = HeldLabels({(row.rater, row.purpose): row for row in of_plan})
    told = sets.values_list("from_campaign", "protocol", "protocol_digest").distinct()
    held.origins = {Origin(*row) for row in told.order_by()}
    rows = ImportedAnnotation.objects.filter(label_set__in=sets)
    held.other_labels = rows.filter(label_set__is_table=False).exists()
    rows, by_pk = rows.filter(label_set__is_table=True), {}
    held.holds_any = rows.exists()
    rows = rows.filter(named("unit__key", plan.units))
    for pk, unit, *told in rows.values_list("pk", "unit__key", *STORED):
        given = restored(*told)
        held.annotations[given.rater, unit] = by_pk[pk] = HeldAnnotation(given, {})
    columns = ("annotation", "aspect", "slot", "value", "acceptable_a", "acceptable_b")
    for pk, *answer in Label.objects.filter(annotation__in=rows.values("pk")).values_list(*columns):
        by_pk[pk].answers[answer[0], answer[1]] = TidyAnswer(*answer)
    return held


def _units(dataset: Dataset, plan: AnswersPlan) -> dict[str, HeldUnit]:
    units = Unit.objects.filter(named("key", plan.units), dataset=dataset)
    rows = units.values_list("pk", "key", "kind", "item__key", "a", "b")
    found = {
        pk: (key, HeldUnit(pk, kind, item, {slot: side for slot, side in (("a", a), ("b", b)) if side}))
        for pk, key, kind, item, a, b in rows
    }
    members = UnitMember.objects.filter(named("unit__key", plan.units), unit__dataset=dataset).order_by("slot")
    for unit, slot, response in members.values_list("unit", "slot", "response"):
        found[unit][1].slots[slot] = response
    return dict(found.values())
