"""Writing answers that were checked, in one transaction; many of them in several."""

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

from django.db import transaction

from corpus.figures.keeping import keep_figures, keep_figures_in_steps
from corpus.imports import reasons
from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.answers.comparing import Slots, compare_labels, compare_units
from corpus.imports.answers.held import Held, HeldLabels, held_about, held_labels
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.checks.result import Checked
from corpus.imports.plan import Plan
from corpus.imports.portions import Portion, is_much, size_of, write_portions
from corpus.imports.reasons import WRITING_ANSWERS
from corpus.imports.versions import counted_about, new_version
from corpus.imports.writing import (
    BATCH,
    LABEL,
    Destination,
    PlanRefused,
    locked_dataset,
    manifest_portions,
    write_rows,
)
from corpus.models import Dataset, ImportedAnnotation, Label, LabelSet, Unit, UnitMember
from corpus.tidy.given import Rater, stored
from corpus.tidy.rows import Origin
from infrastructure.background.kinds import ShowProgress
from infrastructure.bulk_rows import insert_rows

#: Ids of units, by key.
Units = dict[str, int]


def write_answers(
    checked: CheckedAnswers, destination: Destination, *, progress: ShowProgress, at_once: bool = False
) -> Dataset:
    """Write what was checked; what is there already stays as it is. `at_once` keeps many in one transaction, too.

    Raises PlanRefused where the check found errors or the dataset changed since, PermissionDenied where it became
    somebody else's.
    """
    if checked.errors:
        raise PlanRefused(reasons.PLAN_HAS_ERRORS())
    progress(checked.plan.rows, checked.plan.rows, WRITING_ANSWERS())
    if not at_once and is_much(size_of_answers(checked.plan)):
        return _write_many(checked, destination, progress)
    with transaction.atomic():
        with new_version(destination):
            dataset = add_answers(checked, destination)
        destination.at_end(dataset)
        return dataset


def _write_many(checked: CheckedAnswers, destination: Destination, progress: ShowProgress) -> Dataset:
    """First what a new dataset gets, then the answers, some at a time."""
    names = Checked(checked.bare or Plan())
    if checked.bare is None:
        _require_dataset(checked, destination)
    return write_portions(
        chain(manifest_portions(names, {}, destination), answers_portions(checked, destination)),
        destination,
        lock=partial(locked_dataset, destination, in_parts=True),
        keep_figures=keep_figures_in_steps if checked.bare else lambda _dataset: None,
        size=size_of(names.plan) + size_of_answers(checked.plan),
        n_rows=checked.plan.rows,
        progress=progress,
    )


def size_of_answers(plan: AnswersPlan) -> int:
    """How many rows of units, annotations and labels it is."""
    return len(plan.units) + len(plan.annotations) + sum(len(said.answers) for said in plan.annotations.values())


def answers_portions(checked: CheckedAnswers, destination: Destination) -> Iterator[Portion]:
    """The answers in the order of the table, each with its unit; units that nobody answered come last."""
    for plan in _plans(checked.plan):
        yield Portion(size_of_answers(plan), partial(_write_portion, checked, plan, destination))


def _plans(plan: AnswersPlan) -> Iterator[AnswersPlan]:
    answered = {unit for _who, unit in plan.annotations}
    alone = [AnswersPlan(units={key: unit}) for key, unit in plan.units.items() if key not in answered]
    each = (AnswersPlan(units={key[1]: plan.units[key[1]]}, annotations={key: said})
            for key, said in plan.annotations.items())  # fmt: skip
    some, size = AnswersPlan(origin=plan.origin), 0
    for piece in chain(each, alone):
        some.units |= piece.units
        some.annotations |= piece.annotations
        size += size_of_answers(piece)
        if is_much(size):
            yield some
            some, size = AnswersPlan(origin=plan.origin), 0
    if some.units:
        yield some


def _write_portion(
    checked: CheckedAnswers, plan: AnswersPlan, destination: Destination, dataset: Dataset
) -> dict[str, int]:
    """Write some of the answers; what is refused stands among the problems of the whole."""
    some = CheckedAnswers(plan)
    with counted_about(dataset, {planned.unit.item for planned in plan.units.values()}) as added:
        try:
            add_answers(some, destination)
        except PlanRefused:
            checked.plan.problems += some.errors
            raise
    return added


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
    if checked.bare is None:
        _require_dataset(checked, destination)
    elif not Dataset.objects.filter(name=destination.dataset_name).exists():
        keep_figures(write_rows(Checked(checked.bare), {}, destination))
    return locked_dataset(destination)


def _require_dataset(checked: CheckedAnswers, destination: Destination) -> None:
    if not Dataset.objects.filter(name=destination.dataset_name).exists():
        checked.plan.refuse(None, "dataset", reasons.DATASET_GONE())
        raise PlanRefused(reasons.DATASET_GONE())


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
