"""A sample of benchmarks/fuzzing: every upload route accepts a valid file, and accepts or refuses damaged ones."""

import io
import logging
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.fuzzing import seeds
from benchmarks.fuzzing.routes import REFUSED, TAKEN, UploadRoutes
from corpus.imports.files.parquet import UnreadableParquet, stream_parquet
from tests.cases import each

pytestmark = pytest.mark.django_db

PER_ROUTE = 14
#: Routes that do not accept every valid file: other tests cover them.
CLOSED_TO = {"import: pairs": {"table.csv"}, "import: battles": {"table.json"}, "likelihoods": {"table.csv"}}


@pytest.fixture
def routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[UploadRoutes]:
    logging.disable()
    made = UploadRoutes()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield made
    logging.disable(logging.NOTSET)


def test_every_upload_route_accepts_valid_files_and_survives_damaged_ones(routes: UploadRoutes) -> None:
    for route in routes.all.values():
        whole = {name: content for name, content in route.pool.items() if name not in CLOSED_TO.get(route.name, ())}
        name = min(whole)
        assert routes.try_one(route, name, whole[name]) == TAKEN, f"{route.name} refused {name}"
        rng = random.Random(route.name)
        for _ in range(PER_ROUTE):
            assert routes.try_one(route, *routes.input_for(route, rng)) in (TAKEN, REFUSED)


@pytest.mark.parametrize("kind", range(3))
def test_parquet_of_kilobytes_is_not_unpacked_to_gigabytes(kind: int) -> None:
    bomb = seeds.parquet_bomb(kind)
    assert len(bomb) < 100_000

    with pytest.raises(UnreadableParquet, match="more than"):
        list(stream_parquet(io.BytesIO(bomb)))


@each("seed", range(12), undo=True)
def test_parquet_of_odd_types_is_plain_data_or_refused(seed: int) -> None:
    try:
        rows = list(stream_parquet(io.BytesIO(seeds.hostile_parquet(random.Random(seed)))))
    except UnreadableParquet:
        return
    assert all(isinstance(it, str | int | float | bool | list | dict | None) for row in rows for it in row.values())
