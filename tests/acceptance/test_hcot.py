"""TRACE/HCoT on SpeakBench: the release comes in by the importer, its figures come out of reports and the board."""

import csv
import json
from collections.abc import Callable
from itertools import product
from operator import ne
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analytics.data.label_words import TITLES as LABELS
from analytics.reports.kinds import KINDS
from analytics.reports.output.figures import Figure
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign
from corpus.datasets.units import imported_pairs
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import LabelSet
from protocols import SHIPPED
from protocols.fusion import FUSED, POLICIES, fuse
from stats.results import Estimate
from tests.acceptance.conftest import Beside
from tests.acceptance.told import truth as told
from tests.analytics.reports.shown import figures_of, links_of, row_of, rows_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ASPECTS = ("overall", "content", "voice_quality", "paralinguistics")
TITLES = {aspect.name: aspect.title for aspect in SHIPPED["hcot"].aspects}
#: The rules of the reference, by the names that policies have here.
RULES = {
    "alg1_speakbench": "speakbench",
    "repo_speakbench_dominant_both_bad": "speakbench_dominant",
    "alg2_s2sarena": "s2s_arena",
    "table10_literal_cap": "s2s_arena_lenient",
    "vote_fallback_content": "majority_content",
    "vote_fallback_both_bad": "majority_both_bad",
    "vote_no_majority_is_wrong": "majority",
    "vote_numeric_mean": "numeric_mean",
}
RESOLVERS = {"VQ": "voice_quality", "P": "paralinguistics", "tie": "tie", "capped_both_bad": "capped_both_bad"}

Truth = Callable[[str], dict[str, Any]]
Change = Callable[[dict[str, Any]], dict[str, Any] | None]


@pytest.fixture
def researcher() -> User:
    return UserFactory(is_researcher=True)


@pytest.fixture
def truth(shared_data: Path) -> Truth:
    return lambda name: told(shared_data, name)


@pytest.fixture
def released(shared_data: Path) -> Path:
    return shared_data / "hcot" / "hcot_speakbench.jsonl"


def bring_in(manifest: Path, *, dataset: str, labels: str, user: User) -> None:
    """By the page's two steps: check, and write what was checked."""

    def quiet(done: int, total: int, note: str) -> None:
        """Nobody watches."""

    checked = check_upload(manifest, None, dataset_name=dataset, label_set_name=labels, progress=quiet)
    assert checked.errors == []
    write_checked(checked, None, Destination(dataset, labels, user), progress=quiet)


def rewritten(released: Path, path: Path, change: Change) -> Path:
    """The release with other labels, or with fewer pairs."""
    rows = [change(json.loads(line)) for line in released.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows if row), encoding="utf-8")
    return path


@pytest.fixture
def campaign(released: Path, shared_data: Path, tmp_path: Path, researcher: User) -> Campaign:
    return two_passes(released, shared_data, tmp_path, researcher, lambda row: row)


def two_passes(released: Path, shared_data: Path, folder: Path, researcher: User, which: Change) -> Campaign:
    """A campaign over SpeakBench with the HCoT labels, and beside them the labels that SpeakBench had first."""
    with (shared_data / "hcot" / "speakbench_orig_vs_hcot.csv").open(encoding="utf-8", newline="") as file:
        original = {row["item_id"]: row["label_orig"] for row in csv.DictReader(file)}
    chosen = rewritten(released, folder / "hcot.jsonl", which)
    first = rewritten(
        chosen, folder / "original.jsonl", lambda row: row | {"label": {"overall": original[str(row["index"])]}}
    )
    bring_in(chosen, dataset="SpeakBench", labels="HCoT", user=researcher)
    bring_in(first, dataset="SpeakBench", labels="Original", user=researcher)
    dataset = LabelSet.objects.get(name="HCoT").dataset
    return create_campaign(
        dataset, title="SpeakBench", protocol=SHIPPED["hcot"], units=imported_pairs(dataset), user=researcher
    )


@pytest.fixture
def study(campaign: Campaign) -> dict[str, Figure]:
    return figures_of(KINDS["hcot"], campaign, labels="labels-HCoT", other="labels-Original")


def times(found: Estimate) -> int:
    """How often, of a share."""
    assert found.estimate is not None
    return round(found.estimate * found.n)


@pytest.mark.holds("hcot_table6_counts/*/speakbench*")
def test_label_counts_are_those_of_table_6(study: dict[str, Figure], truth: Truth, beside: Beside) -> None:
    told = truth("hcot_table6_counts")
    four_way = told["reproduced"]["four_way_counts"]["speakbench"]
    for aspect in ASPECTS:
        row = row_of(study["counts"], TITLES[aspect])
        beside(
            f"Table 6, {aspect}: both bad, winner, both good",
            published=told["published"]["speakbench"][aspect],
            expected=told["reproduced"]["table6"]["speakbench"][aspect],
            obtained=[row["both_bad"], row["winner"], row["both_good"]],
        )
        names = {"1": "a", "2": "b", "both_good": "both_good", "both_bad": "both_bad"}
        beside(
            f"labels of {aspect}, each",
            expected=tuple(four_way[aspect][label] for label in names),
            obtained=tuple(row[name] for name in names.values()),
        )
    n = sum(row_of(study["counts"], TITLES["overall"])[it] for it in ("both_bad", "winner", "both_good"))
    beside("Table 6, pairs", expected=told["reproduced"]["n"]["speakbench"], obtained=n)


@pytest.mark.holds(
    "speakbench_orig_vs_hcot_agreement/published/*",
    *(f"speakbench_orig_vs_hcot_agreement/reproduced/{ways}/{it}" for ways in ("two_way", "three_way")
      for it in ("agree", "n", "pct", "wilson")),
    "speakbench_orig_vs_hcot_agreement/reproduced/cohen_kappa_3way",
    "speakbench_orig_vs_hcot_agreement/reproduced/krippendorff_alpha_nominal_3way",
    "speakbench_orig_vs_hcot_agreement/reproduced/confusion_orig_by_hcot/[12]/*",
)  # fmt: skip
def test_original_labels_agree_with_hcot_as_in_table_2(
    study: dict[str, Figure], truth: Truth, beside: Beside
) -> None:
    told = truth("speakbench_orig_vs_hcot_agreement")
    published, expected = told["published"], told["reproduced"]
    row = row_of(study["passes"], TITLES["overall"])
    for name, key, ways in (("winners", "two_way", "2-way"), ("ties_merged", "three_way", "3-way")):
        found = row[name]
        beside(
            f"Table 2, original and HCoT, {ways}: percent of n",
            published=(published[f"{key}_pct"], published[f"{key}_n"]),
            expected=(expected[key]["pct"], expected[key]["n"], expected[key]["agree"]),
            obtained=(round(100 * found.estimate, 2), found.n, times(found)),
        )
        ends = [round(100 * end, 1) for end in (found.interval.low, found.interval.high)]
        beside(
            f"Table 2, original and HCoT, {ways}: Wilson's interval",
            published=published[f"{key}_ci"],
            expected=expected[key]["wilson"],
            obtained=ends,
        )
    kappa, alpha = row["cohen_kappa"], row["alpha"]
    beside(
        "original and HCoT: Cohen's κ, 3-way",
        expected=expected["cohen_kappa_3way"],
        obtained=round(kappa.estimate, 6),
        within=1e-6,
    )
    beside(
        "original and HCoT: Krippendorff's α, nominal, 3-way",
        expected=expected["krippendorff_alpha_nominal_3way"],
        obtained=round(alpha.estimate, 6),
        within=1e-6,
    )
    for label in ("1", "2"):
        confused(beside, study, label, label, expected["confusion_orig_by_hcot"][label])


def confused(beside: Beside, study: dict[str, Figure], label: str, shown: str, expected: dict[str, Any]) -> None:
    """The row of a label in the table of both passes, where it is `shown` like that."""
    stored = {"1": "a", "2": "b"}
    row = row_of(study["confusion"], LABELS[stored.get(shown, shown)])
    obtained = {name: row[f"other_{stored.get(name, name)}"] for name in expected}
    beside(f"HCoT {label}: 1, 2 and tie in the original", expected=expected, obtained=obtained)


@pytest.mark.holds("speakbench_orig_vs_hcot_agreement/reproduced/confusion_orig_by_hcot/{label}/*")
@pytest.mark.parametrize("label", ["both_bad", "both_good"])
def test_ties_of_each_type_were_labelled_at_first_as_told(
    released: Path, shared_data: Path, tmp_path: Path, researcher: User, truth: Truth, beside: Beside, label: str
) -> None:
    """The original ties have no type, so that both passes are compared with all ties alike: each type by itself."""
    campaign = two_passes(
        released, shared_data, tmp_path, researcher, lambda row: row if row["label"]["overall"] == label else None
    )
    study = figures_of(KINDS["hcot"], campaign, labels="labels-HCoT", other="labels-Original")
    expected = truth("speakbench_orig_vs_hcot_agreement")["reproduced"]["confusion_orig_by_hcot"][label]
    confused(beside, study, label, "tie", expected)


def test_agreement_of_everybody_is_that_of_the_two_passes(campaign: Campaign, truth: Truth, beside: Beside) -> None:
    """The other report comes to the same by a way of its own: both label sets are raters there."""
    expected = truth("speakbench_orig_vs_hcot_agreement")["reproduced"]
    found = figures_of(KINDS["agreement"], campaign, labels="everybody")
    values = {row["coefficient"]: row["value"].estimate for row in rows_of(found["coefficients-overall"])}
    within = 1e-6
    kappa, alpha = values["Cohen’s κ"], values["Krippendorff’s α (nominal)"]
    beside("report of agreement: κ", expected=expected["cohen_kappa_3way"], obtained=round(kappa, 6), within=within)
    beside(
        "report of agreement: α",
        expected=expected["krippendorff_alpha_nominal_3way"],
        obtained=round(alpha, 6),
        within=within,
    )


def test_disagreements_are_all_there_and_lead_to_where_they_are_heard(
    study: dict[str, Figure], campaign: Campaign, truth: Truth
) -> None:
    confusion = truth("speakbench_orig_vs_hcot_agreement")["reproduced"]["three_way"]
    links = links_of(study["disagreements"], "unit")
    assert len(links) == confusion["n"] - confusion["agree"]
    assert {(link.to, link.args[0]) for link in links} == {("review-unit", campaign.slug)}


@pytest.mark.holds("hcot_fusion_on_human_dims/reproduced/speakbench/{rule}/*")
@pytest.mark.parametrize("rule", RULES)
def test_fused_dimensions_are_the_overall_label_as_often_as_expected(
    campaign: Campaign, truth: Truth, beside: Beside, rule: str
) -> None:
    told = truth("hcot_fusion_on_human_dims")["reproduced"]["speakbench"][rule]
    figures = figures_of(KINDS["hcot"], campaign, labels="labels-HCoT")
    row = row_of(figures["fusion"], POLICIES[RULES[rule]].title)
    what, interval = f"fusion of human dimensions, {rule}", row["share"].interval
    counted(beside, what, told, row)
    ends = [round(100 * end, 2) for end in (interval.low, interval.high)]
    beside(f"{what}: Wilson’s interval", expected=told["wilson95"], obtained=ends)


def counted(beside: Beside, what: str, told: dict[str, Any], row: dict[str, Any]) -> None:
    """How often, of how many, and the share in percent."""
    share = row["share"]
    beside(
        what,
        expected=(told["correct"], told["n"], told["acc_pct"]),
        obtained=(row["equal"], share.n, round(100 * share.estimate, 2)),
    )


@pytest.mark.holds(
    "hcot_fusion_on_human_dims/reproduced/speakbench/copy_*",
    "hcot_fusion_on_human_dims/reproduced/speakbench/triples_without_majority",
    *(f"hcot_fusion_on_human_dims/reproduced/speakbench/best_*/{it}" for it in ("correct", "n", "acc_pct")),
)
def test_copying_a_dimension_and_looking_up_are_as_expected(
    study: dict[str, Figure], truth: Truth, beside: Beside
) -> None:
    told = truth("hcot_fusion_on_human_dims")["reproduced"]["speakbench"]
    for dimension in FUSED:
        row = row_of(study["fusion"], f"{TITLES[dimension]} alone")
        counted(beside, f"{dimension} alone as the overall label", told[f"copy_{dimension}"], row)
    best = row_of(study["fusion"], "The best that any rule could do on these units")
    counted(beside, "the best rule that could be", told["best_possible_lookup_in_sample"], best)
    none = row_of(study["fusion"], POLICIES["majority"].title)["undefined"]
    beside("triples without a majority", expected=told["triples_without_majority"], obtained=none)


@pytest.mark.holds(
    "hcot_coherence_logistic/published",
    *(f"hcot_coherence_logistic/reproduced/speakbench/{it}" for it in ("cv5_*", "loocv", "in_*", "maj*", "n")),
)
def test_coherence_is_as_expected(study: dict[str, Figure], truth: Truth, beside: Beside) -> None:
    told = truth("hcot_coherence_logistic")["reproduced"]["speakbench"]
    cross_validated, left_out, in_sample, majority = (row["right"] for row in rows_of(study["coherence"]))
    percent = {
        "leave-one-out": (told["loocv"], left_out),
        "in sample": (told["in_sample"], in_sample),
        "most frequent label": (told["majority_class"], majority),
    }
    for name, (expected, found) in percent.items():
        beside(f"coherence, {name}, pairs", expected=told["n"], obtained=found.n)
        beside(f"coherence, {name}", expected=expected, obtained=round(100 * found.estimate, 2), within=0.011)
    beside(
        "coherence, cross-validated in 5 parts",
        published=truth("hcot_coherence_logistic")["published"],
        expected=told["cv5_20seeds_mean"],
        obtained=round(100 * cross_validated.estimate, 2),
        within=told["cv5_20seeds_max"] - told["cv5_20seeds_mean"],
    )
    found = round(100 * cross_validated.estimate, 2)
    spread = told["cv5_20seeds_max"] - told["cv5_20seeds_min"]
    beside("coherence, 5 parts drawn by seed 0", expected=told["cv5_seed0"], obtained=found, within=spread)
    ends = (told["cv5_20seeds_min"], told["cv5_20seeds_max"])
    beside("coherence, least and most of 20 seeds", expected=ends, obtained=(found, found), within=spread)


@pytest.mark.holds("hcot_sensitivity_p1_p2_p3/reproduced/on_human_dims/speakbench/{rule}/*")
@pytest.mark.parametrize("rule", ["alg1_speakbench", "repo_speakbench_dominant_both_bad", "alg2_s2sarena"])
def test_p1_p2_and_p3_of_human_dimensions_are_as_expected(
    campaign: Campaign, truth: Truth, beside: Beside, rule: str
) -> None:
    told = truth("hcot_sensitivity_p1_p2_p3")["reproduced"]["on_human_dims"]["speakbench"][rule]
    study = figures_of(KINDS["hcot"], campaign, labels="labels-HCoT")
    title = POLICIES[RULES[rule]].title
    resolved = row_of(study["p1"], title)
    for name, expected in told["P1"].items():
        share, right = resolved[f"{RESOLVERS[name]}_share"], resolved[f"{RESOLVERS[name]}_right"]
        columns = ("count", "share_pct", "matches_overall", "decision_acc_pct")
        beside(
            f"P1, {rule}: resolved by {name}, right",
            expected=tuple(expected[it] for it in columns),
            obtained=(times(share), rounded(share), times(right), rounded(right)),
        )
    flips = row_of(study["p2"], title)
    beside(
        f"P2, {rule}: flips",
        expected=told["P2"],
        obtained={name: {"flips": times(flips[name]), "rate_pct": rounded(flips[name])} for name in FUSED},
    )
    slices = row_of(study["p3"], title)
    for name, count in (("winner_on_bad", "count"), ("winner_slice", "correct")):
        found = slices[name]
        obtained = {count: times(found), "n": found.n, "pct": rounded(found)}
        beside(f"P3, {rule}: {name}", expected=told["P3"][name], obtained=obtained)


def rounded(share: Estimate) -> float:
    assert share.estimate is not None
    return round(100 * share.estimate, 2)


@pytest.mark.holds("fusion_truth_table_64/reproduced/*")
def test_rules_differ_where_they_should_and_know_no_first_place(truth: Truth, beside: Beside) -> None:
    told = truth("fusion_truth_table_64")["reproduced"]
    cells = [dict(zip(FUSED, cell, strict=True)) for cell in product(("1", "2", "both_good", "both_bad"), repeat=3)]
    fused = {name: [fuse(rule, **cell) for cell in cells] for name, rule in RULES.items()}
    beside("cells of the truth table", expected=told["rows"], obtained=len(cells))
    for pair, expected in told["cells_that_differ"].items():
        one, other = (fused[name] for name in pair.split(" vs "))
        beside(f"cells that differ, {pair}", expected=expected, obtained=sum(map(ne, one, other)))
    turned = {"1": "2", "2": "1"}
    for name, expected in told["position_swap_equivariant"].items():
        others = [fuse(RULES[name], **{it: turned.get(said, said) for it, said in cell.items()}) for cell in cells]
        same = others == [turned.get(label or "", label) for label in fused[name]]
        beside(f"turned round, {name} names the other", expected=expected, obtained=same)


@pytest.mark.parametrize("rule", RULES)
def test_fusion_is_that_of_the_truth_table(truth: Truth, shared_data: Path, beside: Beside, rule: str) -> None:
    with (shared_data / "hcot" / "fusion_truth_table.csv").open(encoding="utf-8", newline="") as file:
        expected = {tuple(row[name] for name in FUSED): row[rule] for row in csv.DictReader(file)}
    cells = product(("1", "2", "both_good", "both_bad"), repeat=3)
    fused = {cell: fuse(RULES[rule], **dict(zip(FUSED, cell, strict=True))) or "none" for cell in cells}
    right = sum(fused[cell] == label for cell, label in expected.items())
    beside(f"cells of the truth table, {rule}", expected=len(expected), obtained=right)


@pytest.fixture
def board(client: Client, released: Path, researcher: User) -> Callable[..., dict[str, Any]]:
    """A function: the board of a label set as its file has it."""
    client.force_login(researcher)

    def fetch(labels: str, **settings: str) -> dict[str, Any]:
        row = LabelSet.objects.get(name=labels)
        table = client.get(reverse("label-set-board-file", args=[row.pk, "json"]), settings).json()["table"]
        assert isinstance(table, dict)
        return table

    return fetch


def ratings(table: dict[str, Any]) -> dict[str, float]:
    (island,) = table["islands"]
    return {row["system"]: row["rating"]["value"] for row in island["rows"]}


def rates(table: dict[str, Any]) -> dict[str, float]:
    return {it["system"]: round(100 * it["win_rate"]["value"], 4) for it in table["alone"]}


def votes(table: dict[str, Any]) -> dict[str, int]:
    return {it["system"]: it["win_rate"]["n"] for it in table["alone"]}


def best_first(found: dict[str, float]) -> list[str]:
    return sorted(found, key=lambda system: -found[system])


@pytest.mark.databases
@pytest.mark.holds(
    "hcot_arena_elo_bt_winrate/reproduced/speakbench/{aspect}/n_pairs",
    "hcot_arena_elo_bt_winrate/reproduced/speakbench/{aspect}/systems/*",
    "hcot_arena_elo_bt_winrate/reproduced/speakbench/{aspect}/*_order",
    "hcot_arena_elo_bt_winrate/reproduced/speakbench/{aspect}/spearman_*",
)
@pytest.mark.parametrize("aspect", ASPECTS)
def test_ratings_and_win_rates_are_as_expected(
    board: Callable[..., dict[str, Any]], released: Path, researcher: User, truth: Truth, beside: Beside, aspect: str
) -> None:
    bring_in(released, dataset="SpeakBench", labels="HCoT", user=researcher)
    told = truth("hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"][aspect]
    table, elo = board("HCoT", aspect=aspect), board("HCoT", aspect=aspect, method="elo")
    beside(f"{aspect}, pairs", expected=told["n_pairs"], obtained=table["n"])
    found = {"n": votes(table), "elo_k4": ratings(elo), "bt_elo_scale": ratings(table), "win_rate_pct": rates(table)}
    for name, within in (("n", 0.0), ("elo_k4", 1e-4), ("bt_elo_scale", 5.6e-4), ("win_rate_pct", 5e-5)):
        for system, expected in told["systems"].items():
            shown = round(found[name][system], 4)
            beside(f"{aspect}, {name}, {system}", expected=expected[name], obtained=shown, within=within)
    for name, key in (("elo", "elo_k4"), ("bt", "bt_elo_scale"), ("win_rate", "win_rate_pct")):
        expected = told[f"{name}_order"]
        beside(f"{aspect}, order by {name}", expected=expected, obtained=best_first(found[key]))
    dataset = LabelSet.objects.get(name="HCoT").dataset
    campaign = create_campaign(
        dataset, title="SpeakBench", protocol=SHIPPED["hcot"], units=imported_pairs(dataset), user=researcher
    )
    (row,) = rows_of(figures_of(KINDS["systems"], campaign, vote=aspect)["ratings"])
    for name, key in (("elo", "elo"), ("bt", "bradley_terry")):
        expected, shown = told[f"spearman_{name}_vs_winrate"], round(row[key].estimate, 4)
        beside(f"{aspect}, ρ of win rates and {name}", expected=expected, obtained=shown)


@pytest.mark.holds("hcot_arena_elo_bt_winrate/reproduced/speakbench/overall/bt_bootstrap95_1000/*")
def test_resampled_intervals_of_ratings_are_as_expected(
    board: Callable[..., dict[str, Any]], released: Path, researcher: User, truth: Truth, beside: Beside
) -> None:
    """Both are 1,000 draws of votes by seeds of their own, so that ends differ by chance: the source allows 20."""
    bring_in(released, dataset="SpeakBench", labels="HCoT", user=researcher)
    told = truth("hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"]["overall"]["bt_bootstrap95_1000"]
    (island,) = board("HCoT", aspect="overall", errors="bootstrap")["islands"]
    found = {row["system"]: row["rating"] for row in island["rows"]}
    for system, expected in told.items():
        ends = [round(found[system][end], 1) for end in ("low", "high")]
        beside(f"rating of {system}, resampled", expected=expected, obtained=ends, within=20)


@pytest.mark.holds("hcot_arena_elo_bt_winrate/reproduced/speakbench/overall_without_both_bad/*")
def test_ratings_without_what_is_bad_on_both_sides_are_as_expected(
    board: Callable[..., dict[str, Any]],
    released: Path,
    researcher: User,
    truth: Truth,
    beside: Beside,
) -> None:
    told = truth("hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"]["overall_without_both_bad"]
    bring_in(released, dataset="SpeakBench", labels="HCoT", user=researcher)
    table = board("HCoT", method="elo", ties="without_both_bad")
    beside("without both bad, pairs", expected=told["n_pairs"], obtained=table["n"])
    elo, won, n = ratings(table), rates(table), votes(table)
    for system, expected in told["systems"].items():
        beside(
            f"without both bad, votes, Elo and win rate, {system}",
            expected=(expected["n"], expected["elo_k4"], expected["win_rate_pct"]),
            obtained=(n[system], round(elo[system], 4), won[system]),
            within=1e-4,
        )


def test_elo_of_shuffled_orders_lies_around_that_of_the_files_order(
    board: Callable[..., dict[str, Any]], released: Path, researcher: User
) -> None:
    """Beside a plain loop over 300 shuffled lists of the release, which has nothing of the product."""
    bring_in(released, dataset="SpeakBench", labels="HCoT", user=researcher)
    rows = [json.loads(line) for line in released.read_text(encoding="utf-8").splitlines()]
    votes = [(row["model_a"], row["model_b"], {"1": 1.0, "2": 0.0}.get(row["label"]["overall"], 0.5)) for row in rows]
    drawn = [elo_of(votes, Random(seed)) for seed in range(300)]
    (island,) = board("HCoT", aspect="overall", method="elo", order="shuffled")["islands"]
    assert "mean over 1,000 orders" in island["method"]
    for row in island["rows"]:
        own, found = sorted(it[row["system"]] for it in drawn), row["rating"]
        assert found["value"] == pytest.approx(sum(own) / len(own), abs=1.0)
        assert (found["low"], found["high"]) == pytest.approx((own[7], own[-8]), abs=3.0)
    by_column = sorted(range(len(rows)), key=lambda at: rows[at]["instruction_path"])
    assert by_column != list(range(len(rows)))
    found = ratings(board("HCoT", aspect="overall", method="elo", order="by:instruction_path"))
    assert found == pytest.approx(elo_of([votes[at] for at in by_column]))


def elo_of(votes: list[tuple[str, str, float]], rng: Random | None = None) -> dict[str, float]:
    found: dict[str, float] = {}
    for a, b, score in rng.sample(votes, len(votes)) if rng else votes:
        one, other = found.setdefault(a, 1000.0), found.setdefault(b, 1000.0)
        change = 4 * (score - 1 / (1 + 10 ** ((other - one) / 400)))
        found[a], found[b] = one + change, other - change
    return found


def test_ties_of_one_kind_and_another_evaluators_elo_are_counted_in_the_report(
    client: Client, released: Path, researcher: User, truth: Truth
) -> None:
    """Beside figures of the source: win rates without both bad, and how its Elo ranks systems beside win rates."""
    bring_in(released, dataset="SpeakBench", labels="HCoT", user=researcher)
    dataset = LabelSet.objects.get(name="HCoT").dataset
    campaign = create_campaign(
        dataset, title="SpeakBench", protocol=SHIPPED["hcot"], units=imported_pairs(dataset), user=researcher
    )
    told = truth("hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"]
    without = figures_of(KINDS["systems"], campaign, ties="both_bad")["win-rates"]
    for row in rows_of(without):
        expected = told["overall_without_both_bad"]["systems"][row["system"]]
        found = row["labels-HCoT"]
        assert (found.n, round(100 * found.estimate, 4)) == (expected["n"], expected["win_rate_pct"])
    decided = rows_of(figures_of(KINDS["systems"], campaign, ties="out")["win-rates"])
    four = truth("hcot_table6_counts")["reproduced"]["four_way_counts"]["speakbench"]["overall"]
    assert sum(row["labels-HCoT"].n for row in decided) == 2 * (four["1"] + four["2"])

    client.force_login(researcher)
    table = ["system,metric,axis,value"]
    table += [f"{name},Elo elsewhere,Other,{it['elo_k4']}" for name, it in told["overall"]["systems"].items()]
    upload = SimpleUploadedFile("elo.csv", "\n".join(table).encode())
    assert client.post(reverse("dataset-metrics-import", args=[dataset.slug]), {"file": upload}).status_code == 302
    (row,) = rows_of(figures_of(KINDS["systems"], campaign)["evaluators"])
    assert (row["evaluator"], row["who"]) == ("Elo elsewhere", "HCoT")
    assert round(row["spearman"].estimate, 4) == told["overall"]["spearman_elo_vs_winrate"]
