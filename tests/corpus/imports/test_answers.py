"""A table of answers is checked row by row against its dataset; what cannot be, or contradicts, is refused whole."""

import csv
import io
import json

import pytest
from django.db import IntegrityError, connection, transaction

from campaigns.models import Campaign
from corpus.datasets.units import pairs_of_systems
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination, PlanRefused
from corpus.models import Dataset, ImportedAnnotation, Item, Label, LabelSet, Unit
from corpus.tidy.given import Given, stored
from corpus.tidy.rows import TIDY_COLUMNS
from infrastructure.files.csv_files import csv_line
from protocols import SHIPPED, digest, to_document
from tests.cases import each
from tests.corpus.imports.test_killed import KillAtWrite
from tests.factories import DatasetFactory, UserFactory
from tests.importing import PAIR, PAIRS, Killed, Listening, problems, text_of, work_off

pytestmark = pytest.mark.django_db

#: What the dataset has: alpha answered q2 twice.
THERE = [
    {"item": item, "system": system, "take": take, "category": "facts", "prompt_text": "Why?"}
    for item, system, take in [
        ("q1", "alpha", "1"), ("q1", "beta", "1"), ("q1", "gamma", "1"),
        ("q2", "alpha", "1"), ("q2", "alpha", "2"), ("q2", "beta", "1"),
    ]
]  # fmt: skip
ROW = {
    "campaign": "spring", "protocol": "own 1", "protocol_digest": "", "unit": "q1 | alpha | beta", "kind": "pair",
    "item": "q1", "category": "facts", "system_a": "alpha", "system_b": "beta",
    "systems": '{"a": "alpha", "b": "beta"}', "responses": '{"a": "1", "b": "1"}', "annotator": "A1", "order": "ba",
    "aspect": "overall", "value": "a", "shown_at": "2026-01-31T12:00:00+00:00",
    "recorded_at": "2026-01-31T12:00:05+00:00", "seconds": "5.0", "revision": "1", "language": "en",
}  # fmt: skip
CONTENT = ROW | {"aspect": "content", "value": "both_bad"}
BOB = ROW | {"annotator": "A2"}
SECOND = ROW | {"unit": "q2 | alpha | beta", "item": "q2"}
ROWS = [ROW, CONTENT, BOB, SECOND]


def as_table(rows, columns=TIDY_COLUMNS):
    return csv_line(columns) + "".join(csv_line(row.get(name, "") for name in columns) for row in rows)


@pytest.fixture
def dataset(imported):
    return imported(THERE, audio=None)


@pytest.fixture
def look(tmp_path):
    """A function: this table (or this text) as checked answers."""

    def check(table, *, dataset="Set", labels="Round", progress=None):
        file = tmp_path / "answers.csv"
        file.write_bytes((table if isinstance(table, str) else as_table(table)).encode())
        return check_upload(file, None, dataset_name=dataset, label_set_name=labels, progress=progress or Listening())

    return check


@pytest.fixture
def bring_in(look, researcher):
    """A function: check this table and write it."""

    def write(table, *, dataset="Set", labels="Round"):
        checked = look(table, dataset=dataset, labels=labels)
        assert problems(checked) == []
        return write_checked(checked, None, Destination(dataset, labels, researcher), progress=Listening())

    return write


@pytest.fixture
def refused(look, everything, researcher):
    """A function: the problems of this table, which is not written, neither by the check nor by the writing."""

    def refuse(table, **where):
        before = everything()
        checked = look(table, **where)
        with pytest.raises(PlanRefused):
            write_checked(checked, None, Destination("Set", "Round", researcher), progress=Listening())
        assert everything() == before
        return problems(checked)

    return refuse


# -- what is written -------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_answers_become_label_sets_one_per_annotator(dataset, bring_in):
    bring_in(ROWS)

    sets = LabelSet.objects.values_list("dataset", "name", "rater", "from_campaign", "protocol", "protocol_digest")
    assert list(sets) == [(dataset.pk, "Round", rater, "spring", "own 1", "") for rater in ("A1", "A2")]
    labels = Label.objects.order_by("pk").values_list(
        "annotation__label_set__rater", "annotation__unit__key", "aspect", "slot", "value"
    )
    assert list(labels) == [
        ("A1", "q1 | alpha | beta", "overall", "", "a"),
        ("A1", "q1 | alpha | beta", "content", "", "both_bad"),
        ("A2", "q1 | alpha | beta", "overall", "", "a"),
        ("A1", "q2 | alpha | beta", "overall", "", "a"),
    ]
    assert ImportedAnnotation.objects.count() == 3


@pytest.mark.databases
def test_table_keeps_one_answer_per_aspect_and_slot(dataset, bring_in):
    bring_in([ROW])
    label = Label.objects.get()
    twin = {"annotation": label.annotation, "aspect": label.aspect, "value": "b"}

    Label.objects.create(slot="a", **twin)
    with pytest.raises(IntegrityError), transaction.atomic():
        Label.objects.create(slot="", **twin)


@pytest.mark.databases
def test_units_that_are_there_are_used(dataset, bring_in):
    units = pairs_of_systems(dataset)

    bring_in(ROWS)

    assert dataset.units.count() == len(units)
    assert set(Label.objects.values_list("annotation__unit", flat=True)) <= {unit.pk for unit in units}


@pytest.mark.databases
def test_units_that_are_not_there_are_made_as_the_rows_say(dataset, bring_in):
    whole = ROW | {
        "unit": "all of q1", "kind": "item", "system_a": "gamma", "system_b": "alpha", "order": "cab", "slot": "c",
        "systems": '{"a": "gamma", "b": "alpha", "c": "beta"}', "responses": "", "system": "beta", "value": "4",
    }  # fmt: skip
    single = ROW | {
        "unit": "one", "kind": "single", "item": "q2", "systems": '{"a": "alpha"}', "responses": '{"a": "2"}',
        "system_b": "", "order": "a", "slot": "a", "system": "alpha", "value": "5",
    }  # fmt: skip

    bring_in([ROW, whole, single])

    made = dataset.units.order_by("pk").values_list(
        "key", "kind", "item__key", "a__system__name", "a__key", "b__system__name", "imported"
    )
    assert list(made) == [
        ("q1 | alpha | beta", "pair", "q1", "alpha", "1", "beta", True),
        ("all of q1", "item", "q1", None, None, None, False),
        ("one", "single", "q2", "alpha", "2", None, False),
    ]
    members = dataset.units.get(key="all of q1").members.values_list("slot", "response__system__name")
    assert list(members) == [("a", "gamma"), ("b", "alpha"), ("c", "beta")]


@pytest.mark.databases
def test_table_of_the_needed_columns_alone_is_enough(dataset, bring_in):
    bring_in(as_table([ROW], ("unit", "kind", "item", "systems", "annotator", "aspect", "value")))

    assert ImportedAnnotation.objects.values("order", "excluded", "given").get() == stored(Given("A1"))


@pytest.mark.databases
def test_take_of_a_unit_that_is_there_need_not_be_named(dataset, bring_in):
    second_take = dataset.items.get(key="q2").responses.get(key="2")
    beta = dataset.items.get(key="q2").responses.get(system__name="beta")
    unit = dataset.units.create(item=second_take.item, key=SECOND["unit"], a=second_take, b=beta)

    bring_in([SECOND | {"responses": ""}])

    assert Label.objects.get().annotation.unit == unit


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_table_that_a_spreadsheet_saved_its_own_way_is_read_the_same(dataset, look, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(csv.reader(io.StringIO(as_table(ROWS))))

    assert look(text.getvalue()).report() == look(ROWS).report()


def test_report_counts_what_is_new(dataset, look, bring_in):
    bring_in(ROWS[:2])

    report = look(ROWS).report()

    assert report == {
        "about": "answers", "rows": 4, "items": 2, "systems": ["alpha", "beta"], "responses": 4, "units": 2,
        "new_units": 1, "annotators": 2, "annotations": 3, "new_annotations": 2, "labels": 4, "clips": 0,
        "errors": 0, "warnings": 0, "problems": [], "unlisted": 0, "place": "row",
    }  # fmt: skip


@pytest.mark.databases
def test_check_writes_nothing_and_tells_how_far_it_is(dataset, look, everything):
    before, progress = everything(), Listening()

    look(ROWS, progress=progress)

    assert everything() == before
    notes = ("Reading every answer", "Comparing with the dataset", "Comparing with the protocol")
    assert progress.calls == [(4, 4, note) for note in notes]


def test_column_that_does_not_belong_is_told_and_not_kept(dataset, look):
    checked = look(as_table([ROW | {"mood": "good"}], (*TIDY_COLUMNS, "mood")))

    assert problems(checked) == [
        (None, "mood", "The column mood does not belong to a table of answers; it is not kept.")
    ]
    assert checked.errors == []


# -- what is refused -------------------------------------------------------------------------------------------


@each(
    "row, expected",
    [
        ({"item": "q3"}, ("item", "Item q3 is not in this dataset.")),
        ({"category": "style"}, ("category", "Item q1 is here with category 'facts'.")),
        (
            {"systems": '{"a": "alpha", "b": "delta"}', "system_b": "delta"},
            ("systems", "delta has not answered item q1 in this dataset."),
        ),
        (
            {"item": "q2", "systems": '{"a": "gamma", "b": "beta"}', "system_a": "gamma", "responses": ""},
            ("systems", "gamma has not answered item q2 in this dataset."),
        ),
        (
            {"responses": '{"a": "1", "b": "7"}'},
            ("responses", "beta has no response '7' to item q1 in this dataset."),
        ),
        (
            {"item": "q2", "responses": ""},
            ("responses", "alpha answered item q2 2 times: name the response."),
        ),
        (
            {"systems": '{"a": "alpha", "b": "alpha"}', "system_b": "alpha"},
            ("responses", "Unit q1 | alpha | beta names the same response twice."),
        ),
        (
            {"item": "\u202eq"},
            (
                "item",
                "The name \\u202eq has characters that cannot be seen, or that turn the text around them; "
                "use letters, digits, signs and spaces.",
            ),
        ),
        ({"slot": "c"}, ("slot", "The unit has no slot 'c'.")),
        ({"slot": "ab"}, ("slot", "The cell slot has 2 characters; at most 1 are kept.")),
        ({"marks": "[{]"}, ("marks", None)),
        ({"systems": "alpha, beta"}, ("systems", None)),
        ({"recorded_at": "31.1.2026"}, ("recorded_at", None)),
        ({"played_s": "inf"}, ("played_s", None)),
    ],
    undo=True,
)
def test_row_that_names_or_says_what_cannot_be_is_refused_whole(dataset, refused, row, expected):
    column, message = expected

    found = refused([CONTENT | {"unit": "other"}, ROW | row])

    assert [(number, name) for number, name, _ in found][:1] == [(2, column)]
    assert message in (None, found[0][2])


@each(
    "row, expected",
    [
        (
            {"systems": '{"a": "beta", "b": "alpha"}', "system_a": "beta", "system_b": "alpha"},
            ("systems", "Unit q1 | alpha | beta is here with other responses, or with these in other slots."),
        ),
        (
            {"systems": '{"a": "alpha", "b": "gamma"}', "system_b": "gamma"},
            ("systems", "Unit q1 | alpha | beta is here with other responses, or with these in other slots."),
        ),
        (
            {"item": "q2"},
            ("unit", "Unit q1 | alpha | beta is here of item q1 and of kind pair."),
        ),
        (
            {"kind": "single", "systems": '{"a": "alpha"}', "responses": "", "system_b": "", "order": "a"},
            ("unit", "Unit q1 | alpha | beta is here of item q1 and of kind pair."),
        ),
    ],
    undo=True,
)
def test_unit_that_is_there_with_something_else_is_refused(dataset, refused, row, expected):
    pairs_of_systems(dataset)

    assert refused([ROW | row]) == [(1, *expected)]


@each(
    "second, expected",
    [
        ({}, ("aspect", "Duplicate: overall was already answered in row 1.")),
        ({"value": "b"}, ("aspect", "Duplicate: overall was already answered in row 1.")),
        (
            {"annotator": "A2", "systems": '{"a": "alpha", "b": "gamma"}', "system_b": "gamma"},
            ("systems", "Row 1 says something else of unit q1 | alpha | beta."),
        ),
        (
            {"aspect": "content", "flag": "odd"},
            ("flag", "Row 1 says something else of what A1 answered to unit q1 | alpha | beta."),
        ),
        (
            {"aspect": "content", "switches": "3"},
            ("coverage", "Row 1 says something else of what A1 answered to unit q1 | alpha | beta."),
        ),
        (
            {"aspect": "content", "campaign": "autumn"},
            ("campaign", "A table holds the answers of one campaign; the rows before name another."),
        ),
        (
            {"aspect": "content", "protocol_digest": "0"},
            ("protocol_digest", "A table holds the answers of one campaign; the rows before name another."),
        ),
    ],
    undo=True,
)
def test_row_that_contradicts_an_earlier_one_is_refused(dataset, refused, second, expected):
    assert refused([ROW, ROW | second]) == [(2, *expected)]


@each("missing", ["unit", "kind", "item", "systems", "annotator", "aspect", "value"], undo=True)
def test_missing_column_is_named(dataset, refused, missing):
    columns = [name for name in TIDY_COLUMNS if name != missing]

    assert refused(as_table(ROWS, columns)) == [
        (
            None,
            missing,
            f"The column {missing} is missing. A table of answers has unit, kind, item, systems, annotator, aspect, "
            "value.",
        )
    ]


def test_file_without_the_end_of_its_last_line_is_refused(dataset, refused):
    assert refused(as_table(ROWS).removesuffix("\n")) == [
        (None, "file", "The last line has no end, as if the file had been cut off.")
    ]


def test_dataset_is_made_of_what_the_table_names_where_there_is_none(look, researcher):
    checked = look(ROWS)

    assert [message[:36] for _, _, message in problems(checked)] == ["There is no dataset of this name yet"]
    assert checked.errors == []
    assert not Dataset.objects.exists()
    made = write_checked(checked, None, Destination("Set", "Round", researcher), progress=Listening())
    assert set(made.items.values_list("key", "category")) == {(row["item"], row["category"]) for row in ROWS}
    assert made.units.count() == len({row["unit"] for row in ROWS})


def test_table_that_contradicts_itself_makes_no_dataset(look):
    other = ROWS[0] | {"unit": "another", "category": "elsewhere"}

    assert [problem.field for problem in look([*ROWS, other]).errors] == ["category"]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"value": "b"}, "value"),
        ({"flag": "odd"}, "flag"),
        ({"shown_at": "", "recorded_at": "", "seconds": ""}, "shown_at"),
    ],
)
def test_other_answers_of_the_same_rater_need_another_name(dataset, bring_in, refused, row, column):
    bring_in(ROWS)

    found = refused(
        [ROW | row, CONTENT | {"flag": row.get("flag", "")} | {k: v for k, v in row.items() if k != "value"}]
    )

    message = "A1 answered unit q1 | alpha | beta otherwise under this name. Give these another name."
    assert (1, column, message) in found
    bring_in([ROW | row], labels="Second")


def test_fewer_answers_to_a_unit_than_are_there_are_other_answers(dataset, bring_in, refused):
    bring_in(ROWS)

    assert [(row, column) for row, column, _ in refused([CONTENT])] == [(1, "value")]


def test_answers_of_another_campaign_need_another_name(dataset, bring_in, refused):
    bring_in(ROWS)

    assert refused([SECOND | {"campaign": "autumn", "annotator": "A3"}]) == [
        (None, "campaign", "'Round' are answers of another campaign here. Give these another name.")
    ]


def test_answers_and_labels_of_pairs_do_not_mix(imported, checked, look, bring_in):
    imported(PAIRS, audio=None, dataset="Pairs", labels="Round")
    row = ROW | {
        "unit": "0", "item": "67", "category": "", "responses": "", "systems": '{"a": "alpha", "b": "beta"}',
    }  # fmt: skip

    assert problems(look([row], dataset="Pairs")) == [
        (None, "labels", "'Round' are labels that came with pairs. Give the answers another name.")
    ]
    bring_in([row], dataset="Pairs", labels="Second")
    assert problems(checked([PAIR], audio=None, dataset="Pairs", labels="Second")) == [
        (None, "label", "'Second' are answers from a table. Give the new labels another name.")
    ]


# -- by the protocol -------------------------------------------------------------------------------------------


def asked_by(name, *rows):
    protocol = SHIPPED[name]
    said = {"protocol": f"{name} {protocol.version}", "protocol_digest": digest(to_document(protocol))}
    return [ROW | {"aspect": "overall"} | said | row for row in rows]


GUIDED = [
    {"aspect": aspect, "value": "a", "acceptable_a": "True", "acceptable_b": "False"}
    for aspect in ("content", "voice_quality", "paralinguistics", "overall")
]
SINGLE = {
    "unit": "one", "kind": "single", "systems": '{"a": "alpha"}', "responses": "", "system_b": "", "order": "a",
}  # fmt: skip


@each(
    "name, rows",
    [
        ("blind_overall", [{"value": "both_good"}]),
        ("ccr", [{"aspect": "comparison", "value": "-3"}]),
        ("hcot_guided", GUIDED),
        ("acr", [SINGLE | {"aspect": "quality", "value": "5"}]),
        ("arena", [{"value": "b"}, {"aspect": "reason", "value": "1"}]),
    ],
    undo=True,
)
def test_answers_that_the_protocol_takes_are_taken(dataset, look, name, rows):
    rows = [row | {"aspect": SHIPPED[name].aspects[0].name} if len(rows) == 1 else row for row in rows]

    assert problems(look(asked_by(name, *rows))) == []


@each(
    "name, rows, expected",
    [
        ("blind_overall", [{"value": "1"}], (1, "value", "'1' is no answer to overall in the frame of slots.")),
        ("blind_overall", [{"value": "c"}], (1, "value", "Overall: 'c' is not one of the choices.")),
        ("blind_overall", [{"aspect": "mood"}], (1, "aspect", None)),
        ("blind_overall", [{"slot": "a", "system": "alpha"}], (1, "aspect", None)),
        ("ccr", [{"aspect": "comparison", "value": "4"}], (1, "value", None)),
        ("ccr", [{"aspect": "comparison", "value": "very"}], (1, "value", None)),
        ("arena", [{}], (1, "aspect", "Reason: please answer “What made the difference?”")),
        ("arena", [{"value": "both_good"}, {"aspect": "reason"}], (1, "value", None)),
        (
            "acr",
            [{"aspect": "quality", "value": "5"}],
            (1, "kind", "acr 1 does not ask about units of kind pair."),
        ),
        (
            "hcot_guided",
            [GUIDED[0] | {"value": "b"}, *GUIDED[1:]],
            (1, "value", "'b' does not follow from what is acceptable."),
        ),
        ("hcot_guided", [GUIDED[0] | {"acceptable_a": "", "acceptable_b": ""}, *GUIDED[1:]], (1, "aspect", None)),
        ("hcot_guided", [*GUIDED[:3], GUIDED[3] | {"slot": "a", "system": "alpha"}], (4, "value", None)),
        (
            "blind_overall",
            [{"acceptable_a": "True", "acceptable_b": "True"}],
            (1, "acceptable_a", "Acceptability is not asked by this protocol."),
        ),
    ],
    undo=True,
)
def test_answers_that_the_protocol_would_not_take_are_refused(dataset, refused, name, rows, expected):
    found = refused(asked_by(name, *rows))

    assert expected[:2] in [problem[:2] for problem in found]
    assert expected[2] is None or expected in found


@pytest.mark.databases
def test_question_that_hangs_on_a_place_is_judged_by_the_order_in_which_it_was_heard(dataset, look):
    """Heard as 1, b was better, so that it was asked what was wrong with 2: the slots alone would not tell."""
    document = to_document(SHIPPED["arena"])
    document["aspects"][1]["only_if"] = {"overall": "1"}
    asked = {"protocol": "own 1", "protocol_digest": digest(document)}
    Campaign.objects.create(
        dataset=dataset, title="t", slug="t", created_by=dataset.created_by, protocol_document=document,
        protocol_digest=digest(document),
    )  # fmt: skip
    rows = [ROW | asked | {"value": "b"}, ROW | asked | {"aspect": "reason", "value": "2 is flat"}]

    assert problems(look(rows)) == []
    assert [row for row, *_ in problems(look([row | {"order": "ab"} for row in rows]))] == [2]


def test_protocol_that_is_not_known_here_is_told(dataset, look):
    checked = look([ROW | {"protocol_digest": "f" * 64}])

    assert problems(checked) == [
        (
            None,
            "protocol_digest",
            "The protocol own 1 is not known here: the answers are checked by their form alone.",
        )
    ]
    assert checked.errors == []


def test_item_that_the_protocol_cannot_be_asked_about_is_refused(dataset, refused):
    Item.objects.update(facts={"criteria": "not a list"})

    [problem] = refused(asked_by("rubric", SINGLE | {"value": "yes"}))

    assert problem[:2] == (1, "item")


# -- between the check and the writing -------------------------------------------------------------------------


def test_dataset_that_changed_since_the_check_stops_the_writing(dataset, look, bring_in, everything, researcher):
    checked = look([ROW])
    bring_in([ROW | {"value": "b"}])
    before = everything()

    with pytest.raises(PlanRefused, match="otherwise under this name"):
        write_checked(checked, None, Destination("Set", "Round", researcher), progress=Listening())

    assert everything() == before


@pytest.mark.databases
def test_dataset_that_is_gone_since_the_check_stops_the_writing(dataset, look, researcher):
    checked = look([ROW])
    Dataset.objects.update(name="Renamed")

    with pytest.raises(PlanRefused, match="is not there any more"):
        write_checked(checked, None, Destination("Set", "Round", researcher), progress=Listening())


@pytest.mark.databases
def test_writing_that_is_killed_anywhere_writes_nothing_and_is_complete_when_run_again(dataset, bring_in, everything):
    counted = KillAtWrite(None)
    with connection.execute_wrapper(counted), transaction.atomic():
        bring_in(ROWS)
        transaction.set_rollback(True)
    before = everything()

    for n in range(1, len(counted.seen) + 1):
        with connection.execute_wrapper(KillAtWrite(n)), pytest.raises(Killed):
            bring_in(ROWS)
        assert everything() == before

    bring_in(ROWS)
    assert (len(counted.seen), Label.objects.count()) == (5, 4)


def test_answers_go_into_nobody_elses_dataset(dataset, post, everything):
    DatasetFactory(name="Theirs", created_by=UserFactory())
    before = everything()

    response = post(as_table(ROWS), dataset_name="Theirs", zipped=None)

    assert response.status_code == 403
    assert everything() == before


# -- by the page -----------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_faulty_table_shows_its_rows_on_the_page(dataset, checked_upload, page):
    row = checked_upload(as_table([ROW, BOB | {"item": "q3", "unit": "x"}]), name="answers.csv", zipped=None)

    shown = text_of(page.get(row.get_absolute_url()))

    assert row.status == "failed"
    assert "2 item Item q3 is not in this dataset." in shown
    assert not LabelSet.objects.exists()
    assert not Unit.objects.exists()


@pytest.mark.databases
def test_zip_beside_a_table_of_answers_is_not_looked_at(dataset, checked_upload, confirm):
    row = checked_upload(as_table(ROWS), name="answers.csv", zipped=b"no zip")
    confirm(row)
    work_off()

    row.refresh_from_db()
    assert (row.status, row.label_set_name) == ("imported", "Labels of answers")
    assert Label.objects.count() == 4


def test_file_that_only_looks_like_answers_still_needs_its_audio(post):
    table = json.dumps([ROW])

    response = post(table, zipped=None)

    assert response.context["form"].errors == {
        "archive": ["Add a ZIP of the audio, or choose to import without audio."]
    }
