"""Plans that are too much for one transaction, written some rows at a time: others write in between.

Written twice, nothing changes: an import that was killed completes what it began.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from django.db import transaction

from corpus.dependents import words_imported
from corpus.imports.plan import Plan, PlannedItem, ResponseKey
from corpus.imports.reasons import WRITING_ROWS
from corpus.imports.versions import Source, add_to_version
from corpus.models import Dataset, Import
from infrastructure.background.jobs import JobTaken
from infrastructure.background.kinds import ShowProgress
from infrastructure.deletion.actions import discard
from infrastructure.deletion.subjects import subject_of
from infrastructure.locked_database import leave_to_others

Key = TypeVar("Key", bound=Hashable)
#: So many items, responses, pairs and labels are written in one transaction; a plan of more is written in several.
AT_ONCE = 1_000


@dataclass(frozen=True)
class Portion:
    """Some of an import, of so many rows.

    `write` is called with the locked dataset, in the transaction, and gives what was new, as a version names it.
    """

    size: int
    write: Callable[[Dataset], dict[str, int]]
    has_words: bool = False


class Ending(Source, Protocol):
    """Where an import comes from and goes to, and what is done in the transaction that writes the last of it."""

    @property
    def at_end(self) -> Callable[[Dataset], None]: ...


def size_of(plan: Plan) -> int:
    """How many rows of items, responses, pairs and labels it is."""
    return len(plan.items) + len(plan.responses) + len(plan.units) + len(plan.labels)


def is_much(size: int) -> bool:
    """Whether so many rows are written in a transaction of their own."""
    return size >= AT_ONCE


def portions_of(plan: Plan) -> Iterator[tuple[int, Plan]]:
    """Plans that are the plan together, each with how many rows it is: about `AT_ONCE`.

    Items, responses, pairs and labels each keep their order, and each comes after what it is of: with that, where it
    is in an earlier portion, but an item without its turns.
    """
    some, n = Plan(place=plan.place), 0
    for piece in _pieces(plan):
        for key, item in piece.items.items():
            some.items.setdefault(key, item)
        some.responses |= piece.responses
        some.units |= piece.units
        some.labels |= piece.labels
        n += 1
        if is_much(n):
            yield n, some
            some, n = Plan(place=plan.place), 0
    if n:
        yield n, some


def _pieces(plan: Plan) -> Iterator[Plan]:
    items, responses, units = _Left(plan.items), _Left(plan.responses), _Left(plan.units)

    def named(key: str) -> dict[str, PlannedItem]:
        item = plan.items[key]
        return {key: PlannedItem(item.category, facts=item.facts)}

    def with_item(response: ResponseKey) -> Iterator[Plan]:
        yield from (Plan(items={key: plan.items[key]}) for key in items.until(response[0]))
        yield Plan(items=named(response[0]), responses={response: plan.responses[response]})

    def with_responses(key: str) -> Iterator[Plan]:
        unit = plan.units[key]
        for side in (unit.a, unit.b):
            for response in responses.until(side):
                yield from with_item(response)
        yield Plan(items=named(unit.item), units={key: unit})

    for said, label in plan.labels.items():
        for key in units.until(label.unit):
            yield from with_responses(key)
        of = plan.units[label.unit]
        yield Plan(items=named(of.item), units={label.unit: of}, labels={said: label})
    for key in units.rest():
        yield from with_responses(key)
    for response in responses.rest():
        yield from with_item(response)
    yield from (Plan(items={key: plan.items[key]}) for key in items.rest())


class _Left(Generic[Key]):
    """Keys in their order, each given once."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._left, self._given = iter(keys), set[Key]()

    def until(self, last: Key) -> Iterator[Key]:
        """Those that were not given yet, up to this one, which is among all."""
        while last not in self._given:
            key = next(self._left)
            self._given.add(key)
            yield key

    def rest(self) -> Iterator[Key]:
        return self._left


def write_portions(
    portions: Iterable[Portion],
    destination: Ending,
    *,
    lock: Callable[[], Dataset],
    keep_figures: Callable[[Dataset], None],
    size: int,
    n_rows: int,
    progress: ShowProgress,
) -> Dataset:
    """Write each portion in a transaction of its own, in which `lock` finds or makes the dataset.

    `size` is that of all portions together, and `n_rows` how many rows the file has. A new dataset is not complete
    before the last portion, and its figures. Raises what the portions raise: what was written before that one stays.
    """
    done, version, has_words, free_since = 0, None, False, 0.0
    for portion in portions:
        leave_to_others(free_since)
        with transaction.atomic():
            dataset = lock()
            added = portion.write(dataset)
            if destination.upload:  # it may not be deleted before the last portion is written
                Import.objects.filter(pk=destination.upload.pk, dataset=None).update(dataset=dataset)
            version = add_to_version(destination, dataset, version, added)
        free_since = time.monotonic()
        has_words |= portion.has_words
        done += portion.size
        progress(min(n_rows, n_rows * done // size), n_rows, WRITING_ROWS())
    return _complete(destination, lock, keep_figures, has_words=has_words)


def _complete(
    destination: Ending, lock: Callable[[], Dataset], keep_figures: Callable[[Dataset], None], *, has_words: bool
) -> Dataset:
    """Keep the figures, again where somebody added to the dataset meanwhile; then it is complete."""
    with transaction.atomic():
        dataset = lock()
    while True:
        seen = _versions(dataset)
        keep_figures(dataset)
        with transaction.atomic():
            dataset = lock()
            if _versions(dataset) != seen:
                continue
            if not dataset.is_complete and not _is_being_written(dataset, but=destination.upload):
                dataset.is_complete = True
                dataset.save(update_fields=["is_complete"])
            if has_words:
                words_imported(dataset, user=destination.user)
            destination.at_end(dataset)
        return dataset


def _versions(dataset: Dataset) -> list[tuple[int, dict[str, int]]]:
    return list(dataset.versions.values_list("number", "added"))


def _is_being_written(dataset: Dataset, *, but: Import | None) -> bool:
    """Whether another import goes on, which will find the dataset complete when it ends."""
    others = Import.objects.filter(dataset=dataset, status=Import.Status.IMPORTING)
    return (others.exclude(pk=but.pk) if but else others).exists()


@contextmanager
def complete_or_discarded(destination: Source) -> Iterator[None]:
    """Where what is inside fails, the dataset that it made and could not complete goes; after a kill it stays."""
    try:
        yield
    except JobTaken:
        raise  # another worker completes it
    except Exception:
        discard_incomplete(destination)
        raise


@transaction.atomic
def discard_incomplete(destination: Source) -> None:
    """Remove the dataset that this import made and cannot complete; one that was there before stays as it is."""
    dataset = Dataset.objects.select_for_update().filter(name=destination.dataset_name, is_complete=False).first()
    subject = subject_of("dataset")
    if dataset is None or subject is None or dataset.versions.exclude(upload=destination.upload).exists():
        return
    Import.objects.filter(dataset=dataset).update(dataset=None)  # its report stays
    discard(subject, dataset, by=destination.user)
