"""AudioJudge Table 8 again, from the published verdicts of its three specialists and its people's labels."""

import csv
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from judges.kinds.audio_models.votes import combined
from judges.verdicts.aggregation import Samples, tally

UNTYPED = ("1", "2", "tie")
WORTH = {"1": Fraction(1), "tie": Fraction(1, 2), "2": Fraction(0)}


@pytest.fixture(scope="module")
def votes(shared_data: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """By system, item and order: what each specialist of Gemini said first of the two clips, without examples."""
    found: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    with (shared_data / "audiojudge" / "judge_speakbench_gemini-2.5-flash.csv").open() as file:
        for row in csv.DictReader(file):
            if row["n_shots"] == "0" and row["aspect"] != "overall" and row["verdict"]:
                found[row["system_a"], row["instruction_id"], row["order"]][row["aspect"]] = row["verdict"]
    return found


@pytest.fixture(scope="module")
def truth(shared_data: Path) -> dict[str, dict[str, dict[str, float]]]:
    return json.loads((shared_data / "truth" / "aj_table8_speakbench_winrates.json").read_text())["published"]


def automatic(votes: dict[tuple[str, str, str], dict[str, str]], *, rule: str = "mean") -> dict[str, float]:
    """Win rates against the reference in percent: of every item the mean over both orders."""
    scores: dict[str, list[Fraction]] = defaultdict(list)
    for (system, _item, order), said in votes.items():
        label = combined(said, rule=rule, fallback="mean", offered=UNTYPED).label  # type: ignore[arg-type]
        assert label is not None
        scores[system].append(WORTH[label] if order == "AB" else 1 - WORTH[label])
    return {system: round(float(100 * sum(of) / len(of)), 2) for system, of in scores.items()}


def human(shared_data: Path) -> dict[str, float]:
    scores: dict[str, list[Fraction]] = defaultdict(list)
    with (shared_data / "hcot" / "speakbench_original_508.csv").open() as file:
        for row in csv.DictReader(file):
            scores[row["system_a"]].append(WORTH[row["label"]])
            scores[row["system_b"]].append(1 - WORTH[row["label"]])
    return {system: round(float(100 * sum(of) / len(of)), 2) for system, of in scores.items()}


def test_ensemble_and_both_orders_give_the_win_rates_that_were_printed(
    votes: dict[tuple[str, str, str], dict[str, str]],
    truth: dict[str, dict[str, dict[str, float]]],
    shared_data: Path,
) -> None:
    printed = truth["win_rates"]

    assert automatic(votes) == {system: cell["auto"] for system, cell in printed.items()}
    assert human(shared_data) == {system: cell["human"] for system, cell in printed.items()}


def test_ranks_of_judge_and_people_agree_as_printed(
    votes: dict[tuple[str, str, str], dict[str, str]], shared_data: Path
) -> None:
    judged, heard = automatic(votes), human(shared_data)
    systems = sorted(judged)

    rho = spearmanr([judged[system] for system in systems], [heard[system] for system in systems]).statistic

    assert rho == pytest.approx(0.912088, abs=1e-6)


def test_eight_items_have_two_votes_and_are_judged_all_the_same(
    votes: dict[tuple[str, str, str], dict[str, str]],
) -> None:
    assert sorted({len(said) for said in votes.values()}) == [2, 3]
    assert len({(system, item) for (system, item, _order), said in votes.items() if len(said) == 2}) == 8


def test_a_strict_majority_is_another_rule_and_gives_other_win_rates(
    votes: dict[tuple[str, str, str], dict[str, str]], truth: dict[str, dict[str, dict[str, float]]]
) -> None:
    """What the paper calls majority voting is the mean of the votes: one winner and two ties are a winner."""
    by_majority = automatic(votes, rule="majority")

    assert sum(by_majority[system] == cell["auto"] for system, cell in truth["win_rates"].items()) == 7


def test_a_quarter_of_the_ensemble_s_labels_hangs_on_the_order(
    votes: dict[tuple[str, str, str], dict[str, str]],
) -> None:
    """Table 8 lets either order count a half; where both have to agree, these items have no label."""
    turned = {"1": "2", "2": "1", "tie": "tie"}
    by_unit: dict[tuple[str, str], tuple[Samples, ...]] = defaultdict(tuple)
    for (system, item, order), said in votes.items():
        label = combined(said, rule="mean", fallback="none", offered=UNTYPED).label
        by_unit[system, item] += ((turned[label] if label and order == "BA" else label,),)

    found = tally(by_unit.values())

    assert (found.counts["inconsistent"], found.compared, found.n) == (271, 1053, 1053)
