"""SpeakBench's published verdicts as imported rows: what is kept, compared and missing."""

import json
from pathlib import Path

import pytest

from analytics.data.label_arrays import JudgeRun, label_arrays, table_of
from analytics.judged.comparison import compare
from campaigns.models import Campaign
from corpus.imports.files.rows import read_rows
from judges.imported.columns import find_columns
from judges.imported.plan import plan_verdicts
from judges.imported.writing import Imported, units_by_key, write_verdicts
from stats.agreement.coefficients import cohen_kappa
from tests.factories import UserFactory
from tests.judges.speakbench import DATA, JUDGES, import_pairs, manifest_of_pairs, rows_of, speakbench_campaign
from tests.needs import needs

pytestmark = [
    pytest.mark.django_db,
    needs(DATA.exists(), "the published data of ../shared/data is not here"),
]
GEMINI = "judge_speakbench_gemini-2.5-flash.csv"
DIMENSIONS = ("content", "paralinguistics", "voice_quality")
REFERENCE = "gpt4o-audio"


def imported(campaign: Campaign, name: str) -> Imported:
    rows = read_rows(JUDGES / name)
    columns = find_columns(rows, named={}, settings=(), judge="", order="")
    plan = plan_verdicts(rows, columns, protocol=campaign.protocol, units=units_by_key(campaign))
    assert plan.problems == []
    return write_verdicts(campaign, plan, user=campaign.created_by)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    user = UserFactory(is_researcher=True)
    dataset = import_pairs(manifest_of_pairs(rows_of(GEMINI), tmp_path / "pairs.csv"), user)
    return speakbench_campaign(dataset, user)


def test_the_two_orders_of_a_judge_agree_as_far_as_published(campaign: Campaign) -> None:
    """κ between AB and BA of one judge, without pairs of a system with itself (judge_reliability_alpha)."""
    imported(campaign, GEMINI)
    told = json.loads((DATA / "truth" / "speakbench_judge_reliability_alpha.json").read_text(encoding="utf-8"))
    arrays = label_arrays(campaign)
    run = _run(arrays.runs, "0")
    own = set(campaign.campaign_units.filter(unit__a__system__name=REFERENCE).values_list("unit_id", flat=True))
    for aspect in ("overall", *DIMENSIONS):
        both = [run.said[order, 0][aspect] for order in ("ab", "ba")]
        places = [place for place in both[0] if place in both[1] and place[0] not in own]
        found = cohen_kappa(table_of(both, places, ("a", "b", "tie"))).estimate
        expected = told["reproduced"][f"{aspect}/0-shot"]["kappa_AB_vs_BA_same_judge"]["gemini-2.5-flash"]
        assert found == pytest.approx(expected, abs=1e-5)


def test_missing_rows_are_missing_and_every_row_is_kept(campaign: Campaign) -> None:
    done = imported(campaign, GEMINI)

    assert (len(done.runs), done.there) == (2, 0)
    assert sum(run.verdicts.filter(answers__aspect="overall").count() for run in done.runs) == 2 * 1053 + 2 * 1048
    again = imported(campaign, GEMINI)
    assert (again.new, again.there) == (0, done.new)


def test_the_comparison_with_people_merges_ties_and_counts_what_is_missing(campaign: Campaign) -> None:
    imported(campaign, GEMINI)

    found = compare(label_arrays(campaign))

    rows = {row.title: row.by_aspect["overall"] for row in found.rows if row.kind == "judge"}
    labelled = len({row["item_id"] for row in rows_of(GEMINI) if row["label_human"]})
    assert found.references == (("labels-HCoT", "HCoT"),)
    for measured in rows.values():
        assert (measured.ties_merged, measured.accuracy.n) == (True, labelled)
        assert measured.kappa.interval is not None
    assert {title: it.inconsistent > 0 for title, it in rows.items()} == dict.fromkeys(rows, True)


def _run(runs: tuple[JudgeRun, ...], shots: str) -> JudgeRun:
    return next(run for run in runs if run.run.judge.settings["n_shots"] == shots)
