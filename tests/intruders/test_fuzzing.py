"""A sample of benchmarks/fuzzing: a whole file comes in by every door, and damaged ones are taken or refused."""

import logging
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import fuzzing_seeds as seeds
from benchmarks.fuzzing_doors import REFUSED, TAKEN, Doors
from campaigns.imports.parquet import UnreadableParquet, parquet_rows

pytestmark = pytest.mark.django_db

PER_DOOR = 14
#: Doors by which not everything comes in that has the right form: what they are for is elsewhere.
CLOSED_TO = {"import: pairs": {"table.csv"}, "import: battles": {"table.json"}, "likelihoods": {"table.csv"}}


@pytest.fixture
def doors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:
    logging.disable()
    made = Doors()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield made
    logging.disable(logging.NOTSET)


def test_every_door_takes_what_is_whole_and_survives_what_is_not(doors: Doors) -> None:
    for door in doors.all.values():
        whole = {name: content for name, content in door.pool.items() if name not in CLOSED_TO.get(door.name, ())}
        name = min(whole)
        assert doors.try_one(door, name, whole[name]) == TAKEN, f"{door.name} refused {name}"
        rng = random.Random(door.name)
        for _ in range(PER_DOOR):
            assert doors.try_one(door, *doors.input_for(door, rng)) in (TAKEN, REFUSED)


@pytest.mark.parametrize("kind", range(3))
def test_parquet_of_kilobytes_is_not_unpacked_to_gigabytes(kind: int) -> None:
    bomb = seeds.parquet_bomb(kind)
    assert len(bomb) < 100_000

    with pytest.raises(UnreadableParquet, match="more than"):
        parquet_rows(bomb)


@pytest.mark.parametrize("seed", range(12))
def test_parquet_of_odd_types_is_plain_data_or_refused(seed: int) -> None:
    try:
        rows = parquet_rows(seeds.hostile_parquet(random.Random(seed)))
    except UnreadableParquet:
        return
    assert all(isinstance(it, str | int | float | bool | list | dict | None) for row in rows for it in row.values())
