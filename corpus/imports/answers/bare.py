"""What answers are about where there is no dataset yet: items, systems and takes by their names.

Numbers need no more. Prompts, texts and sound may follow by a manifest of the same names.
"""

from collections.abc import Iterable, Mapping
from itertools import count

from corpus.figures.keeping import keep_figures
from corpus.imports.answers.held import Held
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.plan import Plan, ResponseKey
from corpus.imports.writing import BATCH
from corpus.models import Dataset, Item, Response, System

#: Where the table does not say which take it was, there was one.
ONLY_TAKE = "1"
NOTHING_HELD = Held({}, {}, {})


def held_of(plan: AnswersPlan) -> Held:
    """Everything that the units of the plan name."""
    units = [planned.unit for planned in plan.units.values()]
    categories: dict[str, str] = {}
    for unit in units:
        categories[unit.item] = categories.get(unit.item) or unit.category
    items = {key: Item(key=key, category=category) for key, category in categories.items()}
    takes = [
        (unit.item, system, unit.responses.get(slot, ONLY_TAKE))
        for unit in units
        for slot, system in unit.systems.items()
    ]
    return as_held(items, takes)


def as_held(items: Mapping[str, Item], responses: Iterable[ResponseKey]) -> Held:
    """What is going to be made, as if it were there: responses have numbers of their own."""
    numbers = count(1)
    takes: dict[tuple[str, str], dict[str, int]] = {}
    for item, system, take in dict.fromkeys(responses):
        takes.setdefault((item, system), {})[take] = next(numbers)
    return Held(dict(items), takes, {})


def with_planned(held: Held, plan: Plan) -> Held:
    """What is held, and what the plan of a manifest adds to it."""
    items = {key: Item(key=key, category=it.category, facts=it.facts) for key, it in plan.items.items()}
    numbers = count(-1, -1)  # what is held has ids above 0
    takes = {answered: dict(of) for answered, of in held.takes.items()}
    for item, system, take in plan.responses:
        of = takes.setdefault((item, system), {})
        if take not in of:
            of[take] = next(numbers)
    return Held(items | held.items, takes, held.units)


def write_held(held: Held, dataset: Dataset) -> None:
    """Make the items, systems and responses, in the order in which they were named."""
    names = dict.fromkeys(system for _, system in held.takes)
    System.objects.bulk_create([System(dataset=dataset, name=name) for name in names], BATCH)
    rows = [Item(dataset=dataset, key=it.key, category=it.category) for it in held.items.values()]
    Item.objects.bulk_create(rows, BATCH)
    items, systems = {row.key: row for row in rows}, {row.name: row for row in dataset.systems.all()}
    Response.objects.bulk_create(
        [
            Response(item=items[item], system=systems[system], key=take)
            for (item, system), takes in held.takes.items()
            for take in takes
        ],
        BATCH,
    )
    keep_figures(dataset)
