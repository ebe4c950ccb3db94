"""What answers are about where there is no dataset yet: items, systems and takes by their names.

Numbers need no more. Prompts, texts and sound may follow by a manifest of the same names.
"""

from collections.abc import Iterable, Mapping
from itertools import count

from corpus.imports.answers.held import Held
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.plan import Plan, PlannedItem, ResponseKey
from corpus.models import Dataset, Item, ResponseTurn, Turn

#: Where the table does not say which take it was, there was one.
ONLY_TAKE = "1"
NOTHING_HELD = Held({}, {}, {})


def is_bare(dataset: Dataset | None) -> bool:
    """Whether answers bring what they are about: there is no dataset, or one of names that is not complete yet."""
    if dataset is None:
        return True
    if dataset.is_complete or Turn.objects.filter(item__dataset=dataset).exists():
        return False
    return not ResponseTurn.objects.filter(response__item__dataset=dataset).exists()


def plan_of_names(plan: AnswersPlan) -> Plan:
    """Everything that the units of the plan name, as a manifest would bring it."""
    made = Plan(place=plan.place)
    for planned in plan.units.values():
        unit = planned.unit
        item = made.items.setdefault(unit.item, PlannedItem(unit.category))
        item.category = item.category or unit.category
        for slot, system in unit.systems.items():
            made.responses.setdefault((unit.item, system, unit.responses.get(slot, ONLY_TAKE)), {})
    return made


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
