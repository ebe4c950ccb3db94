"""A table of pairs: what it may say, and a sentence for every line that says something else."""

import pytest

from campaigns.launch.pair_files import PairRow, find_pairs, read_pairs
from corpus.datasets.units import as_units, pairs_of_systems
from corpus.models import Dataset, Response, Unit
from infrastructure.files.uploaded_tables import InvalidTable
from tests.cases import each
from tests.factories import RARE_A, RARE_B, DatasetFactory, make_unit

HEAD = "item,system_a,system_b\n"


@pytest.fixture
def dataset(db: None) -> Dataset:
    dataset = DatasetFactory()
    for key in ("q1", "q2"):
        make_unit(dataset, key).delete()
    return dataset


def faults_of(dataset: Dataset, table: str, **options: object) -> list[str]:
    with pytest.raises(InvalidTable) as refusal:
        find_pairs(dataset, read_pairs(table), **options)  # type: ignore[arg-type]
    return refusal.value.faults


def test_read_pairs_takes_lines_with_and_without_takes() -> None:
    table = "item,system_a,system_b,take_a,take_b\nq1, x ,y,1,\n"

    assert read_pairs(table) == [PairRow(2, "q1", ("x", "y"), ("1", ""))]


@each("delimiter", [";", "\t"])
def test_read_pairs_takes_what_other_spreadsheets_write(delimiter: str) -> None:
    table = "item,system_a,system_b\r\nq1,x,y\r\n".replace(",", delimiter)

    assert read_pairs(table) == [PairRow(2, "q1", ("x", "y"))]


@each(
    "table, fault",
    [
        ("", "The table needs the columns item, system_a, system_b; item is missing."),
        ("item,system_a\nq1,x\n", "The table needs the columns item, system_a, system_b; system_b is missing."),
        (HEAD, "A table has from 1 to 100000 pairs."),
        (HEAD + '"q1"x,a,b', "Line 2 is not valid CSV: ',' expected after '\"'."),
    ],
)
def test_read_pairs_refuses_what_is_no_table_of_pairs(table: str, fault: str) -> None:
    with pytest.raises(InvalidTable) as refusal:
        read_pairs(table)

    assert refusal.value.faults == [fault]


def test_find_pairs_gives_the_units_of_all_pairs_whichever_way_round(dataset: Dataset) -> None:
    table = f"{HEAD}q1,{RARE_A},{RARE_B}\nq2,{RARE_B},{RARE_A}\n"

    units = as_units(dataset, find_pairs(dataset, read_pairs(table)))

    assert {unit.pk for unit in units} == {unit.pk for unit in pairs_of_systems(dataset)}


def test_find_pairs_tells_takes_apart(dataset: Dataset) -> None:
    first = Response.objects.get(item__key="q1", system__name=RARE_A)
    second = Response.objects.create(item=first.item, system=first.system, key="second")
    table = f"item,system_a,system_b,take_a,take_b\nq1,{RARE_A},{RARE_B},second,\nq1,{RARE_A},{RARE_A},,second\n"

    pairs = find_pairs(dataset, read_pairs(table))
    units = as_units(dataset, pairs)

    assert [sorted((a.key, b.key)) for a, b in pairs] == [
        sorted(["second", f"q1/{RARE_B}.wav"]), sorted(["second", first.key]),
    ]  # fmt: skip
    assert len(units) == len({unit.key for unit in units}) == 2
    assert second.pk in {units[0].a_id, units[0].b_id}


def test_find_pairs_has_a_sentence_for_every_line_at_fault(dataset: Dataset) -> None:
    lines = [
        f"q9,{RARE_A},{RARE_B}",
        f"q1,{RARE_A},nobody",
        f"q1,{RARE_A},{RARE_A}",
        f"q1,{RARE_A},{RARE_B}",
        f"q1,{RARE_B},{RARE_A}",
        f"q2,{RARE_A},{RARE_B},lost",
    ]

    found = faults_of(dataset, "item,system_a,system_b,take_a\n" + "\n".join(lines))

    assert found == [
        "Line 2: the chosen systems answered no item 'q9'.",
        "Line 3: no chosen system 'nobody' answered 'q1'.",
        "Line 4: both sides are one and the same response.",
        "Line 6: line 5 has the same pair.",
        f"Line 7: {RARE_A!r} has no take 'lost' here.",
    ]
    assert not Unit.objects.exists()


def test_find_pairs_knows_only_the_chosen_systems(dataset: Dataset) -> None:
    chosen = dataset.systems.get(name=RARE_A)

    found = faults_of(dataset, f"{HEAD}q1,{RARE_A},{RARE_B}\n", systems=[chosen.pk])

    assert found == [f"Line 2: no chosen system {RARE_B!r} answered 'q1'."]
