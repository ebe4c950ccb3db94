"""AudioJudge Table 8 from imported rows: 13 win rates of a judge, 13 of people, and how they go together."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.datasets import Selection, tally
from analytics.judge_comparison import compare
from analytics.label_arrays import JudgeRun, label_arrays, table_of
from analytics.stats.acceptability import win_rates
from analytics.stats.agreement import cohen_kappa
from analytics.stats.correlation import correlation
from analytics.system_rates import ensemble_rates
from campaigns.imports.rows import read_rows
from campaigns.models import Campaign, LabelSet
from judges.imported.plan import find_columns, plan_verdicts
from judges.imported.writing import Imported, units_by_key, write_verdicts
from tests.factories import UserFactory
from tests.judges.speakbench import DATA, JUDGES, import_pairs, manifest_of_pairs, rows_of, speakbench_campaign

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not DATA.exists(), reason="the published data of ../shared/data is not here"),
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


def truth() -> dict[str, dict[str, float]]:
    told = json.loads((DATA / "truth" / "aj_table8_speakbench_winrates.json").read_text(encoding="utf-8"))
    rates: dict[str, dict[str, float]] = told["published"]["win_rates"]
    return rates


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    user = UserFactory(is_researcher=True)
    dataset = import_pairs(manifest_of_pairs(rows_of(GEMINI), tmp_path / "pairs.csv"), user)
    return speakbench_campaign(dataset, user)


def people_rates(tmp_path: Path) -> dict[str, Fraction]:
    """From the labels that SpeakBench was published with, through the dataset import and the board's counts."""
    with (DATA / "hcot" / "speakbench_original_508.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    path = tmp_path / "original.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["index", "instruction_id", "instruction_text", "system_a", "system_b", "label_overall"])
        for row in rows:
            text = f"Instruction {row['instruction_id']}"
            out.writerow([row["row"], row["instruction_id"], text, row["system_a"], row["system_b"], row["label"]])
    import_pairs(path, UserFactory(is_researcher=True), dataset="SpeakBench, original", labels="original")
    labels = LabelSet.objects.get(name="original")
    counts = tally(labels, Selection("overall")).counts
    return {it.system: it.exact for it in win_rates(counts) if it.exact is not None}


def test_table_8_comes_out_of_imported_verdicts_and_labels(campaign: Campaign, tmp_path: Path) -> None:
    imported(campaign, GEMINI)
    arrays = label_arrays(campaign)
    zero_shot = _run(arrays.runs, "0")

    judge = ensemble_rates(arrays, zero_shot, aspects=DIMENSIONS, reference=REFERENCE)
    people = people_rates(tmp_path)

    found = {
        name: {"auto": round(100 * float(judge[name] or 0), 2), "human": round(100 * float(people[name]), 2)}
        for name in truth()
    }
    print(f"\n{'system':28}{'published':>18}{'obtained':>18}")  # noqa: T201
    for name, expected in truth().items():
        both = [expected["auto"], expected["human"], found[name]["auto"], found[name]["human"]]
        print(f"{name:28}" + "".join(f"{rate:9.2f}" for rate in both))  # noqa: T201
    cells = [(found[name][side], expected[side]) for name, expected in truth().items() for side in expected]
    assert sum(abs(one - other) < 0.006 for one, other in cells) == 26
    names = list(truth())
    rho = correlation([judge[name] for name in names], [people[name] for name in names])
    print(f"Spearman's ρ: published 0.91, expected 0.912088, obtained {rho.estimate:.6f}")  # noqa: T201
    assert rho.estimate == pytest.approx(0.912088, abs=1e-4)


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
