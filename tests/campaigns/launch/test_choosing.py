"""Units are counted before they are drawn, and the count is right."""

import pytest

from campaigns.launch.sample_units import How, UnitsChoice, count_units, guessed_seconds, units_chosen
from corpus.models import Dataset, Item, Response, ResponseTurn, Turn, Unit
from protocols import SHIPPED
from tests.cases import each
from tests.factories import ClipFactory, DatasetFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    """Three systems on two items, the third on the first item only; one imported pair."""
    dataset = DatasetFactory()
    systems = [dataset.systems.create(name=name) for name in ("ant", "bee", "cat")]
    for key, answered in (("q1", systems), ("q2", systems[:2])):
        item = Item.objects.create(dataset=dataset, key=key)
        Turn.objects.create(item=item, position=1, text="?", clip=ClipFactory(seconds=3))
        for system in answered:
            response = Response.objects.create(item=item, system=system, key=f"{key}-{system}")
            ResponseTurn.objects.create(response=response, position=1, clip=ClipFactory(seconds=4))
    a, b = Response.objects.filter(item__key="q1").order_by("key")[:2]
    dataset.units.create(item=a.item, kind="pair", key="came", a=a, b=b, imported=True)
    return dataset


def ids(dataset: Dataset, *names: str) -> tuple[int, ...]:
    return tuple(dataset.systems.filter(name__in=names).values_list("pk", flat=True))


@each(
    "kind, how, systems, n",
    [
        ("pair", How.ALL, (), 4),
        ("pair", How.ALL, ("ant", "bee"), 2),
        ("pair", How.ALL, ("cat",), 0),
        ("pair", How.SUBSET, (), 3),
        ("pair", How.IMPORTED, (), 1),
        ("pair", How.IMPORTED, ("ant", "cat"), 0),
        ("single", How.EVERY, (), 5),
        ("single", How.EVERY, ("bee",), 2),
        ("item", How.EVERY, (), 2),
        ("item", How.EVERY, ("ant", "cat"), 1),
    ],
    undo=True,
)
def test_count_is_what_is_drawn_and_writes_nothing(
    dataset: Dataset, kind: str, how: str, systems: tuple[str, ...], n: int
) -> None:
    choice = UnitsChoice(kind, how, 1, ids(dataset, *systems) if systems else ())

    counted, written = count_units(dataset, choice), Unit.objects.count()
    drawn = units_chosen(dataset, choice)

    assert (counted, written) == (n, 1)
    assert len(drawn) == n
    assert {unit.kind for unit in drawn} <= {kind}


def test_guessed_seconds_are_of_listening_once_and_a_moment_per_question(dataset: Dataset) -> None:
    guesses = [guessed_seconds(dataset, SHIPPED[name]) for name in ("hcot", "acr")]

    assert guesses == [3 + 2 * 4 + 4 * 5, 3 + 4 + 5]
