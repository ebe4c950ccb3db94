"""Names in an import that look like others and are not the same: of the dataset, and of its systems."""

from collections.abc import Iterable

from accounts.look_alikes import look_alike
from corpus.imports import reasons
from corpus.imports.plan import Plan
from corpus.models import Dataset


def warn_of_look_alikes(plan: Plan, systems: Iterable[str], *, dataset_name: str) -> None:
    """Add warnings to the plan: of a new dataset beside all that there are, and of systems beside each other and
    those of the dataset.
    """
    names = list(Dataset.objects.order_by("name").values_list("name", flat=True))
    if dataset_name not in names and (other := look_alike(dataset_name, names)):
        plan.warn(None, "dataset", reasons.DATASET_LOOKS_LIKE(name=repr(other)))
    there = list(Dataset.objects.filter(name=dataset_name).values_list("systems__name", flat=True))
    known = [name for name in there if name]
    for name in systems:
        if name not in known and (other := look_alike(name, known)):
            plan.warn(None, "system", reasons.SYSTEMS_LOOK_ALIKE(one=repr(other), other=repr(name)))
        known.append(name)
