"""Writing a checked plan: first the files, each once, then its rows, in one transaction or in portions."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from corpus.clips.storage import drop_unused_clips, keep_clip
from corpus.dependents import words_imported
from corpus.figures.keeping import keep_figures, keep_figures_in_steps
from corpus.imports import reasons
from corpus.imports.checks.conflicts import compare, named
from corpus.imports.checks.result import Checked
from corpus.imports.files.audio_files import AudioFiles, MissingAudio, sha256_of
from corpus.imports.plan import Plan, PlannedTurn, ResponseKey
from corpus.imports.portions import Portion, is_much, portions_of, size_of, write_portions
from corpus.imports.reasons import STORING
from corpus.imports.versions import counted_about, new_version
from corpus.models import (
    Clip,
    Dataset,
    Import,
    ImportedAnnotation,
    Item,
    Label,
    LabelSet,
    Response,
    ResponseTurn,
    System,
    Turn,
    Unit,
)
from corpus.tidy.rows import TidyAnswer
from infrastructure.background.jobs import JobTaken
from infrastructure.background.kinds import ShowProgress
from infrastructure.bulk_rows import insert_rows
from infrastructure.slugs import unique_slug
from infrastructure.wording.reasons import Reasoned

BATCH = 500
#: The fields of a label, in the order in which an answer has them.
LABEL = ("annotation", *(it.name for it in fields(TidyAnswer)))
#: Primary keys by name or key.
Ids = dict[str, int]


class PlanRefused(Reasoned, ValueError):
    """The plan cannot be written; its problems say why."""


class ArchivedDataset(Reasoned, ValueError):
    """The dataset is archived, and takes no import until it is restored."""


class TurnRow(NamedTuple):
    """A row of turns: of an item or a response (`owner`, by its id), with the id of its clip."""

    owner: int
    position: int
    text: str
    path: str
    clip: int | None


@dataclass(frozen=True)
class Destination:
    dataset_name: str
    label_set_name: str
    user: User
    #: where it came from: an upload, or else a file by its name
    upload: Import | None = None
    file: str = ""
    #: called with the dataset in the transaction that writes the last of it
    at_end: Callable[[Dataset], None] = lambda _dataset: None


def write(
    checked: Checked,
    files: AudioFiles | None,
    destination: Destination,
    *,
    progress: ShowProgress,
    then: Callable[[Dataset], object] | None = None,
) -> Dataset:
    """Write what was checked. Run again after a kill it completes; run twice it changes nothing.

    What comes with the dataset is written by `then` in the same transaction. Without it, a large plan is written in
    several, of which those before a refused one stay; a new dataset is not complete before the last.

    Raises PlanRefused where the check found errors or the dataset changed since, PermissionDenied where it became
    somebody else's, ArchivedDataset, and MissingAudio where a file is no longer what was checked.
    """
    if then is None and is_much(size_of(checked.plan)):
        return write_large(checked, files, destination, progress=progress)
    with _kept_files(checked, files, progress) as clips, transaction.atomic():
        with new_version(destination):
            dataset = write_rows(checked, clips, destination)
            keep_figures(dataset)
            if has_words(checked.plan):
                words_imported(dataset, user=destination.user)
            if then:
                then(dataset)
        destination.at_end(dataset)
        return dataset


def write_large(
    checked: Checked,
    files: AudioFiles | None,
    destination: Destination,
    *,
    progress: ShowProgress,
    more: Iterable[Portion] = (),
    size_of_more: int = 0,
) -> Dataset:
    """The same in transactions of some rows each, those of `more` after the plan's. Raises the same."""
    with _kept_files(checked, files, progress) as clips:
        return write_portions(
            chain(manifest_portions(checked, clips, destination), more),
            destination,
            lock=partial(locked_dataset, destination, in_parts=True),
            keep_figures=keep_figures_in_steps,
            size=size_of(checked.plan) + size_of_more,
            n_rows=checked.plan.rows,
            progress=progress,
        )


def manifest_portions(checked: Checked, clips: dict[str, Clip], destination: Destination) -> Iterator[Portion]:
    for n, plan in portions_of(checked.plan):
        yield Portion(n, partial(_write_portion, checked, plan, clips, destination), has_words(plan))


def _write_portion(
    checked: Checked, plan: Plan, clips: dict[str, Clip], destination: Destination, dataset: Dataset
) -> dict[str, int]:
    """Write some of a plan; what is refused stands among the problems of the whole."""
    some = Checked(plan, checked.clips)
    with counted_about(dataset, plan.items) as added:
        try:
            write_rows(some, clips, destination)
        except PlanRefused:
            checked.plan.problems += some.errors
            raise
    return added


@contextmanager
def _kept_files(checked: Checked, files: AudioFiles | None, progress: ShowProgress) -> Iterator[dict[str, Clip]]:
    """The clips by path; where rows cannot be written, those that none refers to go again."""
    if checked.errors:
        raise PlanRefused(reasons.PLAN_HAS_ERRORS())
    try:
        yield _keep_files(checked, files, progress) if files is not None else {}
    except JobTaken:
        raise  # the files are another worker's by now
    except Exception:
        drop_unused_clips(clip.sha256 for clip in checked.clips.values())
        raise


def require_open_dataset(name: str, user: User) -> None:
    """Of this name there is no dataset yet, or one to which `user` may add: its owner, and administrators.

    Raises PermissionDenied for a dataset of somebody else, and ArchivedDataset.
    """
    existing = Dataset.objects.filter(name=name).first()
    if existing is None:
        return
    if existing.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("A dataset of this name belongs to another user. Choose another name."))
    if existing.archived_at is not None:
        raise ArchivedDataset(reasons.INTO_ARCHIVED(name=existing.name))


def _keep_files(checked: Checked, files: AudioFiles, progress: ShowProgress) -> dict[str, Clip]:
    clips: dict[str, Clip] = {}
    for done, (path, examined) in enumerate(checked.clips.items(), start=1):
        with files.open(path) as file:
            if sha256_of(file) != examined.sha256:
                raise MissingAudio(reasons.FILE_CHANGED(path=path))
            clips[path] = keep_clip(file, examined)
        progress(done, len(checked.clips), STORING())
    return clips


def has_words(plan: Plan) -> bool:
    return any(turn.text.strip() for said in plan.responses.values() for turn in said.values())


def write_rows(checked: Checked, clips: dict[str, Clip], destination: Destination) -> Dataset:
    """The same in a transaction, a version and figures of the caller's."""
    plan, dataset = checked.plan, locked_dataset(destination)
    compare(checked, dataset, destination.label_set_name)
    if checked.errors:
        raise PlanRefused(checked.errors[0].message)
    System.objects.bulk_create(
        [System(dataset=dataset, name=name) for name in plan.systems], BATCH, ignore_conflicts=True
    )
    Item.objects.bulk_create(
        [Item(dataset=dataset, key=key, category=i.category, facts=i.facts) for key, i in plan.items.items()],
        BATCH,
        ignore_conflicts=True,
    )
    items: Ids = dict(dataset.items.filter(named("key", plan.items)).values_list("key", "pk"))
    responses = _write_responses(plan, clips, dataset, items)
    turns = [
        TurnRow(items[key], position, turn.text, _path(turn), _clip(turn, clips))
        for key, item in plan.items.items()
        for position, turn in item.turns.items()
    ]
    insert_rows(Turn, ("item", *TurnRow._fields[1:]), turns, skip_existing=True)
    _attach_late_clips(turns, Turn.objects, "item_id")
    _add_late_words(turns)
    _write_units_and_labels(plan, destination, dataset, items, responses)
    return dataset


def locked_dataset(destination: Destination, *, in_parts: bool = False) -> Dataset:
    """The dataset, made where there is none, locked: imports into one dataset are written one after the other.

    One that is made for an import in parts is not complete before its last part.
    """
    existing = Dataset.objects.select_for_update().filter(name=destination.dataset_name).first()
    require_open_dataset(destination.dataset_name, destination.user)
    return existing or Dataset.objects.create(
        name=destination.dataset_name,
        slug=unique_slug(Dataset, destination.dataset_name),
        created_by=destination.user,
        is_complete=not in_parts,
    )


def _write_responses(plan: Plan, clips: dict[str, Clip], dataset: Dataset, items: Ids) -> dict[ResponseKey, int]:
    systems: Ids = dict(dataset.systems.values_list("name", "pk"))
    rows = [(items[item], systems[system], take) for item, system, take in plan.responses]
    insert_rows(Response, ("item", "system", "key"), rows, skip_existing=True)
    held = Response.objects.filter(named("item__key", plan.items), item__dataset=dataset)
    columns = ("item__key", "system__name", "key", "pk")
    responses = {(item, system, take): pk for item, system, take, pk in held.values_list(*columns)}
    turns = [
        TurnRow(responses[key], position, turn.text, _path(turn), _clip(turn, clips))
        for key, said in plan.responses.items()
        for position, turn in said.items()
    ]
    insert_rows(ResponseTurn, ("response", *TurnRow._fields[1:]), turns, skip_existing=True)
    _attach_late_clips(turns, ResponseTurn.objects, "response_id")
    return responses


def _attach_late_clips(planned: list[TurnRow], turns: "models.Manager[Any]", owner: str) -> None:
    """Give their audio to turns that an earlier import brought in without it."""
    heard = {(turn.owner, turn.position): turn for turn in planned if turn.clip}
    silent = turns.filter(clip=None, **{f"{owner}__in": {key for key, _ in heard}})
    rows = [row for row in silent if (getattr(row, owner), row.position) in heard]
    for row in rows:
        late = heard[getattr(row, owner), row.position]
        row.clip_id, row.path = late.clip, late.path
    turns.bulk_update(rows, ["clip", "path"], BATCH)


def _add_late_words(planned: list[TurnRow]) -> None:
    """Give their words to prompts that an earlier import brought in without them."""
    worded = {(turn.owner, turn.position): turn.text for turn in planned if turn.text}
    wordless = Turn.objects.filter(text="", item__in={item for item, _ in worded})
    rows = [turn for turn in wordless if (turn.item_id, turn.position) in worded]
    for turn in rows:
        turn.text = worded[turn.item_id, turn.position]
    Turn.objects.bulk_update(rows, ["text"], BATCH)


def _write_units_and_labels(
    plan: Plan,
    destination: Destination,
    dataset: Dataset,
    items: Ids,
    responses: dict[ResponseKey, int],
) -> None:
    rows = [
        Unit(
            imported=True,
            dataset=dataset,
            item_id=items[u.item],
            key=key,
            a_id=responses[u.a],
            b_id=responses[u.b],
            source=u.source,
        )
        for key, u in plan.units.items()
    ]
    Unit.objects.bulk_create(rows, BATCH, ignore_conflicts=True)
    units = {unit.key: unit for unit in dataset.units.filter(named("key", plan.units))}
    sets = _label_sets({label.rater for label in plan.labels.values()}, destination, dataset)
    write_labels(
        [
            (sets[label.rater], units[label.unit].pk, TidyAnswer(label.aspect, "", label.value))
            for label in plan.labels.values()
        ]
    )


def _label_sets(raters: set[str], destination: Destination, dataset: Dataset) -> dict[str, LabelSet]:
    """By rater, made where there are none."""
    named_so = LabelSet.objects.filter(dataset=dataset, name=destination.label_set_name)
    there = {row.rater: row for row in named_so.filter(named("rater", raters))}
    return {
        rater: there.get(rater)
        or LabelSet.objects.get_or_create(
            dataset=dataset,
            name=destination.label_set_name,
            rater=rater,
            defaults={"created_by": destination.user},
        )[0]
        for rater in sorted(raters)
    }


def write_labels(said: Collection[tuple[LabelSet, int, TidyAnswer]]) -> None:
    """What label sets say of units (their ids), where no table tells more. What is there already stays as it is."""
    keys = dict.fromkeys((label_set.pk, unit) for label_set, unit, _answer in said)
    ImportedAnnotation.objects.bulk_create(
        [ImportedAnnotation(label_set_id=label_set, unit_id=unit) for label_set, unit in keys],
        BATCH,
        ignore_conflicts=True,
    )
    units = {unit for _label_set, unit in keys}
    rows = ImportedAnnotation.objects.filter(
        named("unit_id", units), label_set__in={label_set for label_set, _ in keys}
    )
    there = {(label_set, unit): pk for label_set, unit, pk in rows.values_list("label_set", "unit", "pk")}
    insert_rows(
        Label,
        LABEL,
        [(there[label_set.pk, unit], *vars(answer).values()) for label_set, unit, answer in said],
        skip_existing=True,
    )


def _path(turn: PlannedTurn) -> str:
    return next(iter(turn.audio), "")


def _clip(turn: PlannedTurn, clips: dict[str, Clip]) -> int | None:
    return next((clips[path].pk for path in turn.audio if path in clips), None)
