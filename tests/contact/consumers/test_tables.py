"""Whatever else can be downloaded as a table, opened by pandas, polars and DuckDB with their defaults.

Votes and standings of an arena, label sets, reports and their figures, verdicts of a run, and the audit log; battles,
preference pairs and TRACE's lines, too.
"""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.models import Report
from arena.models import ArenaSettings
from campaigns.models import Campaign, Membership, Role
from judges.models import Run
from tests.analytics.exporting.exported import made_export, written
from tests.analytics.saying import judge_says, labels_say, people_say
from tests.arena.arenas import draw_and_vote, make_open_arena
from tests.contact.consumers.consumed import consumed
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db

READ = """
import json, sys, duckdb, pandas as pd, polars as pl
def read(path):
    if path.endswith(".csv"):
        return pd.read_csv(path), pl.read_csv(path)
    return pd.read_json(path, lines=True), pl.read_ndjson(path)
found = {}
for path in sys.argv[1:]:
    pandas, polars = read(path)
    ours = duckdb.sql(f"select * from '{path}'")
    types = {name: str(kind) for name, kind in zip(ours.columns, ours.types)}
    rows = len(pandas), polars.height, ours.aggregate("count(*), count(columns(*))").fetchall()[0][0]
    found[path.split("/")[-1]] = [*rows, list(pandas.columns) == polars.columns == ours.columns, types]
print(json.dumps(found))
"""
#: Columns whose type somebody could rely on, by the file.
WHOLE = {
    "votes.csv": ["turn"], "votes.jsonl": ["turn"], "standing.csv": ["table", "best_rank", "worst_rank", "votes"],
    "run.csv": ["run", "sample"], "run.jsonl": ["run", "sample"], "battles.jsonl": ["run", "sample", "turn"],
    "preferences.jsonl": ["run", "sample"], "figure.csv": ["label_a", "label_b"], "labels.csv": [],
    "all-raters.csv": [],
    "audit-log.csv": ["id", "number"], "labels.jsonl": ["index"], "trace.jsonl": ["index"],
}  # fmt: skip
NUMBERS = {
    "votes.csv": ["tstamp", "propensity", "drawn_at"], "votes.jsonl": ["tstamp", "propensity", "drawn_at"],
    "standing.csv": ["rating", "low", "high", "win_rate"], "battles.jsonl": ["tstamp"],
}  # fmt: skip


def fetch(client: Client, folder: Path, name: str, address: str, *parts: Any) -> Path:
    response = client.get(reverse(address, args=parts))
    assert response.status_code == 200, (name, response.status_code)
    path = folder / name
    path.write_bytes(response.getvalue())
    return path


def researcher_of(campaign: Campaign) -> User:
    """Who made its dataset, too."""
    Membership.objects.create(campaign=campaign, user=campaign.created_by, role=Role.RESEARCHER)
    return campaign.created_by


def files_of_arena(client: Client, folder: Path) -> list[Path]:
    """Thirty votes, and before them some on a pair that nobody drew."""
    arena: ArenaSettings = make_open_arena()
    campaign = arena.campaign
    client.force_login(researcher_of(campaign))
    for said in ("1", "2", "both_good", "both_bad", "1", "2") * 5:
        draw_and_vote(arena, make_member(campaign), said)
    slug = campaign.slug
    names = [(f"votes.{form}", "arena-votes", slug, form) for form in ("csv", "jsonl")]
    return [fetch(client, folder, *it) for it in [*names, ("standing.csv", "board-file", slug, "csv")]]


def files_of_study(client: Client, folder: Path, campaign: Campaign, run: Run) -> list[Path]:
    labels = labels_say(campaign, "Theirs", ["a", "b", "a", "b"] * 10, rater="R1")
    client.get(reverse("report-figures", args=[campaign.slug, "labels"]))
    report = Report.objects.get()
    found = [
        fetch(client, folder, "labels.csv", "label-set-tidy", labels.pk),
        fetch(client, folder, "all-raters.csv", "label-set-all-raters", labels.pk),
        fetch(client, folder, "labels.jsonl", "label-set-trace", labels.pk),
        fetch(client, folder, "run.csv", "run-file", campaign.slug, run.pk, "csv"),
        fetch(client, folder, "run.jsonl", "run-file", campaign.slug, run.pk, "jsonl"),
        fetch(client, folder, "figure.csv", "figure-file", report.pk, "counts-overall", "csv"),
    ]
    for name in ("battles", "preferences", "trace"):
        path = written(campaign, name, folder, judges=True)
        found.append(path.rename(folder / f"{name}.jsonl"))
    return found


def test_every_table_opens_with_defaults_and_whole_numbers_are_whole(client: Client, tmp_path: Path) -> None:
    campaign = make_campaign(protocol="blind_overall", units=40, answers_per_unit=3)
    people_say(campaign, *([["a", "b", "both_good", "a"] * 10] * 3))
    run = judge_says(campaign, {"ab": ["a", "b", "a", "unparsed"] * 10})
    made_export(campaign)  # which the audit log tells
    administrator = UserFactory(is_staff=True, is_superuser=True)
    client.force_login(researcher_of(campaign))
    files = files_of_study(client, tmp_path, campaign, run) + files_of_arena(client, tmp_path)
    client.force_login(administrator)
    files.append(fetch(client, tmp_path, "audit-log.csv", "audit-log-csv"))

    found = consumed(READ, *files)

    assert set(found) == set(WHOLE)
    for name, (pandas, polars, duckdb, same_columns, types) in found.items():
        assert pandas == polars == duckdb > 0, name
        assert same_columns, name
        assert {column: types[column] for column in WHOLE[name]} == dict.fromkeys(WHOLE[name], "BIGINT"), name
        numbers = NUMBERS.get(name, [])
        assert {column: types[column] for column in numbers} == dict.fromkeys(numbers, "DOUBLE"), name


REPORT = """
import json, sys, duckdb, pandas as pd
with open(sys.argv[1]) as file:
    figure = json.load(file)["figures"][0]
rows = pd.DataFrame(figure["rows"])
ours = duckdb.sql(f"select unnest(f.rows) as row from (select unnest(figures) as f from '{sys.argv[1]}')").fetchall()
print(json.dumps([rows["label_a"].tolist(), str(rows["label_a"].dtype), [row[0]["label_a"] for row in ours]]))
"""


def test_report_as_json_opens_as_a_table(client: Client, tmp_path: Path) -> None:
    campaign = make_campaign(protocol="blind_overall", units=4, answers_per_unit=2)
    people_say(campaign, ["a", "b", "a", "a"], ["a", "a", "b", "a"])
    client.force_login(researcher_of(campaign))
    client.get(reverse("report-figures", args=[campaign.slug, "labels"]))
    path = fetch(client, tmp_path, "report.json", "report-file", Report.objects.get().pk, "json")

    assert consumed(REPORT, path) == [[6], "int64", [6]]
