"""AudioJudge's tables as they were published, by the API alone: what stands in their columns is said by mappings."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rest_framework.test import APIClient

from protocols.documents.plain import to_document
from tests.acceptance.by_api import campaign_of, dataset_of, one_of, report_of, sent, times, verdicts_of
from tests.acceptance.by_api import client as client  # noqa: PLC0414 - a fixture
from tests.acceptance.told import truth
from tests.judges.speakbench import untyped_hcot

pytestmark = pytest.mark.django_db
SIDES = {"system_a": "one", "system_b": "other"}
LETTERS = {"A": "1", "B": "2", "C": "tie"}
GEMINI, GPT = "gemini-2.5-flash", "gpt-4o-audio"
#: The columns of AudioJudge's tables of verdicts, as far as they say what a verdict is.
OF_VERDICTS = {
    "item_id": {"becomes": "pair"}, "judge": {"becomes": "judge"}, "order": {"becomes": "order"},
    "n_shots": {"becomes": "setting"}, "verdict": {"becomes": "answer"},
}  # fmt: skip


# Twenty seconds for 7,824 pairs, whose figures `test_audiojudge` holds each time.
@pytest.mark.slow
def test_lexical_verdicts_in_a_column_for_each_judge_and_order(client: APIClient, shared_data: Path) -> None:
    """Pairs and verdicts from one wide table; its letters are places, and D is what could not be read."""
    source = shared_data / "audiojudge" / "chatbotarena_7824_verdicts.csv"
    dataset = dataset_of(
        client,
        source,
        mapping={
            "shape": "pairs",
            "columns": {"i": {"becomes": "pair"}},
            "fixed": SIDES,
        },
    )
    campaign = campaign_of(client, dataset, "untyped_tie")
    told = truth(shared_data, "aj_fig5_positional_bias_lexical")
    stats = told["reproduced"]["stats"]
    names = list(told["published"]["notebook_bias"])
    letters = LETTERS | {"D": "@missing"}
    columns = {
        f"{name}_{order}": {"becomes": "answer", "rater": name, "order": order, "values": letters}
        for name in names
        for order in ("AB", "BA")
    }
    verdicts_of(
        client, campaign, source, mapping={"shape": "verdicts", "columns": {"i": {"becomes": "pair"}} | columns}
    )
    flipped = report_of(client, campaign, "bias")["flipped"]
    for name in names:
        positional(one_of(flipped, judge=name), stats[name])
    counts = report_of(client, campaign, "labels", order="ab")["counts-overall"]
    for name in names:
        (row,) = [it for it in counts if it["who"].startswith(name)]
        each = [row[it] for it in ("label_a", "label_b", "label_tie", "none")]
        shares = [round(100 * n / sum(each), 4) for n in each]
        assert shares == [stats["label_distribution_pct"][f"{name}_AB"][letter] for letter in letters]


def positional(row: dict[str, Any], told: dict[str, Any]) -> None:
    """What a judge said of pairs that it heard in both orders."""
    places = {"stable": "stable", "position1": "first_twice", "position2": "second_twice", "other": "other"}
    assert row["stable"]["n"] == told["n"]
    assert {name: times(row[ours]) for name, ours in places.items()} == {it: told[it] for it in places}
    for name, ours in places.items():
        assert 100 * row[ours]["estimate"] == pytest.approx(told["pct_of_all"][name], abs=1e-3)
        if name != "other":
            decided = told["pct_of_decisive"][name]
            assert 100 * row[f"{ours}_of_decided"]["estimate"] == pytest.approx(decided, abs=1e-3)
    assert row["p"]["estimate"] == pytest.approx(told["exact_binomial_p_pos1_vs_pos2"], abs=2e-6)
    assert 100 * row["first_rate"]["estimate"] == pytest.approx(told["first_position_rate_pct"], abs=1e-3)


def test_sound_of_one_of_several_tasks(client: APIClient, shared_data: Path) -> None:
    """Speed and SOMOS out of one file: pairs from the rows of their verdicts, which are heard in both orders."""
    source = shared_data / "audiojudge" / "judge_characteristics.csv"
    told = truth(shared_data, "aj_fig6_positional_bias_nonlexical")
    for task in ("speed", "somos"):
        only = {"dataset": [task], "method": ["baseline"], "n_shots": ["0"]}
        campaign = clips_of(client, source, only)
        verdicts_of(client, campaign, source, mapping={"shape": "verdicts", "only": only, "columns": OF_VERDICTS})
        expected = told["reproduced"]["stats"][task]
        (row,) = report_of(client, campaign, "bias")["flipped"]
        positional(row, expected)
        for place, column in (("position1", "first_twice"), ("position2", "second_twice")):
            assert round(100 * row[column]["estimate"], 1) == told["published"][task][place]
        for order, name in (("ab", "AB"), ("ba", "BA_after_unswapping")):
            found = report_of(client, campaign, "judges", order=order)["agreement-overall"]
            (row,) = [it for it in found if it["who"].startswith(GPT)]
            assert 100 * row["accuracy"]["estimate"] == pytest.approx(expected[f"accuracy_{name}_pct"], abs=1e-3)


def clips_of(client: APIClient, source: Path, only: dict[str, list[str]]) -> str:
    """A campaign over the pairs that rows of verdicts are about, with their labels."""
    columns = {"item_id": {"becomes": "pair"}, "label_human": {"becomes": "answer", "values": {"1": "a", "2": "b"}}}
    mapping = {"shape": "pairs", "only": only, "fixed": SIDES, "columns": columns}
    dataset = dataset_of(client, source, mapping=mapping, dataset_name=str(only), label_set_name="human")
    return campaign_of(client, dataset, "forced_choice")


def test_position_on_speakbench(client: APIClient, shared_data: Path) -> None:
    """Pairs from the overall verdicts of one judge without examples; a system beside itself, too."""
    source = shared_data / "audiojudge" / f"judge_speakbench_{GPT}.csv"
    only = {"n_shots": ["0"], "aspect": ["overall"]}
    dataset = dataset_of(client, source, mapping=PAIRS_OF_VERDICTS | {"only": only})
    campaign = campaign_of(client, dataset, "untyped_tie")
    verdicts_of(client, campaign, source, mapping={"shape": "verdicts", "only": only, "columns": OF_VERDICTS})
    told = truth(shared_data, "aj_fig6_positional_bias_nonlexical")
    (row,) = report_of(client, campaign, "bias")["flipped"]
    positional(row, told["reproduced"]["stats"]["speakbench"])


#: A system against another on an instruction, as often as there are verdicts about it.
PAIRS_OF_VERDICTS = {
    "shape": "pairs",
    "columns": {
        "item_id": {"becomes": "pair"}, "instruction_id": {"becomes": "item"}, "system_a": {"becomes": "system_a"},
        "system_b": {"becomes": "system_b"},
    },
}  # fmt: skip


# The next test reads the same files by the same columns; the figures are held by `test_audiojudge`.
@pytest.mark.slow
def test_judges_of_speakbench_agree(client: APIClient, shared_data: Path) -> None:
    """Pairs of two files of verdicts, without a system against itself; verdicts on four aspects, in both orders."""
    sources = [shared_data / "audiojudge" / f"judge_speakbench_{name}.csv" for name in (GEMINI, GPT)]
    other_systems = {"system_a": {"becomes": "system_a", "values": {"gpt4o-audio": "-"}}}
    pairs = PAIRS_OF_VERDICTS | {"columns": PAIRS_OF_VERDICTS["columns"] | other_systems}  # type: ignore[operator]
    for source in sources:
        dataset = dataset_of(client, source, mapping=pairs | {"only": {"n_shots": ["0"]}}, dataset_name="SpeakBench")
    campaign = campaign_of(client, dataset, protocol_of(client))
    for source in sources:
        columns = OF_VERDICTS | {"aspect": {"becomes": "aspect"}}
        mapping = {"shape": "verdicts", "only": {"n_shots": ["0"]}, "columns": columns}
        verdicts_of(client, campaign, source, mapping=mapping)
    expected = truth(shared_data, "speakbench_judge_reliability_alpha")["reproduced"]
    counts = report_of(client, campaign, "labels")
    for aspect in ("overall", "content", "paralinguistics", "voice_quality"):
        told = expected[f"{aspect}/0-shot"]
        rows = report_of(client, campaign, "judges", aspect=aspect)["reliability"]
        alpha = one_of(rows, one="All of them")["alpha"]
        missing = sum(row["none"] or 0 for row in counts[f"counts-{aspect}"])
        assert (alpha["n"], missing) == (told["units"], told["missing"])
        assert alpha["estimate"] == pytest.approx(told["alpha_nominal_4raters"], abs=1e-5)
        kappas = {(row["one"], row["other"]): row["kappa"]["estimate"] for row in rows if row["one"] != "All of them"}
        for judge, kappa in told["kappa_AB_vs_BA_same_judge"].items():
            assert kappas[f"{judge}, n_shots 0, AB", f"{judge}, n_shots 0, BA"] == pytest.approx(kappa, abs=1e-5)
        both = kappas[f"{GEMINI}, n_shots 0, AB", f"{GPT}, n_shots 0, AB"]
        assert both == pytest.approx(told["kappa_gemini_vs_gpt4o_AB"], abs=1e-5)


def protocol_of(client: APIClient) -> str:
    document = to_document(untyped_hcot()) | {"name": "speakbench-untyped"}
    reference: str = sent(client, "protocols/", data={"document": document}, format="json")["reference"]
    return reference


def test_speakbench_with_people_and_judges_in_two_files(client: APIClient, shared_data: Path) -> None:
    """People's pairs in one file, those of two judges in others, all in one dataset: Table 8, and Table 3 with it."""
    people = shared_data / "hcot" / "speakbench_original_508.csv"
    sources = [shared_data / "audiojudge" / f"judge_speakbench_{name}.csv" for name in (GEMINI, GPT)]
    label = {"becomes": "answer", "values": {"1": "a", "2": "b", "tie": "tie"}}
    columns = {
        "row": {"becomes": "pair"}, "instruction_id": {"becomes": "item"}, "system_a": {"becomes": "system_a"},
        "system_b": {"becomes": "system_b"}, "label": label,
    }  # fmt: skip
    named = {"dataset_name": "SpeakBench", "label_set_name": "original"}
    dataset = dataset_of(client, people, mapping={"shape": "pairs", "columns": columns}, **named)
    for source in sources:
        dataset_of(client, source, mapping=PAIRS_OF_VERDICTS, **named)
    campaign = campaign_of(client, dataset, protocol_of(client))
    for source in sources:
        columns = OF_VERDICTS | {"aspect": {"becomes": "aspect"}}
        verdicts_of(client, campaign, source, mapping={"shape": "verdicts", "columns": columns})
    rates = truth(shared_data, "aj_table8_speakbench_winrates")["reproduced"]
    rhos = truth(shared_data, "aj_table3_speakbench_spearman")["reproduced"]
    for vote, name in (("overall", "single"), ("together", "ensemble")):
        figures = report_of(client, campaign, "systems", vote=vote, against="gpt4o-audio")
        found = {row["who"]: row["spearman"]["estimate"] for row in figures["correlations"]}
        for shots in (0, 4):
            expected = rhos[f"{GEMINI}/{name}/{shots}-shot"]["spearman_exact_ties"]
            assert found[f"{GEMINI}, n_shots {shots}"] == pytest.approx(expected, abs=1e-6)
        if name == "single":
            continue
        assert found[f"{GPT}, n_shots 0"] == pytest.approx(0.8088, abs=5e-5)
        assert found[f"{GEMINI}, n_shots 0"] == pytest.approx(rates["spearman"], abs=1e-4)
        for system, told in rates["win_rates"].items():
            row = one_of(figures["win-rates"], system=system)
            shares = [it for it in row.values() if isinstance(it, dict) and "estimate" in it]
            obtained = {round(100 * it["estimate"], 2) for it in shares if it["estimate"] is not None}
            assert {told["auto"], told["human"]} <= obtained, (system, row)


def set_up_of(who: str) -> str:
    """`method/n_shots`, of the name of a judge."""
    said = dict(part.split(" ", 1) for part in who.split(", ")[1:])
    return f"{said['method']}/{said['n_shots']}"


def test_characteristics_in_sixteen_set_ups(client: APIClient, shared_data: Path) -> None:
    """Table 1. Whether two pronunciations are the same is a question of its own; its labels are laid on the pairs."""
    told = truth(shared_data, "aj_table1_characteristic_accuracy")["reproduced"]["cells"]
    settings = {"method": {"becomes": "setting"}, "n_shots": {"becomes": "setting"}}
    for task in ("pronunciation", "somos"):
        campaign, aspect, columns = characteristics_of(client, shared_data, task)
        source = shared_data / "audiojudge" / "judge_characteristics.csv"
        methods = sorted({key.split("/")[0] for key in told} - {"baseline"})
        for which in (methods, ["baseline"]):  # tests name the plain one second
            only = {"dataset": [task], "order": ["AB"], "method": which}
            mapping = {"shape": "verdicts", "only": only, "columns": columns | settings}
            verdicts_of(client, campaign, source, mapping=mapping)
        figures = report_of(client, campaign, "judges", aspect=aspect, missing="left_out")
        rows = {set_up_of(row["who"]): row for row in figures[f"agreement-{aspect}"] if row["who"].startswith(GPT)}
        differ = [row for row in figures["judges-differ"] if set_up_of(row["other"]) == "baseline/0"]
        tests = {set_up_of(row["one"]): row for row in differ}
        assert set(rows) == set(told)
        for key, cells in told.items():
            expected, found = cells[task], rows[key]["accuracy"]
            assert (times(found), found["n"]) == (expected["correct"], expected["n"])
            if key != "baseline/0":
                assert (tests[key]["gain"], tests[key]["loss"]) == (expected["gain"], expected["loss"])
                assert tests[key]["p"]["estimate"] == pytest.approx(expected["mcnemar_exact_two_sided_p"], abs=1e-6)
                assert tests[key]["without_gain"] == pytest.approx(expected["p_one_sided_bootstrap"], abs=0.01)


def characteristics_of(client: APIClient, shared_data: Path, task: str) -> tuple[str, str, dict[str, Any]]:
    """A campaign over the pairs of one task with their labels; what is asked; and how verdicts say it."""
    source = shared_data / "audiojudge" / "judge_characteristics.csv"
    plain = {"dataset": [task], "order": ["AB"], "method": ["baseline"], "n_shots": ["0"]}
    if task == "somos":
        return clips_of(client, source, plain), "overall", OF_VERDICTS
    pairs = {"shape": "pairs", "only": plain, "fixed": SIDES, "columns": {"item_id": {"becomes": "pair"}}}
    dataset = dataset_of(client, source, mapping=pairs, dataset_name=task)
    same = {"becomes": "answer", "name": "same_pronunciation", "values": {"true": "yes", "false": "no"}}
    labels = {"shape": "answers", "only": plain, "columns": {"item_id": {"becomes": "pair"}, "label_human": same}}
    dataset_of(client, source, mapping=labels, dataset_name=task, label_set_name="human")
    return campaign_of(client, dataset, "attributes"), "same_pronunciation", OF_VERDICTS | {"verdict": same}


# The test before reads the same file by the same columns; the figures are held by `test_audiojudge`.
@pytest.mark.slow
def test_people_who_heard_the_pairs_again(client: APIClient, shared_data: Path) -> None:
    """The bottom row of Table 1, with κ of every two and α of all four."""
    told = truth(shared_data, "aj_human_baseline")["reproduced"]
    raters = {
        "human": "label", "human-baseline": "human_baseline", f"{GPT}, method baseline": "gpt4o_0shot",
        f"{GPT}, method examples_test_concat": "gpt4o_4shot_concat",
    }  # fmt: skip
    for task, expected in told.items():
        campaign, aspect, columns = characteristics_of(client, shared_data, task)
        columns = {name: use for name, use in columns.items() if name != "n_shots"} | {
            "method": {"becomes": "setting"}
        }
        for only in ({"method": ["baseline", "human"]}, {"method": ["examples_test_concat"], "n_shots": ["4"]}):
            mapping = {"shape": "verdicts", "columns": columns, "only": only | {"dataset": [task], "order": ["AB"]}}
            verdicts_of(client, campaign, shared_data / "audiojudge" / "judge_characteristics.csv", mapping=mapping)
        rows = report_of(client, campaign, "judges", aspect=aspect)[f"agreement-{aspect}"]
        (people,) = [row["accuracy"] for row in rows if row["who"].startswith("human-baseline")]
        assert (times(people), people["n"]) == (expected["correct"], expected["n"])

        def named(who: str) -> str:
            return max((name for name in raters if who.startswith(name)), key=len)

        for coefficient in ("kappa", "alpha"):
            pairs = report_of(client, campaign, "raters", labels="everybody", coefficient=coefficient)
            found = {}
            for row in pairs[f"pairs-{aspect}"]:
                one, other, value = list(row.values())[:3]
                found[frozenset((raters[named(one)], raters[named(other)]))] = value["estimate"]
            if coefficient == "kappa":
                kappas = {frozenset(names.split("~")): it for names, it in expected["cohen_kappa"].items()}
                assert found == pytest.approx(kappas, abs=1e-6)
            else:
                both = found[frozenset(("label", "human_baseline"))]
                assert both == pytest.approx(expected["alpha_label_human"], abs=1e-6)
        whole = report_of(client, campaign, "agreement", labels="everybody")[f"coefficients-{aspect}"]
        alpha = one_of(whole, coefficient="Krippendorff’s α (nominal)")["value"]["estimate"]
        assert alpha == pytest.approx(expected["alpha_nominal_label_human_gpt4o0_gpt4o4"], abs=1e-6)


def test_verbosity_with_lengths_of_the_same_file(client: APIClient, shared_data: Path) -> None:
    """Winners and letters as LMArena and the judge write them; numbers of tokens from the same file."""
    source = shared_data / "audiojudge" / "chatbotarena_noise_subset1000.csv"
    won = {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "tie"}
    columns = {
        "question_id": {"becomes": "pair"}, "system_a": {"becomes": "system_a"}, "system_b": {"becomes": "system_b"},
        "winner": {"becomes": "answer", "values": won},
    }  # fmt: skip
    dataset = dataset_of(client, source, mapping={"shape": "pairs", "columns": columns}, label_set_name="human")
    campaign = campaign_of(client, dataset, "untyped_tie")
    with source.open("rb") as file:
        body = {"file": file, "key": "question_id", "columns": "tokens_a, tokens_b"}
        sent(client, f"datasets/{dataset}/numbers/", data=body, format="multipart")
    said = {"becomes": "answer", "rater": "gpt-4o", "order": "AB", "values": LETTERS}
    mapping = {"shape": "verdicts", "columns": {"question_id": {"becomes": "pair"}, "gpt4o_nonoise1": said}}
    verdicts_of(client, campaign, source, mapping=mapping)
    told = truth(shared_data, "aj_fig4_verbosity_bias")["reproduced"]["gpt-4o audio->audio, run 1"]
    (row,) = report_of(client, campaign, "bias", length="tokens", gap="least")["verbosity"]
    for sort, name in (("longer", "longer"), ("shorter", "shorter"), ("tied", "tie")):
        assert (row[f"n_{sort}"], row[sort]["n"]) == (told[name], told["n"])
    assert 100 * row["difference"] == pytest.approx(told["delta"], abs=5e-3)
    assert row["p"]["estimate"] == pytest.approx(told["exact_binomial_p"], abs=1e-10)


def test_pointwise_scores_in_columns(client: APIClient, shared_data: Path) -> None:
    """Tables 9 and 10: of two scores the higher one wins; each is a verdict on its clip, beside mean opinions."""
    source = shared_data / "audiojudge" / "mos_pairs.csv"
    told = truth(shared_data, "aj_table9_10_pointwise")
    reproduced, names = told["reproduced"], ("0shot", "4shot", "4shot_concat")
    label = {"becomes": "answer", "values": {"1": "a", "2": "b"}}
    pairs = {"item_id": {"becomes": "pair"}, "label_human": label}
    mapping = {"shape": "pairs", "fixed": SIDES, "columns": pairs}
    dataset = dataset_of(client, source, mapping=mapping, label_set_name="human")
    campaign = campaign_of(client, dataset, "untyped_tie")
    columns: dict[str, Any] = {"item_id": {"becomes": "pair"}}
    columns["gpt4o_pair_0shot_AB"] = {"becomes": "answer", "rater": "pairwise_0shot", "order": "AB"}
    scores = {name: f"score_{{}}_{name}" for name in names} | {"opinions": "mos_{}"}
    for rater, one in scores.items():
        columns |= {one.format(side): {"becomes": f"score_{side}", "rater": rater} for side in "ab"}
    verdicts_of(client, campaign, source, mapping={"shape": "verdicts", "columns": columns})
    rows = {row["who"].split(" (")[0]: row for row in report_of(client, campaign, "judges")["agreement-overall"]}
    counts = {row["who"].split(" (")[0]: row for row in report_of(client, campaign, "labels")["counts-overall"]}
    for name in (*names, "pairwise_0shot"):
        assert 100 * rows[name]["half"]["estimate"] == pytest.approx(reproduced["table9"][name]["somos"], abs=1e-3)
    for name in names:
        share = 100 * counts[name]["label_tie"] / sum(counts[name][f"label_{it}"] for it in ("a", "b", "tie"))
        assert share == pytest.approx(reproduced["other"][f"{name}/somos"]["tie_rate_pct"])
    assert (rows["opinions"]["accuracy"]["estimate"] == 1) == bool(reproduced["label_is_argmax_mos"])

    of_clips = {f"mos_{side}": {"becomes": "answer", "system": SIDES[f"system_{side}"]} for side in "ab"}
    mapping = {"shape": "answers", "columns": {"item_id": {"becomes": "item"}} | of_clips}
    dataset_of(client, source, mapping=mapping, label_set_name="opinions")
    clips = sent(
        client,
        "campaigns/",
        data={"title": "Clips", "dataset": dataset, "protocol": "acr"},
        format="json",
    )["slug"]
    columns = {"item_id": {"becomes": "item"}}
    for name in names:
        columns |= {
            f"score_{side}_{name}": {"becomes": "answer", "rater": name, "system": SIDES[f"system_{side}"]}
            for side in "ab"
        }
    verdicts_of(client, clips, source, mapping={"shape": "verdicts", "columns": columns})
    figures = report_of(client, clips, "scales", reference="labels-opinions")
    beside = {row["predictor"].split(" (")[0]: row for row in figures["metrics-responses"]}
    assert len(figures["judges-errors"]) == len(names)
    for row in figures["judges-errors"]:
        name = row["judge"].split(" (")[0]
        other = reproduced["other"][f"{name}/somos"]
        expected = reproduced["table10"][name]["somos"]
        assert row["squared_error"]["estimate"] == pytest.approx(expected, abs=1e-5)
        assert row["absolute_error"]["estimate"] == pytest.approx(other["mae"], abs=1e-5)
        assert row["alpha"]["estimate"] == pytest.approx(other["alpha_interval_judge_vs_mos"], abs=1e-6)
        assert row["bias"]["estimate"] == pytest.approx(other["bias"], abs=1e-5)
        for coefficient in ("pearson", "spearman"):
            assert beside[name][coefficient]["estimate"] == pytest.approx(other[coefficient], abs=1e-5)


def test_raw_tables_of_both_orders_of_chatbotarena(client: APIClient, shared_data: Path) -> None:
    """The repository's own two files, of 995 and of 994 pairs. They are no source of the figures in `truth/`.

    Systems and labels of the first are those of the tidied pairs; the verdicts are of another run, with 767 of 995 as
    there. The second has the systems as they were heard, so that its order is turned; its labels are left from other
    rows, and are not read. What is expected is counted by pandas.
    """
    first, second = (shared_data / "raw" / f"audiojudge_chatbotarena_{it}.csv" for it in ("AB", "BA"))
    systems = {"index": {"becomes": "item"}}
    systems |= {f"model_{side}": {"becomes": f"system_{side}"} for side in "ab"}
    label = {"ground_truth": {"becomes": "answer", "values": {"1": "a", "2": "b", "tie": "tie"}}}
    pairs = {"shape": "pairs", "columns": systems | label}
    dataset = dataset_of(client, first, mapping=pairs, label_set_name="human")
    campaign = campaign_of(client, dataset, "untyped_tie")
    said = {"prediction": {"becomes": "answer"}}
    mapping = {"shape": "verdicts", "fixed": {"judge": "raw", "order": "AB"}, "columns": systems | said}
    for source in (first, second):
        verdicts_of(client, campaign, source, mapping=mapping)
    ab, ba = (pd.read_csv(source, dtype=str).set_index("index") for source in (first, second))
    both = ab.join(ba["prediction"].rename("turned"), how="inner")
    said_twice = both["prediction"] + both["turned"]
    (row,) = report_of(client, campaign, "bias")["flipped"]
    assert row["stable"]["n"] == len(both) < len(ab) == 995
    counts = {name: said_twice.isin(of).sum() for name, of in PLACES_TWICE.items()}
    assert {name: times(row[name]) for name in counts} == counts
    agree = report_of(client, campaign, "judges", order="ab", missing="left_out")["agreement-overall"]
    (of_people,) = [it for it in agree if it["who"].startswith("raw")]
    right = (ab["prediction"] == ab["ground_truth"]).sum()
    assert (times(of_people["accuracy"]), of_people["accuracy"]["n"]) == (right, len(ab))


#: What was said first and then in the other order, each by place.
PLACES_TWICE = {"stable": ["12", "21"], "first_twice": ["11"], "second_twice": ["22"]}
