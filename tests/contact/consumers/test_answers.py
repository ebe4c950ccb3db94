"""Tables of answers and battles in polars, DuckDB, pandas, arena-rank and evalica, each with its defaults."""

from pathlib import Path

import numpy as np
import pytest

from analytics.exports.tables.columns import SCHEMA_VERSION
from campaigns.models import Campaign
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.contact.consumers.consumed import consumed
from tests.factories import RARE_A, RARE_B, make_campaign

pytestmark = pytest.mark.django_db
#: More people's answers than a reader looks at to infer types, and then those of a judge.
UNITS, PEOPLE = 40, 4


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(protocol="blind_overall", units=UNITS, answers_per_unit=PEOPLE)
    values = ["a", "b", "both_good", "a"] * (UNITS // 4)
    people_say(campaign, *([values] * (PEOPLE - 1)), ["a", "a", "both_bad", "b"] * (UNITS // 4))
    judge_says(campaign, {"ab": ["a", "b"] * (UNITS // 2)})
    return campaign


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

    assert version == SCHEMA_VERSION
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
