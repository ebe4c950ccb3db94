"""Writing answers that were checked, in one transaction."""

from itertools import islice

from django.db import transaction

from corpus.imports import reasons
from corpus.imports.answers.bare import write_held
from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.answers.comparing import Slots, compare_labels, compare_units
from corpus.imports.answers.held import Held, HeldLabels, held_about, held_labels
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.reasons import WRITING_ANSWERS
from corpus.imports.versions import new_version
from corpus.imports.writing import BATCH, LABEL, Destination, PlanRefused, locked_dataset
from corpus.models import Dataset, ImportedAnnotation, Label, LabelSet, Unit, UnitMember
from corpus.tidy.given import Rater, stored
from corpus.tidy.rows import Origin
from infrastructure.background.kinds import ShowProgress
from infrastructure.bulk_rows import insert_rows

#: Ids of units, by key.
Units = dict[str, int]


def write_answers(checked: CheckedAnswers, destination: Destination, *, progress: ShowProgress) -> Dataset:
    """Write what was checked; what is there already stays as it is.

    Raises PlanRefused where the check found errors or the dataset changed since, PermissionDenied where it became
    somebody else's.
    """
    if checked.errors:
        raise PlanRefused(reasons.PLAN_HAS_ERRORS())
    progress(checked.plan.rows, checked.plan.rows, WRITING_ANSWERS())
    with transaction.atomic():
        with new_version(destination):
            dataset = add_answers(checked, destination)
        destination.at_end(dataset)
        return dataset


def add_answers(checked: CheckedAnswers, destination: Destination) -> Dataset:
    """The same in a transaction, and a version of the dataset, of the caller's."""
    plan, name = checked.plan, destination.label_set_name
    dataset = _dataset(checked, destination)
    held, labels = held_about(dataset, plan), held_labels(dataset, name, plan)
    slots = compare_units(plan, held)
    compare_labels(plan, labels, name)
    if checked.errors:
        raise PlanRefused(checked.errors[0].message)
    checked.new_units = len(plan.units.keys() - held.units.keys())
    checked.new_annotations = len(plan.annotations.keys() - labels.annotations.keys())
    units = {key: unit.pk for key, unit in held.units.items()} | _write_units(plan, dataset, held, slots)
    sets = _write_label_sets(plan, dataset, labels, destination)
    _write_annotations(plan, labels, sets, units)
    return dataset


def _dataset(checked: CheckedAnswers, destination: Destination) -> Dataset:
    """The dataset, locked; made where the check found none, and refused where there was one and is none any more."""
    is_there = Dataset.objects.filter(name=destination.dataset_name).exists()
    if not is_there and checked.bare is None:
        checked.plan.refuse(None, "dataset", reasons.DATASET_GONE())
        raise PlanRefused(reasons.DATASET_GONE())
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
            is_table=True,
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
        rows = ImportedAnnotation.objects.bulk_create(
            ImportedAnnotation(
                label_set=sets[who],
                unit_id=units[unit],
                **stored(said.given),
            )
            for (who, unit), said in some
        )
        answers = (
            (row.pk, *vars(answer).values())
            for row, (_key, said) in zip(rows, some, strict=True)
            for answer in said.answers.values()
        )
        insert_rows(Label, LABEL, answers)
