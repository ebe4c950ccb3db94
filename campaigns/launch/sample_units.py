"""How the units of a campaign are chosen: counted before anything is written, and then drawn."""

from dataclasses import dataclass

from django.db.models import Avg, TextChoices
from django.utils.translation import gettext_lazy as _

from corpus.datasets.units import (
    Systems,
    as_units,
    imported_pairs,
    paired_responses,
    pairs_of_systems,
    responses_of,
    shared_items,
    single_responses,
    whole_items,
)
from corpus.models import Dataset, Response, ResponseTurn, Turn, Unit
from protocols import Protocol

#: What an annotator needs for one question beside listening, in seconds: a guess to begin with.
SECONDS_PER_QUESTION = 5


class How(TextChoices):
    """Ways to choose units. The first four are for pairs."""

    ALL = "all", _("Every two systems on every item")
    SUBSET = "subset", _("A balanced subset of those")
    IMPORTED = "imported", _("The pairs that came with the dataset")
    FILE = "file", _("Pairs from a file of yours")
    EVERY = "every", _("All there are")


FOR_PAIRS = (How.ALL, How.SUBSET, How.IMPORTED, How.FILE)


@dataclass(frozen=True)
class UnitsChoice:
    """A way to choose units of a kind; `pairs` are those of a file, `per_pair` the items for each two of a subset."""

    kind: str
    how: str
    per_pair: int | None = None
    systems: Systems = ()
    pairs: tuple[tuple[Response, Response], ...] = ()


def count_units(dataset: Dataset, choice: UnitsChoice) -> int:
    """How many units `units_chosen` would give. Writes nothing."""
    if choice.kind == Unit.Kind.SINGLE:
        return responses_of(dataset, systems=choice.systems).count()
    if choice.kind == Unit.Kind.ITEM:
        return len(shared_items(dataset, systems=choice.systems))
    match choice.how:
        case How.IMPORTED:
            return len(imported_pairs(dataset, systems=choice.systems))
        case How.FILE:
            return len(choice.pairs)
    return len(paired_responses(dataset, per_pair=_per_pair(choice), systems=choice.systems))


def units_chosen(dataset: Dataset, choice: UnitsChoice) -> list[Unit]:
    """The units, which are rows of the dataset: choosing twice gives the same ones."""
    if choice.kind == Unit.Kind.SINGLE:
        return single_responses(dataset, systems=choice.systems)
    if choice.kind == Unit.Kind.ITEM:
        return whole_items(dataset, systems=choice.systems)
    match choice.how:
        case How.IMPORTED:
            return imported_pairs(dataset, systems=choice.systems)
        case How.FILE:
            return as_units(dataset, list(choice.pairs))
    return pairs_of_systems(dataset, per_pair=_per_pair(choice), systems=choice.systems)


def guessed_seconds(dataset: Dataset, protocol: Protocol) -> int:
    """How long one answer may take: hearing everything once, and a moment for each question."""
    said = ResponseTurn.objects.filter(response__item__dataset=dataset, clip__isnull=False)
    asked = Turn.objects.filter(item__dataset=dataset, clip__isnull=False)
    each, prompt = (rows.aggregate(mean=Avg("clip__seconds"))["mean"] or 0.0 for rows in (said, asked))
    n_responses = {"pair": 2, "single": 1, "item": max(2, dataset.systems.count())}[protocol.unit]
    return max(5, round(prompt + n_responses * each + SECONDS_PER_QUESTION * len(protocol.aspects)))


def _per_pair(choice: UnitsChoice) -> int | None:
    return choice.per_pair if choice.how == How.SUBSET else None
