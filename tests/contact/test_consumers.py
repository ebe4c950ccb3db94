"""Exports in the libraries of those who read them: each opens the file with its defaults, as its documentation says.

The other side: polars, DuckDB, pandas, `datasets` without torchcodec, arena-rank and evalica, as published, in an
environment of their own (`make consumers` makes .venv/consumers from consumers.txt beside this file; arena-rank needs
another NumPy). A program of a few lines runs there and prints what it read as JSON. `datasets` with torchcodec, which
needs FFmpeg's libraries, is read here in the tests' own environment.
"""

import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
import soundfile

from campaigns.models import Campaign
from corpus.models import Clip
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.factories import RARE_A, RARE_B, make_campaign
from tests.needs import lacking
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db
PYTHON = PROJECT / ".venv" / "consumers" / "bin" / "python"
#: More people's answers than a reader looks at to infer types, and then those of a judge.
UNITS, PEOPLE = 40, 4


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(protocol="blind_overall", units=UNITS, answers_per_unit=PEOPLE)
    values = ["a", "b", "both_good", "a"] * (UNITS // 4)
    people_say(campaign, *([values] * (PEOPLE - 1)), ["a", "a", "both_bad", "b"] * (UNITS // 4))
    judge_says(campaign, {"ab": ["a", "b"] * (UNITS // 2)})
    return campaign


def consumed(program: str, *arguments: object) -> Any:
    """What a program prints as JSON that runs where the consumers are installed."""
    if not PYTHON.exists():
        lacking("the consumers' libraries are not installed: `make consumers` does it")
    command = [str(PYTHON), "-W", "ignore", "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


POLARS = """
import json, sys, polars as pl
tables = pl.read_ndjson(sys.argv[1]), pl.read_parquet(sys.argv[2]), pl.read_csv(sys.argv[3])
print(json.dumps([[it.height, it["run"].drop_nulls().len(), str(it["run"].dtype)] for it in tables]))
"""
DUCKDB = """
import json, sys, duckdb
said = "select count(*), count(run), any_value(typeof(run)) from "
print(json.dumps([duckdb.sql(said + f"'{path}'").fetchall()[0] for path in sys.argv[1:]]))
"""
PANDAS = """
import json, sys, pandas as pd
types = pd.read_parquet(sys.argv[1]).dtypes.astype(str)
print(json.dumps({name: types[name] for name in ("run", "sample", "acceptable_a", "recorded_at", "seconds")}))
"""
FIELDS = """
import json, sys, pyarrow.parquet as pq
schema = pq.read_schema(sys.argv[1])
print(json.dumps([schema.metadata[b"earshot_schema_version"].decode(),
                  {it.name: (it.metadata or {}).get(b"description", b"").decode() for it in schema}]))
"""


@pytest.fixture
def tables(campaign: Campaign, tmp_path: Path) -> dict[str, Path]:
    made = {name: written(campaign, name, tmp_path, judges=True) for name in ("jsonl", "parquet", "csv")}
    return {name: path.rename(path.with_name(f"answers.{name}")) for name, path in made.items()}


def test_polars_reads_every_table_with_its_defaults(tables: dict[str, Path]) -> None:
    rows = UNITS * (PEOPLE + 1)

    # A CSV has no types: polars takes a column that is empty in the first lines for text.
    assert consumed(POLARS, *tables.values()) == [[rows, UNITS, kind] for kind in ("Int64", "Int64", "String")]


def test_duckdb_reads_every_table_with_its_defaults(tables: dict[str, Path]) -> None:
    rows = UNITS * (PEOPLE + 1)

    assert consumed(DUCKDB, *tables.values()) == [[rows, UNITS, "BIGINT"]] * 3


def test_pandas_keeps_whole_numbers_and_booleans_where_some_are_missing(tables: dict[str, Path]) -> None:
    assert consumed(PANDAS, tables["parquet"]) == {
        "run": "Int64",
        "sample": "Int64",
        "acceptable_a": "boolean",
        "recorded_at": "datetime64[us, UTC]",
        "seconds": "float64",
    }


def test_every_field_of_parquet_has_a_description(tables: dict[str, Path]) -> None:
    version, fields = consumed(FIELDS, tables["parquet"])

    assert version == "1"
    assert [name for name, about in fields.items() if not about] == []


ARENA_RANK = """
import json, sys, pandas as pd
from arena_rank.utils.data_utils import PairDataset
from arena_rank.models.bradley_terry import BradleyTerry
battles = pd.read_json(sys.argv[1], lines=True)
battles = battles[battles.rater == "human"]
data = PairDataset.from_pandas(battles)
found = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data, significance_level=0.05)
print(json.dumps(dict(zip(found["competitors"], map(float, found["ratings"])))))
"""
EVALICA = """
import json, sys, evalica, pandas as pd
battles = pd.read_json(sys.argv[1], lines=True)
battles = battles[battles.rater == "human"]
outcomes = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
winners = [outcomes.get(winner, evalica.Winner.Draw) for winner in battles.winner]
found = evalica.bradley_terry(battles.model_a, battles.model_b, winners).scores
print(json.dumps(found.to_dict()))
"""


def test_battles_give_ratings_in_arena_rank_and_evalica(campaign: Campaign, tmp_path: Path) -> None:
    battles = written(campaign, "battles", tmp_path, judges=True)

    ranked, scored = consumed(ARENA_RANK, battles), consumed(EVALICA, battles)

    # 80 of a against 40 of b and 40 ties, which count half to each: a log ratio of 100 to 60.
    assert set(ranked) == set(scored) == {RARE_A, RARE_B}
    assert np.log(scored[RARE_A] / scored[RARE_B]) == pytest.approx(np.log(100 / 60), abs=1e-4)
    assert (ranked[RARE_A] - ranked[RARE_B]) / 400 * np.log(10) == pytest.approx(np.log(100 / 60), abs=1e-3)


DATASETS = """
import sys
from datasets import config, load_dataset
assert not config.TORCHCODEC_AVAILABLE
items = load_dataset(sys.argv[1], "items", split="train", cache_dir=sys.argv[2])
{documented}
import json
print(json.dumps([rate, len(samples), float(abs(samples).max())]))
"""


TONE = 0.5 * np.sin(2 * np.pi * 100 * np.arange(1600) / 16_000)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """The folder of a Hugging Face dataset whose clips are all one tone."""
    campaign = make_campaign(units=2)
    for clip in Clip.objects.all():
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(clip.path, TONE, 16_000, format="WAV")
    with zipfile.ZipFile(written(campaign, "hugging-face", tmp_path)) as archive:
        archive.extractall(tmp_path / "hub")
    return tmp_path / "hub"


# Of datasets, dill, fsspec and multiprocess, which are not ours.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning")
def test_sound_is_decoded_by_torchcodec(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import torchcodec.decoders  # noqa: F401, PLC0415 - loads FFmpeg's libraries
    except (ImportError, OSError, RuntimeError) as missing:
        lacking(f"torchcodec cannot load FFmpeg's libraries: {missing}")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)

    items = datasets.load_dataset(str(hub), "items", split="train", cache_dir=str(tmp_path / "cache"))
    heard = items[0]["prompt"].get_all_samples()

    assert heard.sample_rate == 16_000
    np.testing.assert_allclose(heard.data[0].numpy(), TONE, atol=1e-4)


def test_sound_is_read_without_torchcodec_as_the_documentation_says(hub: Path, tmp_path: Path) -> None:
    how_to = (PROJECT / "docs" / "how-to" / "export.md").read_text("utf-8")
    documented = next(it for it in re.findall(r"```python\n(.*?)```", how_to, re.S) if "cast_column" in it)

    found = consumed(DATASETS.format(documented=documented), hub, tmp_path / "cache")

    assert found == [16_000, 1600, pytest.approx(0.5, abs=1e-3)]
