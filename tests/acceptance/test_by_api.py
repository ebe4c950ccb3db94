"""Published files as their authors publish them, by the API alone, with no script between.

`AS_IT_IS` says of each file of `truth/` whether its figures come out so, and what stands between where they do not.
"""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from corpus.models import LabelSet
from infrastructure.background.jobs import run_job
from protocols.documents.plain import to_document
from protocols.fusion import FUSED, POLICIES
from tests.acceptance.test_hcot import RESOLVERS, RULES, TITLES
from tests.acceptance.told import truth
from tests.api.callers import caller
from tests.campaigns.conftest import work_off
from tests.factories import UserFactory
from tests.judges.speakbench import untyped_hcot

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
PAIRS = {"item_column": "item_id", "label_column": "label_human"}
#: Empty: the test of this name below has its figures from the files as they are; else what has to be done to a file.
AS_IT_IS = {
    "aj_fig4_verbosity_bias": "the winner column of its pairs and the letters of its verdicts are written otherwise",
    "aj_fig5_positional_bias_lexical": "a column for each judge and order becomes a row for each verdict",
    "aj_fig6_positional_bias_nonlexical": "one of several tasks is taken out of a file, and pairs from its verdicts",
    "aj_human_baseline": "one of several tasks is taken out of a file, and pairs from its verdicts",
    "aj_table1_characteristic_accuracy": "one of several tasks is taken out of a file, and pairs from its verdicts",
    "aj_table3_chatbotarena_spearman": "",
    "aj_table3_speakbench_spearman": "pairs of people and pairs of judges, in two files, become one table of pairs",
    "aj_table8_speakbench_winrates": "pairs of people and pairs of judges, in two files, become one table of pairs",
    "aj_table9_10_pointwise": "scores in columns become verdicts in rows",
    "fusion_truth_table_64": "no data: all 64 cells are put through the rules",
    "hcot_arena_elo_bt_winrate": "",
    "hcot_coherence_logistic": "",
    "hcot_fusion_on_human_dims": "",
    "hcot_sensitivity_p1_p2_p3": "",
    "hcot_table6_counts": "",
    "mtalk_table3_wilson": "no data: counts become verdicts",
    "speakbench_judge_reliability_alpha": "pairs are taken from the verdicts of two files",
    "speakbench_orig_vs_hcot_agreement": "labels of a second file are put into a copy of the first",
}


def test_the_table_knows_every_file(shared_data: Path) -> None:
    names = {path.stem for path in (shared_data / "truth").glob("*.json")} - {"index"}
    assert set(AS_IT_IS) == names


@pytest.fixture
def client() -> APIClient:
    return caller(UserFactory(is_researcher=True))


def sent(client: APIClient, address: str, expected: int = 0, **body: Any) -> Any:
    reply = client.post(f"/api/v1/{address}", **body)
    assert reply.status_code in ((expected,) if expected else (200, 201, 202)), reply.content
    return reply.json()


def dataset_of(client: APIClient, path: Path, **said: Any) -> str:
    with path.open("rb") as file:
        body = {"dataset_name": path.stem, "manifest": file, "without_audio": True, **said}
        made = sent(client, "imports/", data=body, format="multipart")
    work_off()
    checked = client.get(f"/api/v1/imports/{made['id']}/").json()
    assert checked["status"] == "checked", checked["report"]["problems"][:3]
    sent(client, f"imports/{made['id']}/confirm/")
    work_off()
    slug: str = client.get(f"/api/v1/imports/{made['id']}/").json()["dataset"]
    return slug


def campaign_of(client: APIClient, dataset: str, protocol: str) -> str:
    body = {"title": "Published", "dataset": dataset, "protocol": protocol, "units": "imported"}
    slug: str = sent(client, "campaigns/", data=body, format="json")["slug"]
    work_off()
    return slug


def verdicts_of(client: APIClient, campaign: str, path: Path, **said: Any) -> None:
    address = f"campaigns/{campaign}/verdicts/"
    with path.open("rb") as file:
        made = sent(client, address, data={"file": file, **said}, format="multipart")
    run_job(made["job"]["id"])
    found = client.get(f"/api/v1/{address}{made['id']}/").json()
    assert found["status"] == "imported", found["report"]["problems"][:3]


def report_of(client: APIClient, campaign: str, kind: str, **settings: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each figure."""
    asked = sent(client, f"campaigns/{campaign}/reports/", data={"kind": kind, "settings": settings}, format="json")
    if asked["job"]:
        run_job(asked["job"]["id"])
    found = client.get(f"/api/v1/asked-reports/{asked['id']}/").json()
    report = client.get(f"/api/v1/reports/{found['report']}/").json()
    return {figure["key"]: figure.get("rows", []) for figure in report["figures"]}


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


def one_of(rows: list[dict[str, Any]], **wanted: str) -> dict[str, Any]:
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


def times(share: dict[str, Any]) -> int:
    return round(share["estimate"] * share["n"])
