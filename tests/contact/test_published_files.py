"""Tables of pairs exactly as their authors published them, given to the import as they are.

The other side is whoever publishes: TRACE's SpeakBench file (JSON Lines) and five tables of AudioJudge's repository
(CSV), read at ../shared/data and skipped where that is absent; and two shapes that are written here because their
files are not at hand: TRACE's second release, in which ids clash, and LMArena's 140k battles. Nothing is started.
Each table comes in, or is refused with what it is and what to do.
"""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from analytics.data.labels import imported_labels
from analytics.exports.labels import trace_lines
from corpus.imports.manifest.choices import MAPPING, NOTHING_CHOSEN, Choices
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, PlanRefused, write
from corpus.models import Dataset, Label
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def quiet(done: int, total: int, note: str) -> None:
    """Nobody watches."""


def look(path: Path, choices: Choices = NOTHING_CHOSEN):
    return check_manifest(
        path, None, dataset_name="Published", label_set_name="Release", progress=quiet, choices=choices
    )


def bring_in(path: Path, choices: Choices = NOTHING_CHOSEN) -> Dataset:
    checked = look(path, choices)
    assert checked.errors == []
    user = UserFactory(is_researcher=True)
    return write(checked, None, Destination("Published", "Release", user), progress=quiet)


def errors_of(path: Path, choices: Choices = NOTHING_CHOSEN) -> list[tuple[int | None, str, str]]:
    return [(problem.row, problem.field, problem.choice) for problem in look(path, choices).errors]


def labels_of(dataset: Dataset) -> Counter[tuple[str, str]]:
    return Counter(
        Label.objects.filter(annotation__label_set=dataset.label_sets.get()).values_list("aspect", "value")
    )


# -- AudioJudge ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "n"), [("AB", 995), ("BA", 994)])
def test_chatbot_arena_asks_for_the_columns_of_items_and_labels(shared_data, order, n):
    path = shared_data / "raw" / f"audiojudge_chatbotarena_{order}.csv"

    checked = look(path)

    assert [(it.field, it.choice) for it in checked.errors] == [
        ("ground_truth", "label_column"), ("item", "item_column"),
    ]  # fmt: skip
    lost, one_item = (it.message for it in checked.errors)
    assert "No labels would come in: the column ground_truth" in lost
    assert f"{n} pairs would become one item, '-1'" in one_item
    assert f"index ({n})" in one_item
    report = checked.report()
    assert report["undecided"]
    assert [column["name"] for column in report["to_choose"]["label_columns"]] == ["ground_truth", "prediction"]
    assert {"prediction", "reasoning", "correct"} <= {column["name"] for column in report["unused_columns"]}


def test_chatbot_arena_comes_in_by_the_columns_that_are_named(shared_data):
    path = shared_data / "raw" / "audiojudge_chatbotarena_AB.csv"

    dataset = bring_in(path, Choices(item_column="index", label_column="ground_truth"))

    assert (dataset.items.count(), dataset.units.count(), dataset.systems.count()) == (995, 995, 20)
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["index"]: row for row in csv.DictReader(file)}
    assert labels_of(dataset) == Counter({("overall", "b"): 324, ("overall", "a"): 351, ("overall", "tie"): 320})
    unit = dataset.units.select_related("item", "a__system").get(key="3048")
    assert (unit.item.key, unit.a.system.name) == ("3048", "oasst-pythia-12b")
    assert unit.source["reasoning"] == rows["3048"]["reasoning"]


def test_speakbench_with_both_orders_in_a_row_is_refused_for_its_shape(shared_data):
    """Nothing of it is read until a person has said what its columns are: that is offered along with the reason."""
    checked = look(shared_data / "raw" / "audiojudge_speakbench_detailed.csv")
    (problem,) = checked.errors

    assert (problem.row, problem.field, problem.choice) == (None, "columns", MAPPING)
    assert (checked.plan.items, checked.plan.units, checked.plan.labels) == ({}, {}, {})
    with pytest.raises(PlanRefused):
        write(checked, None, Destination("Published", "Release", UserFactory(is_researcher=True)), progress=quiet)
    assert not Dataset.objects.exists()
    assert problem.message.startswith("This table is wide: a row holds verdicts of two orders")
    assert "position1_prediction / position2_prediction" in problem.message
    assert "Make it long first: a row for each order" in problem.message


@pytest.mark.parametrize("name", ["somos", "pronunciation"])
def test_pairs_without_systems_are_refused_with_what_is_missing(shared_data, name):
    (problem,) = look(shared_data / "raw" / f"audiojudge_{name}.csv").errors

    assert (problem.row, problem.field, problem.choice) == (None, "columns", MAPPING)
    assert "no columns that name their two systems. Add model_a and model_b" in problem.message


# -- TRACE -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
@pytest.mark.parametrize("column", ["", "verdict"])
def test_verdicts_of_a_judge_are_refused_as_labels_and_their_pairs_come_in(shared_data, column):
    path = shared_data / "audiojudge" / "judge_reasoning_sample.jsonl"

    assert errors_of(path, Choices(label_column=column)) == [(None, column or "verdict", "label_column")]
    dataset = bring_in(path, Choices(label_column=column, without_labels=True))
    assert (dataset.units.count(), dataset.label_sets.count()) == (120, 0)


@pytest.mark.databases
def test_speakbench_of_trace_comes_in_and_goes_out_byte_for_byte(shared_data):
    path = shared_data / "hcot" / "hcot_speakbench.jsonl"

    dataset = bring_in(path)

    assert look(path).plan.problems == []
    assert "".join(trace_lines(imported_labels(dataset.label_sets.get()))) == path.read_text(encoding="utf-8")


#: New ids for prompts of SpeakBench, so that ids clash as in TRACE's second release: five name two to four prompts
#: each, two more name prompts that differ in quotation marks alone, and 34 prompts stand under two ids.
SEVERAL = {"identity_audio_0": 4, "identity_audio_1": 3, "identity_audio_2": 2, "emotion_audio_3": 2, "song_4": 2}
CURLY = ("quote_audio_5", "quote_audio_6")
N_REPEATED = 34


@pytest.fixture
def clashing(shared_data, tmp_path) -> Path:
    """SpeakBench's pairs under ids that clash."""
    lines = (shared_data / "hcot" / "hcot_speakbench.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts = list(dict.fromkeys(row["instruction_text"] for row in rows))
    quoted = [text for text in texts if "'" in text][: len(CURLY)]
    texts = [text for text in texts if text not in quoted]
    ids = {text: name for name, n in SEVERAL.items() for text in (texts.pop() for _ in range(n))}
    ids |= dict(zip(quoted, CURLY, strict=True))
    twice = texts[:N_REPEATED]
    seen = Counter[str]()
    for row in rows:
        text = row["instruction_text"]
        seen[text] += 1
        row["instruction_id"] = ids.get(text, f"other_{row['instruction_id']}")
        if text in quoted and seen[text] % 2:
            row["instruction_text"] = text.replace("'", "’")
        if text in twice and seen[text] % 2:
            row["instruction_id"] = f"again_{row['instruction_id']}"
    path = tmp_path / "clashing.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_clashing_ids_are_named_with_their_prompts_lines_and_choices(clashing):
    checked = look(clashing)

    assert sorted(clash.item for clash in checked.plan.clashes) == sorted([*SEVERAL, *CURLY])
    assert Counter(problem.choice for problem in checked.errors) == {"clashing_items": 7}
    rows = [json.loads(line) for line in clashing.read_text(encoding="utf-8").splitlines()]
    first = next(problem for problem in checked.errors if "identity_audio_0" in problem.message)
    lines = {n for n, row in enumerate(rows, start=1) if row["instruction_id"] == "identity_audio_0"}
    assert first.row in lines
    for text in {row["instruction_text"] for row in rows if row["instruction_id"] == "identity_audio_0"}:
        assert text[:100] in first.message
    assert "(split)" in first.message
    signs = {clash["item"] for clash in checked.report()["to_choose"]["clashes"] if clash["is_of_signs"]}
    assert signs == set(CURLY)


def test_prompts_under_two_ids_are_noticed(clashing):
    report = look(clashing).report()

    assert report["to_choose"]["n_repeated"] == N_REPEATED
    assert report["undecided"]


@pytest.mark.parametrize(
    ("choices", "items"),
    [
        (Choices(clashing_items="merge"), 73 + N_REPEATED),
        (Choices(clashing_items="split"), 83 + N_REPEATED),
        (Choices(clashing_items="split", by_item=dict.fromkeys(CURLY, "merge")), 81 + N_REPEATED),
        (Choices(clashing_items="split", by_item=dict.fromkeys(CURLY, "merge"), same_prompts="one"), 81),
        (Choices(clashing_items="split", same_prompts="one"), 81),
    ],
)
def test_every_choice_brings_all_pairs_in_and_out_again(clashing, choices, items):
    dataset = bring_in(clashing, choices)

    assert (dataset.items.count(), dataset.units.count()) == (items, 497)
    assert sum(labels_of(dataset).values()) == 4 * 497
    assert "".join(trace_lines(imported_labels(dataset.label_sets.get()))) == clashing.read_text(encoding="utf-8")


def test_first_prompts_alone_leave_the_rows_of_others_out_and_say_so(clashing):
    checked = look(clashing, Choices(clashing_items="first"))

    n = len(checked.plan.units)
    assert checked.errors == []
    assert n < 497
    assert f"Left out, as chosen, for another prompt than the first of their item: {497 - n} rows" in " ".join(
        problem.message for problem in checked.plan.problems
    )


# -- LMArena ---------------------------------------------------------------------------------------------------

#: The columns of LMArena's 140k battles, as their card has them, with words of ours.
BATTLE = {
    "id": "d1", "model_a": "alpha", "model_b": "beta", "winner": "model_b", "evaluation_session_id": "s1",
    "evaluation_order": 1, "conversation_a": [{"role": "user", "content": "Why?"}],
    "conversation_b": [{"role": "user", "content": "Why?"}], "full_conversation": [], "conv_metadata": {"turns": 1},
    "category_tag": {"math_v0.1": {"math": False}}, "language": "en", "is_code": False,
    "timestamp": "2025-07-01T12:00:00",
}  # fmt: skip


@pytest.fixture
def battles(tmp_path) -> Path:
    rows = [BATTLE | {"id": f"d{n}", "winner": winner} for n, winner in enumerate(["model_b", "both_bad", "tie"])]
    path = tmp_path / "battles.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_winner_of_a_battle_is_not_lost(battles):
    (problem,) = look(battles).errors

    assert (problem.field, problem.choice) == ("winner", "label_column")
    assert "or choose to import without labels" in problem.message


@pytest.mark.databases
def test_winner_comes_in_as_the_label_that_was_named(battles):
    dataset = bring_in(battles, Choices(label_column="winner", item_column="id"))

    assert labels_of(dataset) == Counter({("overall", "b"): 1, ("overall", "both_bad"): 1, ("overall", "tie"): 1})
    assert set(dataset.items.values_list("key", flat=True)) == {"d0", "d1", "d2"}


@pytest.mark.databases
def test_battles_come_in_without_labels_where_that_is_chosen(battles):
    assert not bring_in(battles, Choices(without_labels=True)).label_sets.exists()
