"""The demo's labels by its script: what was planted is known, so nobody has to listen for it."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from corpus.demo.planted import faulty_dimension
from corpus.demo.speech import DEMO_SYSTEMS
from corpus.imports.writing import write_labels
from corpus.models import Dataset, LabelSet, Unit
from corpus.tidy.rows import TidyAnswer
from protocols.kinds.typed_tie import typed_tie

NAME = "What was planted"
DIMENSIONS = ("content", "voice_quality", "paralinguistics")


@transaction.atomic
def label_what_was_planted(dataset: Dataset, units: QuerySet[Unit], *, user: User) -> LabelSet:
    """Labels of these pairs by what was planted in their systems. Run again, it changes nothing."""
    row, _made = LabelSet.objects.get_or_create(dataset=dataset, name=NAME, defaults={"created_by": user})
    write_labels(
        [
            (row, unit, TidyAnswer(aspect, "", value, good_a, good_b))
            for unit, a, b in units.values_list("pk", "a__system__name", "b__system__name")
            for aspect, value, good_a, good_b in planted_labels(a, b)
        ]
    )
    return row


def planted_labels(a: str, b: str) -> Iterator[tuple[str, str, bool, bool]]:
    """Aspect, label in the stored frame, and whether each is acceptable, for a pair of the demo's systems.

    A response is acceptable where nothing was planted: in that dimension, and overall in any. Raises KeyError for
    systems that are none of the demo's.

    >>> [label for _, label, _, _ in planted_labels("aurora", "breeze")]
    ['both_good', 'a', 'both_good', 'a']
    """
    systems = {system.name: system for system in DEMO_SYSTEMS}
    faults = [faulty_dimension(systems[name]) for name in (a, b)]
    for aspect in (*DIMENSIONS, "overall"):
        first, second = (fault == "" or aspect not in (fault, "overall") for fault in faults)
        label = typed_tie(acceptable_1=first, acceptable_2=second, better="both_good" if first and second else None)
        yield aspect, {"1": "a", "2": "b"}.get(label, label), first, second
