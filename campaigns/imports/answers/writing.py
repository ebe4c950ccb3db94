"""Writing answers that were checked, in one transaction."""

from itertools import islice

from django.db import transaction

from campaigns.background.jobs import ShowProgress
from campaigns.imports.answers.bare import write_held
from campaigns.imports.answers.checking import CheckedAnswers
from campaigns.imports.answers.comparing import Slots, compare_labels, compare_units
from campaigns.imports.answers.held import GIVEN, Held, HeldLabels, held_in, held_labels
from campaigns.imports.answers.plan import AnswersPlan
from campaigns.imports.writing import BATCH, Destination, PlanRefused, locked_dataset
from campaigns.models import Dataset, ImportedAnnotation, Label, LabelSet, Unit, UnitMember
from campaigns.tidy.rows import Origin, Rater

GONE = "The dataset into which these answers were to go is not there any more."
#: Ids of units, by key.
Units = dict[str, int]


def write_answers(checked: CheckedAnswers, destination: Destination, *, progress: ShowProgress) -> Dataset:
    """Write what was checked; what is there already stays as it is.

    Raises PlanRefused where the check found errors or the dataset changed since, PermissionDenied where it became
    somebody else's.
    """
    if checked.errors:
        raise PlanRefused("A plan with errors is not written.")
    progress(checked.plan.rows, checked.plan.rows, "Writing every answer")
    with transaction.atomic():
        return _write(checked, destination)


def _write(checked: CheckedAnswers, destination: Destination) -> Dataset:
    plan, name = checked.plan, destination.label_set_name
    dataset = _dataset(checked, destination)
    held, labels = held_in(dataset), held_labels(dataset, name)
    slots = compare_units(plan, held)
    compare_labels(plan, labels, name)
    if checked.errors:
        raise PlanRefused(checked.errors[0].message)
    units = {key: unit.pk for key, unit in held.units.items()} | _write_units(plan, dataset, held, slots)
    sets = _write_label_sets(plan, dataset, labels, destination)
    _write_annotations(plan, labels, sets, units)
    return dataset


def _dataset(checked: CheckedAnswers, destination: Destination) -> Dataset:
    """The dataset, locked; made where the check found none, and refused where there was one and is none any more."""
    is_there = Dataset.objects.filter(name=destination.dataset_name).exists()
    if not is_there and checked.bare is None:
        checked.plan.refuse(None, "dataset", GONE)
        raise PlanRefused(GONE)
    dataset = locked_dataset(destination)
    if not is_there and checked.bare:
        write_held(checked.bare, dataset)
    return dataset


def _write_units(plan: AnswersPlan, dataset: Dataset, held: Held, slots: Slots) -> Units:
    """Units that are not there yet. Pairs count among those that came with the dataset."""
    rows = [
        Unit(
            dataset=dataset,
            item=held.items[planned.unit.item],
            kind=planned.unit.kind,
            key=key,
            a_id=None if planned.unit.kind == Unit.Kind.ITEM else slots[key]["a"],
            b_id=slots[key]["b"] if planned.unit.kind == Unit.Kind.PAIR else None,
            imported=planned.unit.kind == Unit.Kind.PAIR,
        )
        for key, planned in plan.units.items()
        if key not in held.units
    ]
    Unit.objects.bulk_create(rows, BATCH)
    members = [
        UnitMember(unit=row, slot=slot, response_id=response)
        for row in rows
        if row.kind == Unit.Kind.ITEM
        for slot, response in slots[row.key].items()
    ]
    UnitMember.objects.bulk_create(members, BATCH)
    return {row.key: row.pk for row in rows}


def _write_label_sets(
    plan: AnswersPlan, dataset: Dataset, labels: HeldLabels, destination: Destination
) -> dict[Rater, LabelSet]:
    """A label set per annotator and purpose, in the order of the table."""
    origin = plan.origin or Origin()
    missing = dict.fromkeys(who for who, _ in plan.annotations if who not in labels.sets)
    rows = [
        LabelSet(
            dataset=dataset,
            name=destination.label_set_name,
            rater=who,
            purpose=purpose,
            from_campaign=origin.campaign,
            protocol=origin.protocol,
            protocol_digest=origin.digest,
            created_by=destination.user,
        )
        for who, purpose in missing
    ]
    LabelSet.objects.bulk_create(rows, BATCH)
    return labels.sets | {(row.rater, row.purpose): row for row in rows}


def _write_annotations(plan: AnswersPlan, labels: HeldLabels, sets: dict[Rater, LabelSet], units: Units) -> None:
    """In the order of the table, some at a time: rows of ours take more memory than what they are made of."""
    new = ((key, said) for key, said in plan.annotations.items() if key not in labels.annotations)
    while some := list(islice(new, BATCH)):
        ImportedAnnotation.objects.bulk_create(
            ImportedAnnotation(
                label_set=sets[who],
                unit_id=units[unit],
                marks=list(said.given.marks),
                **{name: getattr(said.given, name) for name in GIVEN},
            )
            for (who, unit), said in some
        )
        Label.objects.bulk_create(
            Label(label_set=sets[who], unit_id=units[unit], **vars(answer))
            for (who, unit), said in some
            for answer in said.answers.values()
        )
