"""AudioJudge (Manakul, Gan et al.) from its published verdicts and labels, by import and report.

Fig. 4 (verbosity) is not here: the texts of its 7,824 pairs were not published, and the index of figures calls it not
reproducible. The kind that measures it is held by its own tests.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.test import Client

from analytics.data.label_arrays import EVERYTHING, Reading
from analytics.reports.kinds import agreement, bias, judges, label_counts, rater_pairs, scales, systems
from analytics.reports.output.figures import Figure
from campaigns.models import Campaign
from protocols import SHIPPED
from tests.acceptance.conftest import Beside
from tests.acceptance.importing import (
    import_labels,
    import_pairs,
    import_verdicts,
    table_at,
    written,
)
from tests.acceptance.told import truth
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.judges.speakbench import untyped_hcot

pytestmark = pytest.mark.django_db
REFERENCE = "gpt4o-audio"
GEMINI, GPT = "gemini-2.5-flash", "gpt-4o-audio"
ASPECTS = ("overall", "content", "paralinguistics", "voice_quality")
CHARACTERISTICS = ("pronunciation", "somos")
#: What is asked of pronunciation (is it the same?) has two answers, too.
BY_PLACE = {"true": "1", "false": "2"}
PLACES = {"A": "1", "B": "2", "C": "tie", "D": ""}


@pytest.fixture
def speakbench(shared_data: Path, tmp_path: Path) -> Campaign:
    """SpeakBench: the 508 pairs that people compared, and each system against GPT-4o-Audio as two judges heard it."""
    people = table_at(shared_data / "hcot" / "speakbench_original_508.csv")
    verdicts = [shared_data / "audiojudge" / f"judge_speakbench_{name}.csv" for name in (GEMINI, GPT)]
    judged = {row["item_id"]: row for path in verdicts for row in table_at(path)}
    rows = [(f"people-{row['row']}", row, row["label"]) for row in people]
    rows += [(key, row, "") for key, row in judged.items()]
    pairs = written(
        tmp_path / "pairs.csv",
        (
            {
                "index": key, "instruction_id": row["instruction_id"],
                "instruction_text": f"Instruction {row['instruction_id']}",
                "system_a": row["system_a"], "system_b": row["system_b"], "label_overall": label,
            }
            for key, row, label in rows
        ),
    )  # fmt: skip
    campaign = import_pairs(pairs, untyped_hcot(), title="SpeakBench", labels="original")
    for path in verdicts:
        import_verdicts(campaign, path)
    return campaign


@pytest.mark.holds(
    "aj_table8_speakbench_winrates/*", "aj_table3_speakbench_spearman/*/gemini*/?-shot",
    *(f"aj_table3_speakbench_spearman/reproduced/*/{it}" for it in ("spearman_*", "tied_*", "*matches_published")),
)  # fmt: skip
def test_speakbench_win_rates_and_rank_correlations(speakbench: Campaign, shared_data: Path, beside: Beside) -> None:
    """Table 8 (26 win rates and ρ) and the columns of Table 3 about SpeakBench."""
    rates = truth(shared_data, "aj_table8_speakbench_winrates")
    rhos = truth(shared_data, "aj_table3_speakbench_spearman")
    for vote, name in (("overall", "single"), ("together", "ensemble")):
        figures = figures_of(systems.KIND, speakbench, vote=vote, against=REFERENCE)
        found = {row["who"]: row["spearman"].estimate for row in rows_of(figures["correlations"])}
        columns = {column.title: column.key for column in figures["win-rates"].table.columns}  # type: ignore[union-attr]
        for shots in (0, 4):
            key, who = f"{GEMINI}/{name}/{shots}-shot", f"{GEMINI}, n_shots {shots}"
            expected, published = rhos["reproduced"][key], rhos["published"][key]
            for how in ("spearman_exact_ties", "spearman_float_no_rounding"):  # the same, as no rates are
                beside(
                    f"AudioJudge Table 3, SpeakBench, {key}", published=published, expected=expected[how],
                    obtained=round(found[who], 6), within=1e-4,
                )  # fmt: skip
            won = [row[columns[who]].estimate for row in rows_of(figures["win-rates"])]
            tied = len(won) - len(set(won))
            beside(f"{key}: systems that tie", expected=expected["tied_systems_in_judge_scores"], obtained=tied)
            same = abs(found[who] - published) < 5e-4
            claims = (expected["matches_published"], expected["float_matches_published"])
            beside(f"{key}: as published", expected=claims, obtained=(same, same))
        if name == "ensemble":
            # Published as 0.802, which is what noise in floats makes of two equal rates; the index says 0.8088.
            beside(
                f"AudioJudge Table 3, SpeakBench, {GPT}/ensemble/0-shot",
                published=0.802, expected=0.8088, obtained=round(found[f"{GPT}, n_shots 0"], 4), within=5e-4,
            )  # fmt: skip
            sides = {"auto": columns[f"{GEMINI}, n_shots 0"], "human": columns["original"]}
            matching = dict.fromkeys(sides, 0)
            for system, cells in rates["reproduced"]["win_rates"].items():
                row = row_of(figures["win-rates"], system=system)
                human = row[sides["human"]].n
                beside(f"battles of {system}", expected=rates["reproduced"]["human_n"][system], obtained=human)
                for side, key in sides.items():
                    printed = rates["published"]["win_rates"][system][side]
                    matching[side] += abs(printed - 100 * row[key].estimate) < 0.0051
                    beside(
                        f"AudioJudge Table 8, {system}, {side}",
                        published=printed,
                        expected=cells[side],
                        obtained=round(100 * row[key].estimate, 2),
                        within=0.0051,
                    )
            for side, n in matching.items():
                beside(
                    f"cells as published, {side}", expected=rates["reproduced"][f"{side}_cells_matching"], obtained=n
                )
            beside(
                "AudioJudge Table 8, Spearman’s ρ",
                published=rates["published"]["spearman"],
                expected=rates["reproduced"]["spearman"],
                obtained=round(found[f"{GEMINI}, n_shots 0"], 6),
                within=1e-4,
            )


def clips_compared(rows: list[dict[str, str]], path: Path, *, protocol: str, title: str) -> Campaign:
    """Pairs of clips under their `item_id`, with the label of each; systems where the rows name them."""
    pairs = {row["item_id"]: row for row in rows}
    made = [
        {
            "index": key, "instruction_id": key, "instruction_text": f"Pair {key}",
            "system_a": row.get("system_a") or "one", "system_b": row.get("system_b") or "other",
            "label_overall": row.get("label_human", ""),
        }
        for key, row in pairs.items()
    ]  # fmt: skip
    return import_pairs(written(path, made), SHIPPED[protocol], title=title, labels="human")


def rows_about(shared_data: Path, dataset: str, orders: tuple[str, ...]) -> list[dict[str, str]]:
    """One task of `judge_characteristics.csv`, with the verdicts in these orders."""
    return [
        row | {"verdict": BY_PLACE.get(row["verdict"], row["verdict"])}
        | {"label_human": BY_PLACE.get(row["label_human"], row["label_human"])}
        for row in table_at(shared_data / "audiojudge" / "judge_characteristics.csv")
        if row["dataset"] == dataset and row["order"] in orders
    ]  # fmt: skip


def characteristic(dataset: str, rows: list[dict[str, str]], folder: Path) -> Campaign:
    campaign = clips_compared(
        rows, folder / f"{dataset}.csv", protocol="forced_choice", title=f"{dataset} {folder.name}"
    )
    columns = ("item_id", "judge", "method", "n_shots", "order", "verdict")
    import_verdicts(
        campaign, written(folder / f"{dataset}-verdicts.csv", ({it: row[it] for it in columns} for row in rows))
    )
    return campaign


def judge_of(method: str, shots: str) -> str:
    return f"{GPT}, n_shots {shots}, method {method}"


def percent(estimate: Any) -> float:
    return round(100 * float(estimate.estimate), 4)


def positional(
    beside: Beside, what: str, row: dict[str, Any], expected: dict[str, Any], published: Any = None
) -> None:
    """Shares of all pairs and of the decided ones, and the exact test of both places."""
    n = row["stable"].n
    names = {"stable": "stable", "position1": "first_twice", "position2": "second_twice", "other": "other"}
    beside(f"{what}: pairs in both orders", expected=expected["n"], obtained=n)
    for theirs, ours in names.items():
        count = round(row[ours].estimate * n)
        beside(f"{what}: {theirs}", expected=expected[theirs], obtained=count)
        printed, share = (published or {}).get(theirs), expected["pct_of_all"][theirs]
        obtained = percent(row[ours])
        beside(f"{what}: {theirs}, % of all", published=printed, expected=share, obtained=obtained, within=1e-3)
        if theirs != "other":
            share, obtained = expected["pct_of_decisive"][theirs], percent(row[f"{ours}_of_decided"])
            beside(f"{what}: {theirs}, % of decided", expected=share, obtained=obtained, within=1e-3)
    p = round(row["p"].estimate, 6)
    beside(f"{what}: exact p", expected=expected["exact_binomial_p_pos1_vs_pos2"], obtained=p, within=2e-6)
    rate = percent(row["first_rate"])
    beside(f"{what}: for the first, %", expected=expected["first_position_rate_pct"], obtained=rate, within=1e-3)


def heard(order: str) -> Reading:
    """Only verdicts in this order; labels of unknown order stay."""
    return Reading(order=order)


@pytest.mark.holds(
    "aj_table1_characteristic_accuracy/published/*/*/{dataset}",
    "aj_table1_characteristic_accuracy/reproduced/cells/*/*/{dataset}/*",
)
@pytest.mark.parametrize("dataset", CHARACTERISTICS)
def test_accuracy_of_set_ups(dataset: str, shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Table 1, and every set-up against the plain one. One file lacks a pair: its set-up is imported by itself."""
    told = truth(shared_data, "aj_table1_characteristic_accuracy")
    rows = rows_about(shared_data, dataset, ("AB",))
    whole = {row["item_id"] for row in rows}
    there = {key: {row["item_id"] for row in rows if set_up(row) == key} for key in map(set_up, rows)}
    campaigns = [(whole, [row for row in rows if there[set_up(row)] == whole])]
    campaigns += [
        (items, [row for row in rows if row["item_id"] in items and set_up(row) in (key, PLAIN)])
        for key, items in there.items()
        if items != whole
    ]
    for number, (items, said) in enumerate(campaigns):
        theirs = sorted(said, key=lambda row: set_up(row) == PLAIN)  # tests name it second
        folder = tmp_path / str(number)
        folder.mkdir()
        figures = figures_of(judges.KIND, characteristic(dataset, theirs, folder))
        for key, cells in told["reproduced"]["cells"].items():
            if there[key] == items:
                accuracy_as_told(beside, key, figures, cells[dataset], told["published"][key][dataset], dataset)


PLAIN = "baseline/0"


def set_up(row: dict[str, str]) -> str:
    return f"{row['method']}/{row['n_shots'] or 0}"


def accuracy_as_told(
    beside: Beside, key: str, figures: dict[str, Figure], expected: dict[str, Any], published: float, dataset: str
) -> None:
    what, who = f"AudioJudge Table 1, {dataset}, {key}", judge_of(*key.split("/"))
    found = row_of(figures["agreement-overall"], who=who)["accuracy"]
    counts = (round(found.estimate * found.n), found.n)
    beside(f"{what}: right, of", expected=(expected["correct"], expected["n"]), obtained=counts)
    share = percent(found)
    beside(f"{what}: accuracy, %", published=published, expected=expected["acc"], obtained=share, within=0.02)
    if key == PLAIN:
        return
    test = row_of(figures["judges-differ"], one=who, other=judge_of("baseline", "0"))
    gained = (test["gain"], test["loss"])
    beside(f"{what}: only it, only the plain one", expected=(expected["gain"], expected["loss"]), obtained=gained)
    p = expected["mcnemar_exact_two_sided_p"]
    beside(f"{what}: McNemar’s p", expected=p, obtained=round(test["p"].estimate, 6), within=1e-6)
    share = round(test["without_gain"], 4)
    beside(f"{what}: no gain", expected=expected["p_one_sided_bootstrap"], obtained=share, within=0.01)


@pytest.mark.holds("aj_human_baseline/published/{dataset}", "aj_human_baseline/reproduced/{dataset}/*")
@pytest.mark.parametrize("dataset", CHARACTERISTICS)
def test_people_and_judges_agree_on_characteristics(
    dataset: str, shared_data: Path, tmp_path: Path, beside: Beside
) -> None:
    """The bottom row of Table 1: people who heard the pairs anew, two set-ups of the judge, and the label itself."""
    told = truth(shared_data, "aj_human_baseline")
    expected = told["reproduced"][dataset]
    raters = {
        "label": "human", "human_baseline": "human-baseline, method human", "gpt4o_0shot": judge_of("baseline", "0"),
        "gpt4o_4shot_concat": judge_of("examples_test_concat", "4"),
    }  # fmt: skip
    of_these = {"baseline/0", "examples_test_concat/4", "human/0"}
    rows = [row for row in rows_about(shared_data, dataset, ("AB",)) if set_up(row) in of_these]
    campaign = characteristic(dataset, rows, tmp_path)
    people = row_of(figures_of(judges.KIND, campaign)["agreement-overall"], who=raters["human_baseline"])["accuracy"]
    beside(
        f"AudioJudge Table 1, {dataset}, people: right, of, %", published=told["published"][dataset],
        expected=(expected["correct"], expected["n"], expected["acc"]),
        obtained=(round(people.estimate * people.n), people.n, percent(people)),
    )  # fmt: skip
    pairs = between(figures_of(rater_pairs.KIND, campaign, labels="everybody", coefficient="kappa"))
    for names, kappa in expected["cohen_kappa"].items():
        one, other = (raters[name] for name in names.split("~"))
        beside(f"κ of {names}, {dataset}", expected=kappa, obtained=pairs[frozenset((one, other))], within=1e-6)
    alphas = between(figures_of(rater_pairs.KIND, campaign, labels="everybody", coefficient="alpha"))
    both = alphas[frozenset((raters["label"], raters["human_baseline"]))]
    beside(f"α of label and people, {dataset}", expected=expected["alpha_label_human"], obtained=both, within=1e-6)
    whole = figures_of(agreement.KIND, campaign, labels="everybody")["coefficients-overall"]
    alpha = row_of(whole, coefficient="Krippendorff’s α (nominal)")["value"].estimate
    four = expected["alpha_nominal_label_human_gpt4o0_gpt4o4"]
    beside(f"α of all four, {dataset}", expected=four, obtained=round(alpha, 6), within=1e-6)


def between(figures: dict[str, Figure]) -> dict[frozenset[str], float]:
    """A coefficient of every two raters, by their names without numbers of runs."""
    rows = map(dict.values, rows_of(figures["pairs-overall"]))
    return {
        frozenset(name.rpartition(" (")[0] or name for name in (one, other)): round(found.estimate, 6)
        for one, other, found, _words in rows
    }


@pytest.mark.holds("speakbench_judge_reliability_alpha/reproduced/*")
def test_speakbench_judges_agree_as_far_as_expected(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Krippendorff's α over two judges in both orders, and κ of two of the four."""
    expected = truth(shared_data, "speakbench_judge_reliability_alpha")["reproduced"]
    paths = [shared_data / "audiojudge" / f"judge_speakbench_{name}.csv" for name in (GEMINI, GPT)]
    rows = [row for path in paths for row in table_at(path) if row["n_shots"] == "0"]
    rows = [row | {"label_human": ""} for row in rows if row["system_a"] != row["system_b"]]
    pairs = {row["item_id"]: row for row in rows}
    made = [
        {
            "index": key, "instruction_id": row["instruction_id"], "instruction_text": "", "label_overall": "tie",
            "system_a": row["system_a"], "system_b": row["system_b"],
        }
        for key, row in pairs.items()
    ]  # fmt: skip
    made = [row | {"instruction_text": f"Instruction {row['instruction_id']}"} for row in made]
    campaign = import_pairs(written(tmp_path / "p.csv", made), untyped_hcot(), title="SpeakBench", labels="human")
    import_verdicts(campaign, written(tmp_path / "v.csv", rows))
    for aspect in ASPECTS:
        figure, of_aspect = (
            figures_of(judges.KIND, campaign, aspect=aspect)["reliability"],
            expected[f"{aspect}/0-shot"],
        )
        alpha = row_of(figure, one="All of them")["alpha"]
        what, value = f"SpeakBench, {aspect}", round(alpha.estimate, 6)
        beside(f"{what}: α of 4", expected=of_aspect["alpha_nominal_4raters"], obtained=value, within=1e-5)
        labels = rows_of(figures_of(label_counts.KIND, campaign)[f"counts-{aspect}"])
        missing = sum(row["none"] or 0 for row in labels)
        counts = (of_aspect["units"], of_aspect["missing"])
        beside(f"{what}: units, answers missing", expected=counts, obtained=(alpha.n, missing))
        kappas = {(row["one"], row["other"]): row["kappa"] for row in rows_of(figure)}
        for judge, kappa in of_aspect["kappa_AB_vs_BA_same_judge"].items():
            own = kappas[f"{judge}, n_shots 0, AB", f"{judge}, n_shots 0, BA"].estimate
            beside(f"{what}: κ of both orders, {judge}", expected=kappa, obtained=round(own, 6), within=1e-5)
        both = kappas[f"{GEMINI}, n_shots 0, AB", f"{GPT}, n_shots 0, AB"].estimate
        beside(
            f"{what}: κ of both judges", expected=of_aspect["kappa_gemini_vs_gpt4o_AB"],
            obtained=round(both, 6), within=1e-5,
        )  # fmt: skip


@pytest.mark.holds(
    *(f"aj_table3_chatbotarena_spearman/reproduced/per_setting/gpt-4o-audio/0-shot/{it}"
      for it in ("n_*", "spearman_AB_only", "spearman_c*", "accuracy_AB_pct", "accuracy_BA_un*", "kappa*", "pos*")),
)  # fmt: skip
def test_chatbotarena_ranks_as_people_do(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Table 3 with labels turned by the importer, in one order and in both."""
    expected = truth(shared_data, "aj_table3_chatbotarena_spearman")["reproduced"]["per_setting"][
        "gpt-4o-audio/0-shot"
    ]
    rows = table_at(shared_data / "audiojudge" / "chatbotarena_judges.csv")
    campaign = clips_compared(rows, tmp_path / "pairs.csv", protocol="untyped_tie", title="ChatbotArena")
    import_verdicts(campaign, written(tmp_path / "v.csv", ({it: row[it] for it in CHATBOT} for row in rows)))
    for order, unswapped in (("ab", "AB"), ("ba", "BA_unswapped")):
        row = row_of(figures_of(judges.KIND, campaign, heard(order))["agreement-overall"], who=GPT)
        what, upper = f"ChatbotArena, {order}", order.upper()
        beside(f"{what}: pairs", expected=expected[f"n_{upper}"], obtained=row["accuracy"].n)
        share, kappa = percent(row["accuracy"]), round(row["kappa"].estimate, 6)
        beside(f"{what}: accuracy, %", expected=expected[f"accuracy_{unswapped}_pct"], obtained=share, within=1e-3)
        beside(f"{what}: κ", expected=expected[f"kappa_{unswapped}"], obtained=kappa, within=1e-6)
    rhos = {"spearman_AB_only": heard("ab"), "spearman_corrected_labels_both_orders": EVERYTHING}
    for key, reading in rhos.items():
        rho = row_of(figures_of(systems.KIND, campaign, reading)["correlations"], who=GPT)["spearman"].estimate
        beside(f"ChatbotArena, {key}", expected=expected[key], obtained=round(rho, 6), within=1e-6)
    row = row_of(figures_of(bias.KIND, campaign)["flipped"], judge=GPT)
    beside("ChatbotArena, pairs in both orders", expected=expected["n_common"], obtained=row["stable"].n)
    positional(beside, "ChatbotArena", row, expected["positional"])


CHATBOT = ("item_id", "system_a", "system_b", "judge", "order", "verdict")


@pytest.mark.holds(
    "aj_table3_chatbotarena_spearman/published/*",
    "aj_table3_chatbotarena_spearman/reproduced/*/spearman_upstream_protocol",
    "aj_table3_chatbotarena_spearman/reproduced/*/accuracy_BA_upstream_labels_pct",
)
def test_chatbotarena_with_the_labels_of_the_source(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """The published 0.902: pairs turned round are pairs of their own, with labels that were left from other rows."""
    told = truth(shared_data, "aj_table3_chatbotarena_spearman")
    expected = told["reproduced"]["per_setting"]["gpt-4o-audio/0-shot"]
    left = {
        row["item_id"]: row["upstream_BA_label"]
        for row in table_at(shared_data / "audiojudge" / "chatbotarena_pairs.csv")
    }
    rows = [
        as_presented(row, left[row["item_id"]])
        for row in table_at(shared_data / "audiojudge" / "chatbotarena_judges.csv")
    ]
    for which, wanted in (("both", ""), ("turned", "BA")):
        theirs = [row for row in rows if row["item_id"].endswith(wanted)]
        folder = tmp_path / which
        folder.mkdir()
        campaign = clips_compared(theirs, folder / "pairs.csv", protocol="untyped_tie", title=which)
        import_verdicts(campaign, written(folder / "v.csv", ({it: row[it] for it in CHATBOT} for row in theirs)))
        if wanted:
            share = percent(row_of(figures_of(judges.KIND, campaign)["agreement-overall"], who=GPT)["accuracy"])
            accuracy = expected["accuracy_BA_upstream_labels_pct"]
            beside("ChatbotArena, BA with labels of the source, %", expected=accuracy, obtained=share, within=1e-3)
        else:
            rho = row_of(figures_of(systems.KIND, campaign)["correlations"], who=GPT)["spearman"].estimate
            beside(
                "ChatbotArena, as the source has it: ρ",
                published=told["published"]["spearman"]["gpt-4o-audio/0-shot"],
                expected=expected["spearman_upstream_protocol"], obtained=round(rho, 6), within=1e-6,
            )  # fmt: skip


def as_presented(row: dict[str, str], left: str) -> dict[str, str]:
    """A verdict in either order as one on a pair of its own, heard as it stands."""
    there = row | {"item_id": f"{row['item_id']} {row['order']}", "order": "AB"}
    if row["order"] == "AB":
        return there
    return there | {"system_a": row["system_b"], "system_b": row["system_a"], "label_human": left}


@pytest.mark.holds(
    "aj_fig5_positional_bias_lexical/published/notebook_*/*", "aj_fig5_positional_bias_lexical/reproduced/*",
    *(f"aj_fig5_positional_bias_lexical/published/fig5_position{place}/Gemini-2.0-F" for place in "12"),
)  # fmt: skip
def test_position_bias_over_7824_pairs(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Fig. 5: Gemini 2.0 Flash in both orders; replies that could not be read stay in the denominator."""
    told = truth(shared_data, "aj_fig5_positional_bias_lexical")
    table = table_at(shared_data / "audiojudge" / "chatbotarena_7824_verdicts.csv")
    names = [name.removesuffix("_AB") for name in table[0] if name.endswith("_AB")]
    pairs = [{"item_id": row["i"]} for row in table]
    campaign = clips_compared(pairs, tmp_path / "pairs.csv", protocol="untyped_tie", title="ChatbotArena")
    verdicts = (
        {"item_id": row["i"], "judge": name, "order": order, "verdict": PLACES[row[f"{name}_{order}"]]}
        for row in table
        for name in names
        for order in ("AB", "BA")
    )
    import_verdicts(campaign, written(tmp_path / "v.csv", verdicts))
    figure = figures_of(bias.KIND, campaign)["flipped"]
    for name in names:
        positional(
            beside, f"AudioJudge Fig. 5, {name}", row_of(figure, judge=name), told["reproduced"]["stats"][name]
        )
    printed, found = told["published"], told["reproduced"]
    for name, shares in printed["notebook_bias"].items():
        row = row_of(figure, judge=name)
        obtained = [round(percent(row[f"{it}_of_decided"]), 2) for it in ("stable", "first_twice", "second_twice")]
        beside(f"AudioJudge, notebook, {name}, %", published=shares, expected=shares, obtained=obtained)
        beside(
            f"{name}: as in the notebook", expected=found["notebook_bias_match"][name], obtained=obtained == shares
        )
    row = row_of(figure, judge="gemini20_audio_text")
    for place, column in (("1", "first_twice"), ("2", "second_twice")):
        share = printed[f"fig5_position{place}"]["Gemini-2.0-F"]
        obtained = round(percent(row[f"{column}_of_decided"]), 1)
        beside(f"AudioJudge Fig. 5, position {place}", published=share, expected=share, obtained=obtained)
    counts = rows_of(figures_of(label_counts.KIND, campaign, heard("ab"))["counts-overall"])
    said = {row["who"].rpartition(" (")[0]: row for row in counts}
    for name in names:
        key, row = f"{name}_AB", said[name]
        each = [row[it] for it in ("label_a", "label_b", "label_tie", "none")]
        shares = [100 * n / sum(each) for n in each]
        told_shares = found["stats"]["label_distribution_pct"][key]
        expected, shown = tuple(told_shares[it] for it in "ABCD"), tuple(round(it, 4) for it in shares)
        printed_shares = printed["notebook_label_pct"][key]
        beside(f"labels of {key}, %", published=printed_shares, expected=expected, obtained=shown)
        same = shares == pytest.approx(printed_shares, abs=0.0051)
        beside(f"{key}: as in the notebook", expected=found["notebook_label_match"][key], obtained=same)


@pytest.mark.holds(
    "aj_fig6_positional_bias_nonlexical/published/{dataset}/*",
    "aj_fig6_positional_bias_nonlexical/reproduced/*/{dataset}*",
)
@pytest.mark.parametrize("dataset", ["speed", "somos"])
def test_position_bias_of_sounds(dataset: str, shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Fig. 6, speaking rate and SOMOS."""
    told = truth(shared_data, "aj_fig6_positional_bias_nonlexical")
    rows = [row for row in rows_about(shared_data, dataset, ("AB", "BA")) if set_up(row) == PLAIN]
    campaign, who = characteristic(dataset, rows, tmp_path), judge_of("baseline", "0")
    expected, published = told["reproduced"]["stats"][dataset], told["published"][dataset]
    row = row_of(figures_of(bias.KIND, campaign)["flipped"], judge=who)
    positional(beside, f"AudioJudge Fig. 6, {dataset}", row, expected, published)
    as_in_figure_6(beside, dataset, row, told)
    for order, name in (("ab", "AB"), ("ba", "BA_after_unswapping")):
        found = row_of(figures_of(judges.KIND, campaign, heard(order))["agreement-overall"], who=who)["accuracy"]
        share = expected[f"accuracy_{name}_pct"]
        beside(f"{dataset}, accuracy, {order}, %", expected=share, obtained=percent(found), within=1e-3)


def as_in_figure_6(beside: Beside, dataset: str, row: dict[str, Any], told: dict[str, Any]) -> None:
    places = {"position1": "first_twice", "position2": "second_twice"}
    same = all(round(percent(row[places[it]]), 1) == share for it, share in told["published"][dataset].items())
    beside(f"{dataset}: as in Fig. 6", expected=told["reproduced"]["matches"][dataset], obtained=same)


@pytest.mark.holds(
    "aj_fig6_positional_bias_nonlexical/published/speakbench/*",
    "aj_fig6_positional_bias_nonlexical/reproduced/*/speakbench*",
)
def test_position_bias_on_speakbench(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Fig. 6, SpeakBench; 103 against 131 is no significant preference for a place.

    Of two pairs the source has answers about dimensions and none overall, and counts them nowhere: only verdicts with
    an overall answer are imported.
    """
    told = truth(shared_data, "aj_fig6_positional_bias_nonlexical")
    rows = [
        row | {"label_human": ""}
        for row in table_at(shared_data / "audiojudge" / f"judge_speakbench_{GPT}.csv")
        if (row["n_shots"], row["aspect"]) == ("0", "overall")
    ]
    campaign = clips_compared(rows, tmp_path / "pairs.csv", protocol="untyped_tie", title="SpeakBench")
    import_verdicts(campaign, written(tmp_path / "v.csv", ({it: row[it] for it in CHATBOT} for row in rows)))
    row = row_of(figures_of(bias.KIND, campaign)["flipped"], judge=GPT)
    expected, published = told["reproduced"]["stats"]["speakbench"], told["published"]["speakbench"]
    positional(beside, "AudioJudge Fig. 6, SpeakBench", row, expected, published)
    as_in_figure_6(beside, "speakbench", row, told)


@pytest.mark.holds("aj_fig4_verbosity_bias/reproduced/*")
def test_verbosity_on_pairs_that_people_found_equal(
    client: Client, shared_data: Path, tmp_path: Path, beside: Beside
) -> None:
    """Fig. 4 on the 1,000 pairs whose lengths are known: numbers of tokens, from the file of the source as it is."""
    told = truth(shared_data, "aj_fig4_verbosity_bias")["reproduced"]["gpt-4o audio->audio, run 1"]
    source = shared_data / "audiojudge" / "chatbotarena_noise_subset1000.csv"
    table = table_at(source)
    winners = {"model_a": "1", "model_b": "2"}
    pairs = [row | {"item_id": row["question_id"], "label_human": winners.get(row["winner"], "tie")} for row in table]
    campaign = clips_compared(pairs, tmp_path / "pairs.csv", protocol="untyped_tie", title="ChatbotArena")
    client.force_login(campaign.created_by)
    with source.open("rb") as file:
        asked = {"file": file, "key": "question_id", "columns": "tokens_a, tokens_b"}
        answer = client.post(f"/api/v1/datasets/{campaign.dataset.slug}/numbers/", asked)
    assert (answer.status_code, answer.json()["new"]) == (201, 2 * len(table)), answer.content
    verdicts = [
        {"unit": row["question_id"], "verdict": {"A": "1", "B": "2", "C": "tie"}[row["gpt4o_nonoise1"]]}
        for row in table
    ]
    import_verdicts(campaign, written(tmp_path / "v.csv", verdicts), judge="gpt-4o", order="AB")
    figures = figures_of(bias.KIND, campaign, length="tokens", gap="least", by="tokens")
    (row,) = rows_of(figures["verbosity"])
    for sort, expected in (("longer", "longer"), ("shorter", "shorter"), ("tied", "tie")):
        beside(
            f"AudioJudge Fig. 4, 1,000 pairs, {sort}",
            expected=(told[expected], told[f"{expected}_pct"], told["n"]),
            obtained=(row[f"n_{sort}"], round(percent(row[sort]), 2), row[sort].n),
        )
    delta = round(100 * row["difference"], 2)
    beside("AudioJudge Fig. 4, 1,000 pairs, Δ in points", expected=told["delta"], obtained=delta)
    p = row["p"].estimate
    beside("AudioJudge Fig. 4, 1,000 pairs, exact p", expected=told["exact_binomial_p"], obtained=p, within=1e-10)
    gaps = pd.Series([abs(float(it["tokens_a"]) - float(it["tokens_b"])) for it in table])
    said = pd.Series([it["verdict"] == pair["label_human"] for it, pair in zip(verdicts, pairs, strict=True)])
    starts = [gaps.sort_values().iloc[len(gaps) * part // 4] for part in range(4)]
    parts = said.groupby(pd.cut(gaps, [*starts, float("inf")], right=False), observed=True).agg(["mean", "size"])
    shown = rows_of(figures["difficulty"])
    assert [it["units"] for it in shown] == parts["size"].tolist()
    assert [it["agrees"].estimate for it in shown] == pytest.approx(parts["mean"].tolist())


@pytest.mark.holds(
    "aj_table9_10_pointwise/*/table9/*", "aj_table9_10_pointwise/reproduced/other/*/tie_rate_pct",
    "aj_table9_10_pointwise/reproduced/label_is_argmax_mos",
)  # fmt: skip
def test_pointwise_scores_as_pairwise_verdicts(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Table 9: of two scores the higher wins, and equal ones are half right."""
    told = truth(shared_data, "aj_table9_10_pointwise")
    table = table_at(shared_data / "audiojudge" / "mos_pairs.csv")
    campaign = clips_compared(table, tmp_path / "pairs.csv", protocol="untyped_tie", title="SOMOS")
    names = ("0shot", "4shot", "4shot_concat")
    verdicts = [
        {"item_id": row["item_id"], "judge": name, "order": "AB", "verdict": higher(row, name)}
        for row in table
        for name in names
    ]
    verdicts += [
        {"item_id": it["item_id"], "judge": "pairwise_0shot", "order": "AB", "verdict": it["gpt4o_pair_0shot_AB"]}
        for it in table
    ]
    verdicts += [
        {"item_id": it["item_id"], "judge": "opinions", "order": "AB",
         "verdict": "1" if float(it["mos_a"]) > float(it["mos_b"]) else "2"}
        for it in table
    ]  # fmt: skip
    import_verdicts(campaign, written(tmp_path / "v.csv", verdicts))
    figure = figures_of(judges.KIND, campaign)["agreement-overall"]
    labels = rows_of(figures_of(label_counts.KIND, campaign)["counts-overall"])
    said = {row["who"].rpartition(" (")[0]: row for row in labels}
    for name in names:
        share = 100 * said[name]["label_tie"] / sum(said[name][f"label_{it}"] for it in ("a", "b", "tie"))
        expected = told["reproduced"]["other"][f"{name}/somos"]["tie_rate_pct"]
        beside(f"SOMOS, {name}: ties, %", expected=expected, obtained=share)
    right = row_of(figure, who="opinions")["accuracy"].estimate == 1
    beside("the label is the better opinion", expected=told["reproduced"]["label_is_argmax_mos"], obtained=right)
    for name in (*names, "pairwise_0shot"):
        published, expected = (told[side]["table9"][name]["somos"] for side in ("published", "reproduced"))
        found = percent(row_of(figure, who=name)["half"])
        beside(
            f"AudioJudge Table 9, SOMOS, {name}", published=published, expected=expected, obtained=found, within=1e-3
        )


@pytest.mark.holds(
    "aj_table9_10_pointwise/*/table10/*",
    *(f"aj_table9_10_pointwise/reproduced/other/*/{it}" for it in ("pearson", "spearman", "mae", "bias", "alpha_*")),
)
def test_pointwise_scores_against_opinions(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Table 10: the mean squared error of pointwise scores against mean opinions, over both clips of each pair."""
    told = truth(shared_data, "aj_table9_10_pointwise")
    table = table_at(shared_data / "audiojudge" / "mos_pairs.csv")
    dataset = clips_compared(table, tmp_path / "pairs.csv", protocol="untyped_tie", title="SOMOS").dataset
    clips = [(row, slot, name) for row in table for slot, name in (("a", "one"), ("b", "other"))]
    opinions = [
        {
            "unit": f"{row['item_id']} | {name} | pair {row['item_id']} {slot}",
            "kind": "single", "item": row["item_id"],
            "systems": f'{{"a": "{name}"}}', "annotator": "listeners", "aspect": "overall",
            "value": row[f"mos_{slot}"],
        }
        for row, slot, name in clips
    ]  # fmt: skip
    campaign = import_labels(dataset, written(tmp_path / "opinions.csv", opinions), SHIPPED["acr"])
    names = ("0shot", "4shot", "4shot_concat")
    verdicts = [
        {
            "unit": f"{row['item_id']} | {system} | pair {row['item_id']} {slot}",
            "judge": name,
            "verdict": row[f"score_{slot}_{name}"],
        }
        for row, slot, system in clips
        for name in names
    ]
    import_verdicts(campaign, written(tmp_path / "v.csv", verdicts), order="A")
    figures = figures_of(scales.KIND, campaign, reference="labels-imported")
    beside_people = {row["predictor"]: row for row in rows_of(figures["metrics-responses"])}
    for row in rows_of(figures["judges-errors"]):
        name = row["judge"].rpartition(" (")[0]
        published, expected = (told[side]["table10"][name]["somos"] for side in ("published", "reproduced"))
        other = told["reproduced"]["other"][f"{name}/somos"]
        found = row["squared_error"].estimate
        what = f"AudioJudge Table 10, SOMOS, {name}"
        beside(f"{what}, MSE", published=published, expected=expected, obtained=found, within=1e-5)
        beside(f"{what}, MAE", expected=other["mae"], obtained=row["absolute_error"].estimate, within=1e-5)
        alpha, expected = row["alpha"].estimate, other["alpha_interval_judge_vs_mos"]
        beside(f"{what}, α, interval", expected=expected, obtained=round(alpha, 6), within=1e-6)
        beside(f"{what}, bias", expected=other["bias"], obtained=row["bias"].estimate, within=1e-5)
        for coefficient in ("pearson", "spearman"):
            found = beside_people[row["judge"]][coefficient].estimate
            beside(f"{what}, {coefficient}", expected=other[coefficient], obtained=found, within=1e-5)
    assert len(beside_people) == len(names)


def higher(row: dict[str, str], name: str) -> str:
    one, other = (float(row[f"score_{slot}_{name}"]) for slot in "ab")
    return "tie" if one == other else "1" if one > other else "2"


@pytest.mark.holds(
    "mtalk_table3_wilson/published/*", "mtalk_table3_wilson/reproduced/worked_examples_z196/*",
    "mtalk_table3_wilson/reproduced/count_pairs*/first", "mtalk_table3_wilson/reproduced/count_pairs*/last",
    "speakbench_orig_vs_hcot_agreement/reproduced/ci_methods_at_the_papers_n/*/wilson",
)  # fmt: skip
def test_position_rates_have_wilson_intervals(shared_data: Path, tmp_path: Path, beside: Beside) -> None:
    """Counts as votes for the first place; rates and intervals come from the report. MTalk-Bench Table 3: counts that
    print as published."""
    told = truth(shared_data, "mtalk_table3_wilson")
    solved = told["reproduced"]["count_pairs_consistent_with_the_printed_rate_and_interval"]
    printed = {(name, end): it[end] for name, it in solved.items() for end in ("first", "last")}
    ends = {told_key(share): interval for share, interval in told["reproduced"]["worked_examples_z196"].items()}
    papers = truth(shared_data, "speakbench_orig_vs_hcot_agreement")["reproduced"]["ci_methods_at_the_papers_n"]
    others = {told_key(key.partition("way_")[2]): it["wilson"] for key, it in papers.items()}
    counts = {tuple(pairs[0]) for pairs in printed.values()} | ends.keys() | others.keys()
    most = max(n for _, n in counts)
    pairs = [{"item_id": str(at)} for at in range(most)]
    campaign = clips_compared(pairs, tmp_path / "pairs.csv", protocol="forced_choice", title="MTalk-Bench")
    verdicts = (
        {"item_id": str(at), "judge": f"{first} of {n}", "order": "AB", "verdict": "1" if at < first else "2"}
        for first, n in counts
        for at in range(n)
    )
    import_verdicts(campaign, written(tmp_path / "v.csv", verdicts))
    figure = figures_of(bias.KIND, campaign)["first"]
    found = {row["who"]: row["first"] for row in rows_of(figure)}
    shown = {
        (first, n): [100 * it for it in (rate.estimate, rate.interval.low, rate.interval.high)]
        for first, n in counts
        for rate in (found[f"{first} of {n}"],)
    }
    for (name, end), solution in printed.items():
        beside(f"MTalk-Bench Table 3, {name}: {end} solution", expected=solution, obtained=[list(solution[0])])
        rates = [round(it, 2) for it in shown[tuple(solution[0])]]
        rate = told["published"][name]
        beside(f"MTalk-Bench Table 3, {name}, {end}", published=rate, expected=rate, obtained=rates, within=0.0051)
    for (first, n), interval in ends.items():
        obtained = shown[first, n][1:]
        beside(f"Wilson’s interval of {first} of {n}", expected=interval, obtained=obtained, within=2e-3)
    for (first, n), interval in others.items():
        obtained = [round(it, 1) for it in shown[first, n][1:]]
        beside(f"Wilson’s interval of {first} of {n}", expected=interval, obtained=obtained)


def told_key(said: str) -> tuple[int, int]:
    """Both numbers of `450/497` or `258_274`."""
    first, n = said.replace("_", "/").split("/")
    return int(first), int(n)
