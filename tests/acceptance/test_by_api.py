"""Published files as their authors publish them, by the API alone, with no script between.

`AS_IT_IS` says of each file of `truth/` whether its figures come out so, and what stands between where they do not.
"""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from analytics.data.label_words import TITLES as LABELS
from corpus.models import LabelSet
from protocols.documents.plain import to_document
from protocols.fusion import FUSED, POLICIES
from tests.acceptance.by_api import campaign_of, dataset_of, one_of, report_of, sent, times, verdicts_of
from tests.acceptance.by_api import client as client  # noqa: PLC0414 - a fixture
from tests.acceptance.test_hcot import RESOLVERS, RULES, TITLES
from tests.acceptance.told import truth
from tests.judges.speakbench import untyped_hcot

pytestmark = pytest.mark.django_db
TO_STORED = {"1": "a", "2": "b"}
AS_LABELS = TO_STORED | {"both_good": "both_good", "both_bad": "both_bad"}
PAIRS = {"item_column": "item_id", "label_column": "label_human"}
#: Empty: tests here and in `test_by_api_mapped` have its figures from the files as they are; else what is missing.
AS_IT_IS = {
    "aj_fig4_verbosity_bias": "",
    "aj_fig5_positional_bias_lexical": "",
    "aj_fig6_positional_bias_nonlexical": "",
    "aj_human_baseline": "",
    "aj_table1_characteristic_accuracy": "",
    "aj_table3_chatbotarena_spearman": "",
    "aj_table3_speakbench_spearman": "",
    "aj_table8_speakbench_winrates": "",
    "aj_table9_10_pointwise": "",
    "fusion_truth_table_64": "",
    "hcot_arena_elo_bt_winrate": "",
    "hcot_coherence_logistic": "",
    "hcot_fusion_on_human_dims": "",
    "hcot_sensitivity_p1_p2_p3": "",
    "hcot_table6_counts": "",
    "mtalk_table3_wilson": "no data were published: the counts are solved for from the rates and intervals in print",
    "speakbench_judge_reliability_alpha": "",
    "speakbench_orig_vs_hcot_agreement": "",
}


def test_the_table_knows_every_file(shared_data: Path) -> None:
    names = {path.stem for path in (shared_data / "truth").glob("*.json")} - {"index"}
    assert set(AS_IT_IS) == names


@pytest.mark.databases
def test_trace_as_released(client: APIClient, shared_data: Path) -> None:
    """One file, never opened by a script: counts, fusion, sensitivity, coherence, ratings and win rates."""
    released = shared_data / "hcot" / "hcot_speakbench.jsonl"
    dataset = dataset_of(client, released, label_set_name="HCoT", clashing_items="split")
    campaign = campaign_of(client, dataset, "hcot")
    figures = report_of(client, campaign, "hcot", labels="labels-HCoT")
    counts = truth(shared_data, "hcot_table6_counts")["reproduced"]["table6"]["speakbench"]
    for aspect, expected in counts.items():
        row = one_of(figures["counts"], aspect=TITLES[aspect])
        assert [row["both_bad"], row["winner"], row["both_good"]] == expected

    fused = truth(shared_data, "hcot_fusion_on_human_dims")["reproduced"]["speakbench"]
    sensitive = truth(shared_data, "hcot_sensitivity_p1_p2_p3")["reproduced"]["on_human_dims"]["speakbench"]
    for rule, policy in RULES.items():
        row = one_of(figures["fusion"], policy=POLICIES[policy].title)
        assert (row["equal"], row["share"]["n"]) == (fused[rule]["correct"], fused[rule]["n"])
    for rule, told in sensitive.items():
        flips = one_of(figures["p2"], policy=POLICIES[RULES[rule]].title)
        assert {it: times(flips[it]) for it in FUSED} == {it: told["P2"][it]["flips"] for it in FUSED}
        slices = one_of(figures["p3"], policy=POLICIES[RULES[rule]].title)
        assert times(slices["winner_on_bad"]) == told["P3"]["winner_on_bad"]["count"]
        assert times(slices["winner_slice"]) == told["P3"]["winner_slice"]["correct"]
        resolved = one_of(figures["p1"], policy=POLICIES[RULES[rule]].title)
        for name, expected in told["P1"].items():
            share, right = (resolved[f"{RESOLVERS[name]}_{it}"] for it in ("share", "right"))
            assert (times(share), times(right)) == (expected["count"], expected["matches_overall"])

    coherent = truth(shared_data, "hcot_coherence_logistic")["reproduced"]["speakbench"]
    _cross_validated, left_out, in_sample, most = (row["right"]["estimate"] for row in figures["coherence"])
    found = [100 * it for it in (left_out, in_sample, most)]
    assert found == pytest.approx([coherent[it] for it in ("loocv", "in_sample", "majority_class")], abs=0.011)

    page = Client()
    page.force_login(LabelSet.objects.get(name="HCoT").created_by)
    address = reverse("label-set-board-file", args=[LabelSet.objects.get(name="HCoT").pk, "json"])
    arena = truth(shared_data, "hcot_arena_elo_bt_winrate")["reproduced"]["speakbench"]
    boards = {(aspect, ""): arena[aspect] for aspect in TITLES} | {
        ("overall", "without_both_bad"): arena["overall_without_both_bad"]
    }
    for (aspect, ties), told in boards.items():
        settings = {"aspect": aspect, "method": "elo"} | ({"ties": ties} if ties else {})
        table = page.get(address, settings).json()["table"]
        assert table["n"] == told["n_pairs"]
        (island,) = table["islands"]
        elo = {row["system"]: row["rating"]["value"] for row in island["rows"]}
        assert elo == pytest.approx({name: it["elo_k4"] for name, it in told["systems"].items()}, abs=1e-4)
        won = {row["system"]: 100 * row["win_rate"]["value"] for row in table["alone"]}
        assert won == pytest.approx({name: it["win_rate_pct"] for name, it in told["systems"].items()}, abs=5.1e-5)


def test_chatbotarena_as_two_tables(client: APIClient, shared_data: Path) -> None:
    """Pairs with labels in one file and verdicts in another; the judge was asked for content, people overall."""
    folder = shared_data / "audiojudge"
    dataset = dataset_of(client, folder / "chatbotarena_pairs.csv", label_set_name="human", **PAIRS)
    document = to_document(untyped_hcot()) | {"name": "chatbotarena"}
    protocol = sent(client, "protocols/", data={"document": document}, format="json")["reference"]
    campaign = campaign_of(client, dataset, protocol)
    verdicts_of(client, campaign, folder / "chatbotarena_judges.csv")
    told = truth(shared_data, "aj_table3_chatbotarena_spearman")["reproduced"]["per_setting"]["gpt-4o-audio/0-shot"]
    for order, name in (("ab", "AB"), ("ba", "BA_unswapped")):
        figure = report_of(client, campaign, "judges", order=order, people_aspect="overall")["agreement-content"]
        (row,) = [it for it in figure if it["who"].startswith("gpt-4o-audio")]
        assert row["accuracy"]["n"] == told[f"n_{order.upper()}"]
        assert 100 * row["accuracy"]["estimate"] == pytest.approx(told[f"accuracy_{name}_pct"], abs=1e-3)
        assert row["kappa"]["estimate"] == pytest.approx(told[f"kappa_{name}"], abs=1e-6)
    for key, settings in (("AB_only", {"order": "ab"}), ("corrected_labels_both_orders", {})):
        (row,) = report_of(client, campaign, "systems", vote="content", people_aspect="overall", **settings)[
            "correlations"
        ]
        assert row["spearman"]["estimate"] == pytest.approx(told[f"spearman_{key}"], abs=1e-6)
    (row,) = report_of(client, campaign, "bias", aspect="content", people_aspect="overall")["flipped"]
    places = {"stable": "stable", "position1": "first_twice", "position2": "second_twice", "other": "other"}
    assert {name: times(row[ours]) for name, ours in places.items()} == {it: told["positional"][it] for it in places}


def test_chatbotarena_with_the_labels_of_the_source(client: APIClient, shared_data: Path) -> None:
    """The published 0.902: a label for each order, that of BA left from another row, and every one a vote.

    The column of BA names sides as they were heard, and is turned; with the other it makes one group of labels.
    """
    folder = shared_data / "audiojudge"
    as_heard = TO_STORED | {"tie": "tie"}
    turned = as_heard | {"1": "b", "2": "a"}
    dataset = ""
    for column, name, rater, values in (
        ("label_human", "both", "AB", as_heard),
        ("upstream_BA_label", "both", "BA", turned),
        ("upstream_BA_label", "left", "BA", turned),
    ):
        said = {column: {"becomes": "answer", "rater": rater, "values": values}}
        systems = {f"system_{side}": {"becomes": f"system_{side}"} for side in "ab"}
        mapping = {"shape": "pairs", "columns": {"item_id": {"becomes": "pair"}} | systems | said}
        source = folder / "chatbotarena_pairs.csv"
        dataset = dataset_of(client, source, mapping=mapping, label_set_name=name, dataset_name="Source")
    document = to_document(untyped_hcot()) | {"name": "chatbotarena"}
    protocol = sent(client, "protocols/", data={"document": document}, format="json")["reference"]
    campaign = campaign_of(client, dataset, protocol)
    verdicts_of(client, campaign, folder / "chatbotarena_judges.csv")

    told = truth(shared_data, "aj_table3_chatbotarena_spearman")
    expected = told["reproduced"]["per_setting"]["gpt-4o-audio/0-shot"]
    of_left = report_of(client, campaign, "judges", order="ba", people_aspect="overall", reference="labels-left")
    (row,) = [it for it in of_left["agreement-content"] if it["who"].startswith("gpt-4o-audio")]
    assert 100 * row["accuracy"]["estimate"] == pytest.approx(expected["accuracy_BA_upstream_labels_pct"], abs=1e-3)
    of_both = report_of(client, campaign, "systems", vote="content", people_aspect="overall", reference="labels-both")
    (row,) = [it for it in of_both["correlations"] if it["who"].startswith("gpt-4o-audio")]
    assert row["spearman"]["estimate"] == pytest.approx(expected["spearman_upstream_protocol"], abs=1e-6)
    assert round(row["spearman"]["estimate"], 3) == told["published"]["spearman"]["gpt-4o-audio/0-shot"]


def test_first_labels_laid_onto_the_release(client: APIClient, shared_data: Path) -> None:
    """Labels of another file come to the pairs that are there, and both passes agree as in Table 2 of the paper."""
    named = {"dataset_name": "SpeakBench"}
    released = shared_data / "hcot" / "hcot_speakbench.jsonl"
    dataset = dataset_of(client, released, label_set_name="HCoT", clashing_items="split", **named)
    first = {"becomes": "answer", "values": {"1": "a", "2": "b", "tie": "tie"}}
    mapping = {"shape": "answers", "columns": {"item_id": {"becomes": "pair"}, "label_orig": first}}
    source = shared_data / "hcot" / "speakbench_orig_vs_hcot.csv"
    dataset_of(client, source, mapping=mapping, label_set_name="Original", **named)
    campaign = campaign_of(client, dataset, "hcot")
    expected = truth(shared_data, "speakbench_orig_vs_hcot_agreement")["reproduced"]
    figures = report_of(client, campaign, "hcot", labels="labels-HCoT", other="labels-Original")
    row = one_of(figures["passes"], aspect=TITLES["overall"])
    for name, key in (("winners", "two_way"), ("ties_merged", "three_way")):
        share, told = row[name], expected[key]
        assert (times(share), share["n"]) == (told["agree"], told["n"])
        assert [round(100 * end, 1) for end in (share["low"], share["high"])] == told["wilson"]
    assert row["cohen_kappa"]["estimate"] == pytest.approx(expected["cohen_kappa_3way"], abs=1e-6)
    assert row["alpha"]["estimate"] == pytest.approx(expected["krippendorff_alpha_nominal_3way"], abs=1e-6)
    confused(figures, "1", LABELS["a"], expected)
    confused(figures, "2", LABELS["b"], expected)
    for label in ("both_bad", "both_good"):  # the first ties have no type: those of each type by themselves
        confused(ties_of_both(client, source, label), label, LABELS["tie"], expected)


def confused(figures: dict[str, Any], label: str, title: str, expected: dict[str, Any]) -> None:
    (found,) = [row for row in figures["confusion"] if title in row.values()]
    told = expected["confusion_orig_by_hcot"][label]
    assert {it: found[f"other_{TO_STORED.get(it, it)}"] for it in told} == told


def ties_of_both(client: APIClient, source: Path, label: str) -> dict[str, Any]:
    """Both passes over the pairs that have this label in the second, from the table of both alone."""
    columns = {
        "item_id": {"becomes": "pair"},
        "system_a": {"becomes": "system_a"},
        "system_b": {"becomes": "system_b"},
    }
    of_both = {"HCoT": ("hcot_overall", AS_LABELS), "Original": ("label_orig", TO_STORED | {"tie": "tie"})}
    dataset = ""
    for name, (column, values) in of_both.items():
        answer = {column: {"becomes": "answer", "values": values}}
        mapping = {"shape": "pairs", "only": {"hcot_overall": [label]}, "columns": columns | answer}
        dataset = dataset_of(client, source, mapping=mapping, dataset_name=label, label_set_name=name)
    campaign = campaign_of(client, dataset, "hcot")
    return report_of(client, campaign, "hcot", labels="labels-HCoT", other="labels-Original")


@pytest.mark.parametrize("values", [AS_LABELS, AS_LABELS | {"1": "b", "2": "a"}], ids=["as-it-is", "turned"])
def test_all_cells_of_the_rules_of_fusion(client: APIClient, shared_data: Path, values: dict[str, str]) -> None:
    """Each of the 64 rows is a pair; the outcome of each rule is the overall label of a set, beside every policy.

    With its sides turned the table is the same where a rule knows no first place.
    """
    source = shared_data / "hcot" / "fusion_truth_table.csv"
    told = truth(shared_data, "fusion_truth_table_64")["reproduced"]
    differ = {frozenset(names.split(" vs ")): n for names, n in told["cells_that_differ"].items()}
    assert told["position_swap_equivariant"] == dict.fromkeys(RULES, True)
    same = {name: {"becomes": "answer", "name": name, "values": values} for name in FUSED}
    dataset = ""
    for rule in RULES:
        columns = same | {rule: {"becomes": "answer", "values": values | {"none": "-"}}}
        mapping = {"shape": "pairs", "fixed": {"system_a": "one", "system_b": "other"}, "columns": columns}
        dataset = dataset_of(client, source, mapping=mapping, label_set_name=rule, dataset_name="Rules")
    campaign = campaign_of(client, dataset, "hcot")
    for rule in RULES:
        figures = report_of(client, campaign, "hcot", labels=f"labels-{rule}")
        overall = one_of(figures["counts"], aspect=TITLES["overall"])
        n = sum(overall[it] for it in ("both_bad", "winner", "both_good"))  # where there is no majority, none
        assert n == told["rows"] or rule == "vote_no_majority_is_wrong"
        for other, policy in RULES.items():
            row = one_of(figures["fusion"], policy=POLICIES[policy].title)
            equal = n if rule == other else told["rows"] - differ[frozenset((rule, other))]
            assert (row["equal"], row["share"]["n"]) == (equal, n), (rule, other)
