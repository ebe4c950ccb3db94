from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.imports.manifest.pairs import LONGEST_ASPECT
from corpus.imports.manifest.planning import make_plan
from corpus.imports.manifest.reader import LONGEST
from corpus.imports.plan import PlannedItem, PlannedLabel, PlannedTurn, PlannedUnit
from corpus.models import Item, Label, LabelSet, Response, ResponseTurn, System, Turn, Unit
from tests.cases import each

RESPONSE = {
    "item": "q1",
    "category": "facts",
    "prompt_text": "Why?",
    "prompt_audio": "q1.wav",
    "system": "alpha",
    "response_text": "Because.",
    "response_audio": "alpha/q1.wav",
}
TRACE = {
    "index": 7,
    "instruction_path": "7/q.wav",
    "instruction_text": "Why?",
    "model_a": "alpha",
    "model_b": "beta",
    "audio1_path": "7/a.wav",
    "audio2_path": "7/b.wav",
    "label": {"content": "1", "overall": "both_bad"},
    "instruction_id": 67,
}
AUDIOJUDGE = {
    "item_id": "7",
    "instruction_id": "67",
    "instruction_text": "Why?",
    "system_a": "alpha",
    "system_b": "beta",
    "instruction_audio": "q.wav",
    "audio_a": "a.wav",
    "audio_b": "b.wav",
    "label_human": "2",
}
KNOWN = "Known are 1, 2, both_good, both_bad, tie, same. Else map its values."
EMPTY_TEXT = (
    "1 prompt without words (row 2). Words are read by text judges, and shown where the audio fails; where a "
    "prompt has no recording either, people hear the responses alone."
)


def clash(item):
    return (
        f"Item {item} names 2 different prompts: “Why?” (row 1); “How?” (row 2). Choose whether it becomes an item "
        "for each prompt (split), keeps the first prompt and its rows (first), or is one item all the same (merge)."
    )


def plan_of(*rows, without_audio=False):
    return make_plan(list(enumerate(rows, start=1)), without_audio=without_audio)


def problems(*rows, without_audio=False):
    found = plan_of(*rows, without_audio=without_audio).problems
    return [(problem.row, problem.field, problem.severity, problem.message) for problem in found]


def test_responses_are_planned_by_item_turn_system_and_take():
    plan = plan_of(
        RESPONSE,
        RESPONSE | {"system": "beta", "response_audio": "beta/q1.wav"},
        RESPONSE | {"take": "2", "response_text": "", "response_audio": "alpha/q1-again.wav"},
        RESPONSE | {"turn": "2", "prompt_text": "And then?", "prompt_audio": "", "response_audio": "alpha/q1-2.wav"},
    )

    assert plan.problems == []
    assert plan.rows == 4
    assert plan.items == {
        "q1": PlannedItem("facts", {1: PlannedTurn("Why?", {"q1.wav": 1}), 2: PlannedTurn("And then?")})
    }
    assert plan.responses == {
        ("q1", "alpha", "1"): {
            1: PlannedTurn("Because.", {"alpha/q1.wav": 1}),
            2: PlannedTurn("Because.", {"alpha/q1-2.wav": 4}),
        },
        ("q1", "beta", "1"): {1: PlannedTurn("Because.", {"beta/q1.wav": 2})},
        ("q1", "alpha", "2"): {1: PlannedTurn("", {"alpha/q1-again.wav": 3})},
    }
    assert plan.systems == ["alpha", "beta"]
    assert (plan.units, plan.labels) == ({}, {})


def test_pair_in_the_names_of_trace_is_planned_with_its_labels():
    plan = plan_of(TRACE)

    assert plan.problems == []
    assert plan.items == {"67": PlannedItem("", {1: PlannedTurn("Why?", {"7/q.wav": 1})})}
    assert plan.responses == {
        ("67", "alpha", "7/a.wav"): {1: PlannedTurn("", {"7/a.wav": 1})},
        ("67", "beta", "7/b.wav"): {1: PlannedTurn("", {"7/b.wav": 1})},
    }
    assert plan.units == {
        "7": PlannedUnit("67", ("67", "alpha", "7/a.wav"), ("67", "beta", "7/b.wav"), {"instruction_path": "7/q.wav"})
    }
    assert plan.labels == {
        ("7", "", "content"): PlannedLabel("7", "", "content", "a"),
        ("7", "", "overall"): PlannedLabel("7", "", "overall", "both_bad"),
    }


def test_pair_in_the_names_of_audiojudge_is_planned_with_its_label():
    plan = plan_of(AUDIOJUDGE)

    assert plan.problems == []
    assert plan.items == {"67": PlannedItem("", {1: PlannedTurn("Why?", {"q.wav": 1})})}
    assert plan.units == {
        "7": PlannedUnit("67", ("67", "alpha", "a.wav"), ("67", "beta", "b.wav"), {"instruction_audio": "q.wav"})
    }
    assert plan.labels == {("7", "", "overall"): PlannedLabel("7", "", "overall", "b")}


def test_pair_without_key_or_item_takes_the_number_of_its_row():
    nameless = {"model_a": "alpha", "model_b": "beta", "instruction_text": "How?"}

    plan = plan_of(TRACE, nameless, without_audio=True)

    assert plan.problems == []
    assert plan.units["2"] == PlannedUnit("2", ("2", "alpha", "pair 2 a"), ("2", "beta", "pair 2 b"), {})


def test_columns_that_are_not_ours_stay_with_the_pair():
    row = TRACE | {"score": 0.5, "labeller": "x", "labels": ["y"], "label_fluency": "1", "annotator": "ann"}

    assert plan_of(row).units["7"].source == {
        "instruction_path": "7/q.wav",
        "score": 0.5,
        "labeller": "x",
        "labels": ["y"],
    }


def test_labels_come_as_an_object_as_one_cell_or_as_columns():
    plan = plan_of(
        TRACE | {"label": {"content": "both_good", "overall": None}},
        TRACE | {"index": 8, "label": 2},
        TRACE | {"index": 9, "label": "", "label_content": " 1 ", "label_human": "tie", "label_voice": " "},
    )

    assert plan.problems == []
    assert {key: label.value for key, label in plan.labels.items()} == {
        ("7", "", "content"): "both_good",
        ("8", "", "overall"): "b",
        ("9", "", "content"): "a",
        ("9", "", "overall"): "tie",
    }


def test_several_annotators_label_one_pair():
    plan = plan_of(
        TRACE | {"annotator": "ann"},
        TRACE | {"annotator": "bob", "label": {"content": "2"}},
        TRACE | {"annotator": "cy", "label": {}},
    )

    assert plan.problems == []
    assert list(plan.units) == ["7"]
    assert {key: label.value for key, label in plan.labels.items()} == {
        ("7", "ann", "content"): "a",
        ("7", "ann", "overall"): "both_bad",
        ("7", "bob", "content"): "b",
    }


def test_two_pairs_share_their_item_and_a_response():
    plan = plan_of(AUDIOJUDGE, AUDIOJUDGE | {"item_id": "8", "system_b": "gamma", "audio_b": "c.wav"})

    assert plan.problems == []
    assert list(plan.items) == ["67"]
    assert list(plan.responses) == [("67", "alpha", "a.wav"), ("67", "beta", "b.wav"), ("67", "gamma", "c.wav")]


def test_audio_paths_name_the_first_row_that_gives_them():
    plan = plan_of(AUDIOJUDGE, AUDIOJUDGE | {"item_id": "8", "system_b": "gamma", "audio_b": "c.wav"})

    assert plan.audio_paths == {"q.wav": 1, "a.wav": 1, "b.wav": 1, "c.wav": 2}


def test_unknown_columns_are_refused_with_their_names():
    assert problems({"text": "x", "audio": "y"}) == [
        (
            None,
            "columns",
            "error",
            "These columns are not understood: audio, text. A manifest of responses needs item and system; "
            "a manifest of pairs needs model_a and model_b (or system_a and system_b).",
        )
    ]


@each(
    "second, expected",
    [
        ({}, ("system", "error", "Duplicate: alpha already answered turn 1 of item q1.")),
        ({"system": " "}, ("system", "error", "The cell system is empty.")),
        ({"item": None}, ("item", "error", "The cell item is empty.")),
        ({"system": "beta", "turn": "0"}, ("turn", "error", "Turn '0' is not a whole number from 1 to 100.")),
        ({"system": "beta", "turn": "101"}, ("turn", "error", "Turn '101' is not a whole number from 1 to 100.")),
        ({"system": "beta", "turn": 1.5}, ("turn", "error", "Turn '1.5' is not a whole number from 1 to 100.")),
        ({"system": "beta", "turn": "-1"}, ("turn", "error", "Turn '-1' is not a whole number from 1 to 100.")),
        (
            {"system": "beta", "response_audio": ""},
            ("response_audio", "error", "The cell response_audio is empty: which file is it?"),
        ),
        ({"turn": "2", "prompt_text": ""}, ("prompt_text", "warning", EMPTY_TEXT)),
        ({"turn": "2", "prompt_text": "", "prompt_audio": ""}, ("prompt_text", "warning", EMPTY_TEXT)),
        (
            {"system": "beta", "prompt_text": "How?"},
            ("prompt_text", "error", clash("q1")),
        ),
        (
            {"system": "beta", "category": "style"},
            ("category", "error", "Item q1 was given with category 'facts' before."),
        ),
    ],
)
def test_response_with_a_problem_is_reported_with_its_row(second, expected):
    assert problems(RESPONSE, RESPONSE | second) == [(2, *expected)]


@each(
    "second, expected",
    [
        ({}, ("index", "error", "Duplicate: pair 7 was already given.")),
        ({"model_b": "gamma", "annotator": "ann"}, ("index", "error", "Duplicate: pair 7 was already given.")),
        ({"index": 8, "model_a": ""}, ("system_a", "error", "The cell system_a is empty.")),
        ({"index": 8, "model_b": None}, ("system_b", "error", "The cell system_b is empty.")),
        ({"index": 8, "audio1_path": ""}, ("audio_a", "error", "The cell audio_a is empty: which file is it?")),
        ({"index": 8, "audio2_path": None}, ("audio_b", "error", "The cell audio_b is empty: which file is it?")),
        (
            {"index": 8, "model_b": "alpha", "audio2_path": "7/a.wav"},
            ("audio_b", "warning", "1 pair has one and the same response on both sides (row 2), and is left out."),
        ),
        (
            {"index": 8, "instruction_text": "How?"},
            ("prompt_text", "error", clash("67")),
        ),
        (
            {"annotator": "ann", "instruction_text": "How?"},
            ("prompt_text", "error", clash("67")),
        ),
        (
            {"index": 8, "category": "style"},
            ("category", "error", "Item 67 was given with category '' before."),
        ),
        (
            {"index": 8, "instruction_id": 68, "instruction_text": ""},
            ("prompt_text", "warning", EMPTY_TEXT),
        ),
        (
            {"index": 8, "instruction_id": 68, "instruction_text": "", "instruction_path": ""},
            ("prompt_text", "warning", EMPTY_TEXT),
        ),
        ({"index": 8, "label": {"content": "3"}}, ("label content", "error", f"Unknown label '3'. {KNOWN}")),
        ({"index": 8, "label": "A"}, ("label overall", "error", f"Unknown label 'A'. {KNOWN}")),
        ({"index": 8, "label": ["1"]}, ("label overall", "error", f"Unknown label \"['1']\". {KNOWN}")),
        ({"index": 8, "label": {"content": False}}, ("label content", "error", f"Unknown label 'False'. {KNOWN}")),
        (
            {"index": 8, "label": {"": "1"}},
            ("label", "error", "The aspect '' has 0 characters; 1 to 60 are kept."),
        ),
        (
            {"index": 8, "label": "1", "label_human": "2"},
            ("label overall", "error", "Duplicate: pair 8 already has this label."),
        ),
    ],
)
def test_pair_with_a_problem_is_reported_with_its_row(second, expected):
    assert problems(TRACE, TRACE | second) == [(2, *expected)]


def test_annotator_who_labels_a_pair_twice_is_reported_label_by_label():
    row = TRACE | {"annotator": "ann"}

    assert problems(row, row | {"annotator": "bob"}, row) == [
        (3, "label content", "error", "Duplicate: pair 7 already has this label."),
        (3, "label overall", "error", "Duplicate: pair 7 already has this label."),
    ]


def test_every_problem_of_a_row_is_reported():
    row = {"index": 1, "model_a": "", "model_b": "", "instruction_text": "", "label": "9"}

    assert [problem[:2] for problem in problems(row, row | {"model_a": "alpha", "model_b": "beta"})] == [
        (1, "system_a"),
        (1, "system_b"),
        (2, "label overall"),
        (2, "prompt_text"),
        (None, "audio_a"),
        (None, "audio_b"),
    ]


def test_audio_cells_may_be_empty_in_an_import_without_audio():
    silent = {"prompt_audio": "", "response_audio": ""}

    assert problems(RESPONSE | silent, without_audio=True) == []
    assert problems(TRACE | {"audio1_path": "", "audio2_path": ""}, without_audio=True) == []


@each("turn", ["1" * 5000, "²", "1e1", "٠"])
def test_turn_that_is_no_usable_number_is_refused(turn):
    assert problems(RESPONSE | {"turn": turn}) == [
        (1, "turn", "error", f"Turn {turn!r} is not a whole number from 1 to 100.")
    ]


@each("field", ["item", "system", "take", "category", "prompt_audio", "response_audio"])
def test_cell_of_a_response_that_does_not_fit_is_refused(field):
    longest = LONGEST[field]

    assert problems(RESPONSE | {field: "x" * longest}) == []
    assert problems(RESPONSE | {field: "x" * (longest + 1)}) == [
        (1, field, "error", f"The cell {field} has {longest + 1} characters; at most {longest} are kept.")
    ]


@each(
    "column, field",
    [
        ("index", "index"),
        ("instruction_id", "item"),
        ("category", "category"),
        ("instruction_path", "prompt_audio"),
        ("model_a", "system_a"),
        ("model_b", "system_b"),
        ("audio1_path", "audio_a"),
        ("audio2_path", "audio_b"),
        ("annotator", "annotator"),
    ],
)
def test_cell_of_a_pair_that_does_not_fit_is_refused(column, field):
    longest = LONGEST[field]

    assert problems(TRACE | {column: "x" * longest}) == []
    assert problems(TRACE | {column: "x" * (longest + 1)}) == [
        (1, field, "error", f"The cell {field} has {longest + 1} characters; at most {longest} are kept.")
    ]


def test_aspect_that_does_not_fit_is_refused():
    aspect = "x" * (LONGEST_ASPECT + 1)

    assert problems(TRACE | {"label": {aspect[1:]: "1"}}) == []
    assert problems(TRACE | {"label": {aspect: "1"}}) == [
        (1, "label", "error", f"The aspect {aspect!r} has 61 characters; 1 to 60 are kept.")
    ]


@each(
    "cells, model, column",
    [
        (("item",), Item, "key"),
        (("system", "system_a", "system_b"), System, "name"),
        (("category",), Item, "category"),
        (("annotator",), LabelSet, "rater"),
        (("prompt_audio",), Turn, "path"),
        (("audio_a", "audio_b", "response_audio"), ResponseTurn, "path"),
        (("take", "audio_a", "audio_b"), Response, "key"),
    ],
)
def test_limit_of_a_cell_is_that_of_its_column(cells, model, column):
    assert {LONGEST[cell] for cell in cells} == {model._meta.get_field(column).max_length}


def test_limits_of_aspect_and_pair_are_kept_by_their_columns():
    assert Label._meta.get_field("aspect").max_length == LONGEST_ASPECT
    # a response without a path is named `pair KEY a`, which must fit too
    assert Response._meta.get_field("key").max_length >= LONGEST["index"] + len("pair  a")
    assert Unit._meta.get_field("key").max_length >= LONGEST["index"]


CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "1", "q", "a.wav"]) | st.text()
LABELS = CELLS | st.dictionaries(st.text(), CELLS, max_size=3)


@settings(deadline=None)
@given(
    rows=st.lists(
        st.fixed_dictionaries({}, optional=dict.fromkeys(RESPONSE, CELLS) | {"turn": CELLS, "take": CELLS})
        | st.fixed_dictionaries({}, optional=dict.fromkeys(TRACE, CELLS) | {"annotator": CELLS, "label": LABELS}),
        max_size=5,
    ),
    without_audio=st.booleans(),
)
def test_any_rows_become_a_plan_whose_problems_have_rows(rows, without_audio):
    plan = plan_of(*rows, without_audio=without_audio)

    assert plan.rows == len(rows)
    assert {problem.row for problem in plan.problems} <= {None, *range(1, len(rows) + 1)}
    whole = {"columns", "item", "response_audio", "audio_a", "audio_b"}
    assert {it.field for it in plan.problems if it.row is None and it.severity == "error"} <= whole
    planned = {key for unit in plan.units.values() for key in (unit.a, unit.b)}
    assert planned <= set(plan.responses)
    assert {label.unit for label in plan.labels.values()} <= set(plan.units)


def test_facts_of_an_item_are_planned_and_contradictions_refused():
    row = {"item": "q", "prompt_text": "Hm?", "response_audio": "x.wav", "dimension": "ambient"}
    rows = [
        row | {"system": "a", "criteria": "Does it whisper? | Does it wait?"},
        row | {"system": "b", "criteria": "Does it whisper?|Does it wait?"},
        row | {"system": "c", "dimension": "semantic"},
    ]

    plan = make_plan(list(enumerate(rows, 1)))

    assert plan.items["q"].facts == {"dimension": "ambient", "criteria": ["Does it whisper?", "Does it wait?"]}
    assert [(problem.row, problem.field) for problem in plan.problems] == [(3, "criteria"), (3, "dimension")]


@each("column", ["item", "system", "prompt_text", "response_text"])
@each("cell", [["a", "b"], {"text": "a"}])
def test_list_or_object_is_no_text(column, cell):
    plan = plan_of(RESPONSE, RESPONSE | {"system": "beta", column: cell})

    refused = [it for it in plan.problems if it.severity == "error" and it.message.code == "cell_no_text"]
    assert [(it.row, it.field) for it in refused] == [(2, column)]


def test_rows_without_columns_are_named_as_such():
    assert [it.message.code for it in plan_of({}, {}).problems][:1] == ["no_columns"]
