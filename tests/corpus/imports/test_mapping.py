"""Foreign tables by a mapping of their columns: what each row becomes, what is left out, and what stays undecided."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corpus.imports.answers.checking import CheckedAnswers
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import open_answers_table
from corpus.imports.files.rows import rows_of, stream_rows
from corpus.imports.manifest.choices import Choices
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping.guessing.guess import guess_mapping
from corpus.imports.mapping.guessing.profile import profile_of
from corpus.imports.mapping.holding import known_in
from corpus.imports.mapping.mapping import AS_WRITTEN, TableMapping, UnusableMapping, Use
from corpus.imports.mapping.page import preview
from corpus.imports.mapping.page.recipes import keep_recipe
from corpus.imports.mapping.rows.mapped import mapped
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Dataset, Import, ImportRecipe, Item, Label, Response, Unit
from protocols import SHIPPED
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory
from tests.importing import Listening, text_of, work_off
from tests.paths import PROJECT

RAW = PROJECT.parent / "shared" / "data" / "raw"
needs_raw = pytest.mark.skipif(not RAW.is_dir(), reason="the published tables are not beside the project")


def by(shape, **columns):
    """A mapping; a column's use is what it becomes, or a `Use`."""
    return TableMapping(shape, {name: use if isinstance(use, Use) else Use(use) for name, use in columns.items()})


def made(table, mapping):
    tally = Tally()
    rows = rows_of(table.encode(), by_line=True)
    return [(number, {k: v for k, v in row.items() if v}) for number, row in mapped(rows, mapping, tally)], tally


# -- rows ------------------------------------------------------------------------------------------------------


def test_column_for_each_system_becomes_a_row_for_each_system():
    table = "utt;speaker;zq1_wav;zq2_wav\n7;ann;a/7.wav;b/7.wav\n8;bob;a/8.wav;\n"
    wide = {f"zq{n}_wav": Use("response_audio", f"zq{n}") for n in (1, 2)}
    rows, tally = made(table, by("responses", utt="item", speaker="item", **wide))

    assert rows == [
        (2, {"item": "7 / ann", "system": "zq1", "response_audio": "a/7.wav"}),
        (2, {"item": "7 / ann", "system": "zq2", "response_audio": "b/7.wav"}),
        (3, {"item": "8 / bob", "system": "zq1", "response_audio": "a/8.wav"}),
    ]
    assert (tally.rows, tally.made, dict(tally.empty)) == (2, 3, {"zq2": 1})


def test_column_for_each_rater_becomes_labels_of_each_rater():
    table = "id\tleft\tright\tzqann\tzqbob\textra\n1\talpha\tbeta\tL\tR\tx\n2\talpha\tbeta\tC\t?\ty\n"
    values = {"L": "a", "R": "b", "C": "tie", "?": "-"}
    raters = {f"zq{who}": Use("answer", "overall", who, values) for who in ("ann", "bob")}
    rows, tally = made(table, by("pairs", id="item", left="system_a", right="system_b", **raters))

    assert [(n, row["annotator"], row["label_overall"], row["extra"]) for n, row in rows] == [
        (2, "ann", "1", "x"), (2, "bob", "2", "x"), (3, "ann", "tie", "y"),
    ]  # fmt: skip
    assert {name: dict(of) for name, of in tally.values_left_out.items()} == {"zqbob": {"?": 1}}


def test_value_that_nobody_decided_is_not_read_and_is_counted_with_its_first_row():
    table = "id,l,r,won\n1,a,b,yes\n2,a,b,maybe\n3,a,b,maybe\n"
    mapping = by("pairs", id="item", l="system_a", r="system_b", won=Use("answer", values={"yes": "a"}))
    rows, tally = made(table, mapping)

    assert [row.get("label_overall") for _, row in rows] == ["1", None, None]
    assert tally.undecided == {("won", "maybe"): [3, 2]}


def test_infinity_is_no_rating_as_it_is_written():
    score = Use("answer", others=AS_WRITTEN)
    rows, tally = made("id,s,score\n1,a,4\n1,b,-inf\n1,c,NaN\n", by("answers", id="item", s="system", score=score))

    assert set(tally.undecided) == {("score", "-inf"), ("score", "NaN")}
    assert len(rows) == 1


def test_system_can_be_renamed_left_out_or_named_by_the_winner():
    table = "id,l,r,won\n1,X,Y,Y\n2,X,Z,X\n"
    systems = {"X": "alpha", "Y": "beta", "Z": "-"}
    mapping = by("pairs", id="item", l=Use("system_a", values=systems), r=Use("system_b", values=systems),
                 won=Use("answer", values={"X": "@system", "Y": "@system"}))  # fmt: skip
    rows, tally = made(table, mapping)

    assert [(row["system_a"], row["system_b"], row["label_overall"]) for _, row in rows] == [("alpha", "beta", "2")]
    assert dict(tally.rows_left_out["r"]) == {"Z": 1}


@each(
    "mapping, faulty",
    [
        (by("responses", a="item"), [""]),
        (by("responses", a="item", b="system", c="audio_a"), ["c"]),
        (by("pairs", a="system_a", b="system_b", c="category", d="category"), ["d"]),
        (by("responses", a="item", b=Use("response_audio", "z"), c=Use("response_audio", "z")), ["c"]),
        (by("responses", a="item", z="system"), ["z"]),
        (by("answers", a="item", b="system"), [""]),
        (by("answers", a="response_audio", b="answer"), []),
    ],
)
def test_mapping_that_cannot_be_followed_says_where(mapping, faulty):
    assert [column for column, _why in mapping.faults("abcd")] == faulty


def test_mapping_goes_through_json_and_refuses_what_is_none():
    mapping = by("pairs", a="item", b=Use("answer", "content", "ann", {"1": "a"}, "="))

    assert TableMapping.from_json(json.loads(json.dumps(mapping.as_json()))) == mapping
    for nonsense in (None, [], {"shape": "x", "columns": {}}, {"shape": "pairs", "columns": {"a": {"is": 1}}}):
        with pytest.raises(UnusableMapping):
            TableMapping.from_json(nonsense)


# -- real tables, untouched --------------------------------------------------------------------------------------


def guessed(name):
    return guess_mapping(profile_of(stream_rows(RAW / name, by_line=True)))


def checked(path: Path, mapping, *, dataset="Zqxv", labels="Labels"):
    choices = Choices(mapping=mapping.as_json())
    return check_upload(
        path, None, dataset_name=dataset, label_set_name=labels, progress=Listening(), choices=choices
    )


def errors(found):
    return [(problem.row, problem.field, str(problem.message)) for problem in found.errors]


@needs_raw
@pytest.mark.django_db
def test_published_pairs_with_labels_go_in_as_they_are_and_the_swapped_table_finds_its_pairs(researcher):
    """AudioJudge's Chatbot Arena: pairs and labels of AB; then the verdicts of BA, whose pairs are turned."""
    pairs, path = guessed("audiojudge_chatbotarena_AB.csv"), RAW / "audiojudge_chatbotarena_AB.csv"
    assert (pairs.shape, pairs.columns["index"].becomes) == ("pairs", "item")
    found = checked(path, pairs)
    assert errors(found) == []
    destination = Destination("Zqxv", "Labels", researcher)
    dataset = write_checked(found, None, destination, progress=Listening())
    assert (Item.objects.count(), Unit.objects.count(), Label.objects.count()) == (995, 995, 995)

    swapped = by("answers", index="item", model_a="system_a", model_b="system_b",
                 prediction=Use("answer", "overall", "Gemini", {"1": "a", "2": "b", "tie": "tie"}))  # fmt: skip
    labels = checked(RAW / "audiojudge_chatbotarena_BA.csv", swapped, labels="Swapped")
    assert isinstance(labels, CheckedAnswers)
    assert errors(labels) == []
    write_checked(labels, None, Destination("Zqxv", "Swapped", researcher), progress=Listening())

    assert Unit.objects.count() == 995
    given = Label.objects.filter(annotation__label_set__name="Swapped")
    values = dict(given.values_list("annotation__unit__item__key", "value"))
    raw = {row["index"]: row["prediction"] for _, row in stream_rows(RAW / "audiojudge_chatbotarena_BA.csv")}
    turned = {"1": "b", "2": "a", "tie": "tie"}
    there = set(Item.objects.values_list("key", flat=True))
    assert values == {item: turned[said] for item, said in raw.items() if item in there}
    gone = len(raw.keys() - there)
    told = [str(problem.message) for problem in labels.plan.problems]
    assert any(text.startswith(f"{gone} of 994 rows are about nothing in this dataset, and are left out: ")
               for text in told)  # fmt: skip
    assert dataset.units.get(key="3048 | oasst-pythia-12b | gpt-4").source["prediction"] == "2"


@needs_raw
@pytest.mark.django_db
def test_published_wide_verdicts_become_answers_of_two_orders(researcher):
    """SpeakBench: two columns of verdicts; the baseline beside itself is left out, and said."""
    path = RAW / "audiojudge_speakbench_detailed.csv"
    results = {"win": "a", "loss": "b", "tie": "tie"}
    mapping = by(
        "answers", instruction_id="item", model_name=Use("system_a", values={"gpt4o-audio": "-"}),
        model_audio_path="audio_a", gpt4o_audio_path=Use("audio_b", "gpt4o-audio"),
        position1_result=Use("answer", "overall", "first", results),
        position2_result=Use("answer", "overall", "second", results),
    )  # fmt: skip
    found = checked(path, mapping)

    assert errors(found) == []
    report = found.report()
    n_rows = sum(1 for _ in stream_rows(path))
    n_kept = sum(row["model_name"] != "gpt4o-audio" for _, row in stream_rows(path))
    said = [str(problem["message"]) for problem in report["problems"]]
    assert (report["rows"], report["units"], report["annotations"]) == (n_rows, n_kept, 2 * n_kept)
    assert (
        f"{n_rows - n_kept} of {n_rows} rows are left out, since model_name is one of these: 'gpt4o-audio'." in said
    )
    assert any("instruction_text" in text for text in said)


@needs_raw
@pytest.mark.django_db
@each(
    "name, values, n",
    [("audiojudge_pronunciation.csv", {"True": "same", "False": "different"}, 100),
     ("audiojudge_somos.csv", {"1": "a", "2": "b"}, 200)],
    undo=True,
)  # fmt: skip
def test_published_tables_without_items_or_systems_find_both_by_file_names(researcher, name, values, n):
    """Pairs of sound alone: the first import names their systems; the labels then find the pairs by file name."""
    sounds = {"audio1_path": Use("audio_a", "recorded"), "audio2_path": Use("audio_b", "gpt4o")}
    found = checked(RAW / name, by("pairs", **sounds))
    assert errors(found) == []
    write_checked(found, None, Destination("Zqxv", "Labels", researcher), progress=Listening())
    assert (Unit.objects.count(), Response.objects.count(), Label.objects.count()) == (n, 2 * n, 0)

    labels = checked(RAW / name, by("answers", audio1_path="audio_a", audio2_path="audio_b",
                                    ground_truth=Use("answer", "overall", "people", values)))  # fmt: skip
    assert errors(labels) == []
    assert (labels.new_units, labels.new_annotations) == (0, n)


# -- labels alone ----------------------------------------------------------------------------------------------


@pytest.fixture
def dataset(researcher):
    """Two items of alpha and beta with a pair each, and ratings to come."""
    row = Dataset.objects.create(name="Zqxv", slug="zqxv", created_by=researcher)
    systems = [row.systems.create(name=name) for name in ("alpha", "beta")]
    for key in ("q1", "q2"):
        item = row.items.create(key=key)
        a, b = (Response.objects.create(item=item, system=system, key="1") for system in systems)
        for response in (a, b):
            response.turns.create(position=1, path=f"{response.system}/{key}.wav")
        Unit.objects.create(dataset=row, item=item, key=f"pair {key}", a=a, b=b)
    return row


@pytest.mark.django_db
def test_labels_find_their_units_whichever_way_round_and_unmatched_rows_are_said(dataset, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("q,one,two,vote,who\nq1,beta,alpha,1,ann\nq2,alpha,beta,2,ann\nq9,alpha,beta,1,ann\n")
    mapping = by("answers", q="item", one="system_a", two="system_b", who="annotator",
                 vote=Use("answer", values={"1": "a", "2": "b"}))  # fmt: skip
    found = checked(path, mapping)

    assert errors(found) == []
    assert {key: said.answers["overall", ""].value for (_, key), said in found.plan.annotations.items()} == {
        "pair q1": "b", "pair q2": "b",
    }  # fmt: skip
    warned = [str(problem.message) for problem in found.plan.problems]
    assert warned == ["1 of 3 rows are about nothing in this dataset, and are left out: q9, alpha, beta (4)."]


@pytest.mark.django_db
def test_ratings_of_files_find_their_responses_by_file_name(dataset, tmp_path):
    path = tmp_path / "mos.csv"
    path.write_text("file,mos,listener\nbeta/q1.wav,4.5,L1\nbeta/q2.wav,3,L1\nx/q7.wav,1,L1\n")
    found = checked(
        path, by("answers", file="response_audio", mos=Use("answer", "naturalness"), listener="annotator")
    )

    assert errors(found) == []
    assert {(key, said.answers["naturalness", "a"].value) for (_, key), said in found.plan.annotations.items()} == {
        ("q1 | beta | 1", "4.5"), ("q2 | beta | 1", "3"),
    }  # fmt: skip


@pytest.mark.django_db
def test_unknown_system_of_a_dataset_is_to_be_decided(dataset):
    table = rows_of(b"q,sys,v\nq1,Alpha,3\n", by_line=True)
    tally = Tally()

    assert (
        list(mapped(table, by("answers", q="item", sys="system", v="answer"), tally, known=known_in(dataset))) == []
    )
    assert tally.undecided == {("sys", "Alpha"): [2, 1]}


@pytest.mark.django_db
@each("shape, columns", [
    ("responses", {"thing": "item", "who": "system", "said": "response_text"}),
    ("responses", {"thing": "item", "who": "system", "said": "response_text",
                   "vote": Use("answer", values={"1": "a"})}),
    ("pairs", {"thing": "item", "who": "system_a", "said": "system_b"}),
    ("answers", {"thing": "item", "who": "system_a", "said": "system_b", "vote": Use("answer", values={"1": "a"})}),
])  # fmt: skip
def test_list_or_object_in_place_of_a_text_is_refused_where_it_stands(tmp_path, shape, columns):
    path = tmp_path / "table.jsonl"
    rows = [{"thing": "q1", "who": "Alpha", "said": "Beta", "vote": "1"}]
    rows += [rows[0] | {"thing": ["q2"]}, rows[0] | {"thing": "q3", "said": {"text": "x"}}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    found = checked(path, by(shape, **columns))

    told = [(it.row, it.field, it.message.code) for it in found.errors]
    assert told == [(2, "thing", "cell_no_text"), (3, "said", "cell_no_text")]


def odd_parquet(tmp_path, **columns):
    odd = {"took": pa.array([timedelta(seconds=1)] * 2), "raw": pa.array([[b"\xff"]] * 2)}
    pq.write_table(pa.table({"said": ["yes", "no"], **columns, **odd}), tmp_path / "table")
    return tmp_path / "table"


@pytest.mark.django_db
def test_column_of_parquet_that_is_no_plain_data_is_named_and_left_out(tmp_path):
    path = odd_parquet(tmp_path, q=["q1", "q2"], who=["Alpha", "Alpha"])
    mapping = by("responses", q="item", who="system", said="response_text")

    found = checked(path, mapping)
    used = checked(path, replace(mapping, columns=mapping.columns | {"took": Use("take")}))

    assert [(it.severity, it.field, str(it.message)) for it in found.plan.problems[1:]] == [
        ("warning", "took", "The column took holds duration[us], which is neither text nor number. It is left out."),
        ("warning", "raw", "The column raw holds list<element: binary>, which is neither text nor number. It is left "
                           "out."),
    ]  # fmt: skip
    assert sorted(found.plan.items) == ["q1", "q2"]
    assert errors(used) == [
        (None, "took", "The column took holds duration[us], which is neither text nor number, and cannot be read. "
                       "Write it as one."),
    ]  # fmt: skip


@pytest.mark.django_db
def test_column_of_a_manifest_that_is_no_plain_data_is_refused_by_its_name(tmp_path):
    path = odd_parquet(tmp_path, item=["q1", "q2"], system=["Alpha", "Alpha"], response_text=["a", "b"],
                       response_audio=pa.array([b"RIFF", b"RIFF"]))  # fmt: skip

    found = check_upload(path, None, dataset_name="Zqxv", label_set_name="L", progress=Listening())

    assert [(it.field, it.message.code) for it in found.errors] == [("response_audio", "column_unreadable")]
    warned = [(it.field, it.message.code) for it in found.plan.problems if it.severity == "warning"]
    assert [it for it in warned if it[1] == "column_unread"] == [("took", "column_unread"), ("raw", "column_unread")]


# -- responses with answers to them ----------------------------------------------------------------------------


def values_of(name):
    rows = Label.objects.filter(annotation__label_set__name=name)
    told = rows.values_list("annotation__unit__key", "annotation__label_set__rater", "aspect", "slot", "value")
    return sorted(told)


@pytest.mark.django_db
@pytest.mark.databases
def test_table_of_responses_and_ratings_is_imported_at_once(researcher, tmp_path):
    """Each rater has a row; the response is made once, and a rating of nobody and an empty one are said."""
    path = tmp_path / "mos.csv"
    path.write_text(
        "utt,sys,said,mos,who\nq1,alpha,Yes.,4.5,ann\nq1,alpha,Yes.,3,bob\nq1,beta,No.,2,ann\nq2,beta,,,ann\n"
    )
    mapping = by("responses", utt="item", sys="system", said="response_text", who="annotator",
                 mos=Use("answer", "naturalness", others="="))  # fmt: skip
    found = checked(path, mapping)

    assert errors(found) == []
    report = found.report()
    assert [report[name] for name in ("rows", "items", "responses", "units", "annotations", "labels")] == [
        4,
        2,
        3,
        2,
        3,
        3,
    ]
    assert str(report["problems"][0]["message"]) == "1 cells of mos are empty, and are missing answers."
    dataset = write_checked(found, None, Destination("Zqxv", "Labels", researcher), progress=Listening())
    expected = [
        ("q1 | alpha | 1", "ann", "naturalness", "a", "4.5"), ("q1 | alpha | 1", "bob", "naturalness", "a", "3"),
        ("q1 | beta | 1", "ann", "naturalness", "a", "2"),
    ]  # fmt: skip
    assert values_of("Labels") == expected
    assert [version.added for version in dataset.versions.all()] == [
        {"items": 2, "systems": 2, "responses": 3, "labels": 3}
    ]

    again = checked(path, mapping)
    assert (errors(again), again.report()["is_new"]) == ([], False)
    write_checked(again, None, Destination("Zqxv", "Labels", researcher), progress=Listening())
    assert (values_of("Labels"), dataset.versions.count()) == (expected, 1)


@pytest.mark.django_db
def test_column_of_ratings_for_each_system_is_about_its_response(researcher, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("utt,zq1,zq2,zq1_mos,zq2_mos\nq1,Yes.,No.,5,1\nq2,Well.,,4,2\n")
    sides = {name: Use("response_text", name) for name in ("zq1", "zq2")}
    unnamed = by("responses", utt="item", **sides, zq1_mos=Use("answer", "mos"))
    mapping = by("responses", utt="item", **sides,
                 **{f"{name}_mos": Use("answer", "mos", others="=", system=name) for name in sides})  # fmt: skip

    assert [str(why) for _, why in unnamed.faults(["utt", "zq1", "zq2", "zq1_mos"])] == [
        "The table has columns for several systems. Name the system that the answers of zq1_mos are about."
    ]
    assert TableMapping.from_json(mapping.as_json()) == mapping
    found = checked(path, mapping)
    [(_, _, refused)] = errors(found)
    assert refused.startswith(
        "1 rows have answers to a response that this table does not make: q2, zq2 (3). It is empty"
    )
    path.write_text("utt,zq1,zq2,zq1_mos,zq2_mos\nq1,Yes.,No.,5,1\nq2,Well.,,4,\n")
    write_checked(checked(path, mapping), None, Destination("Zqxv", "L", researcher), progress=Listening())
    assert [(key, value) for key, _, _, _, value in values_of("L")] == [
        ("q1 | zq1 | 1", "5"), ("q1 | zq2 | 1", "1"), ("q2 | zq1 | 1", "4"),
    ]  # fmt: skip


@pytest.mark.django_db
def test_answers_by_the_item_alone_are_about_its_only_pair(dataset, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("q,vote\nq1,1\nq2,2\nq3,1\n")
    mapping = by("answers", q="item", vote=Use("answer", values={"1": "a", "2": "b"}))

    assert [text for _, _, text in errors(checked(path, mapping, dataset="Other"))] == [
        "Answers that name an item and nothing else are about its only pair or response, in a dataset that is there. "
        "Choose its systems, too, or the name of such a dataset."
    ]
    found = checked(path, mapping)
    assert errors(found) == []
    assert {key: said.answers["overall", ""].value for (_, key), said in found.plan.annotations.items()} == {
        "pair q1": "a", "pair q2": "b",
    }  # fmt: skip


# -- by the API ------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_mapping_is_given_with_the_upload_or_after_its_check(dataset, media_root):
    api = caller(dataset.created_by)
    table = b"q,one,two,vote\nq1,alpha,beta,left\nq2,alpha,beta,mu\n"
    columns = {"q": {"becomes": "item"}, "one": {"becomes": "system_a"}, "two": {"becomes": "system_b"}}
    mapping = {"shape": "answers", "columns": columns | {"vote": {"becomes": "answer", "values": {"left": "a"}}}}

    def sent(**fields):
        body = {"dataset_name": "Zqxv", "manifest": SimpleUploadedFile("t.csv", table), "without_audio": True}
        reply = api.post("/api/v1/imports/", body | fields, format="multipart")
        work_off()
        return reply if reply.status_code != 202 else api.get(f"/api/v1/imports/{reply.json()['id']}/").json()

    asked = sent()
    assert (asked["status"], asked["report"]["to_choose"]["mapping"]) == ("undecided", True)
    assert sent(mapping='{"shape": "x"}').status_code == 400
    undecided = sent(mapping=json.dumps(mapping))
    assert undecided["status"] == "undecided"
    assert [(it["row"], it["field"]) for it in undecided["report"]["problems"]] == [(3, "vote")]

    mapping["columns"]["vote"]["values"]["mu"] = "-"
    address = f"/api/v1/imports/{asked['id']}/"
    assert api.post(f"{address}mapping/", mapping, format="json").status_code == 202
    work_off()
    found = api.get(address).json()
    assert (found["status"], found["choices"]["mapping"]) == ("checked", mapping)
    api.post(f"{address}confirm/")
    work_off()
    assert Label.objects.values_list("annotation__unit__key", "value").get() == ("pair q1", "a")
    assert api.post(f"{address}mapping/", mapping, format="json").status_code == 409


@pytest.mark.django_db
def test_mapping_by_which_a_file_is_read_is_given_by_the_api(dataset, media_root):
    """A guess first, of which nothing is said for 0; then what was chosen, also when the file is gone."""
    api = caller(dataset.created_by)
    table = b"q,model_a,model_b,winner\nq1,alpha,beta,0\nq2,alpha,beta,1\nq3,alpha,beta,1\n"
    body = {"dataset_name": "New", "manifest": SimpleUploadedFile("t.csv", table), "without_audio": True}
    sent = api.post("/api/v1/imports/", body, format="multipart").json()
    work_off()
    address = f"/api/v1/imports/{sent['id']}/"

    guess = api.get(f"{address}mapping/").json()
    assert (guess["by"], guess["shape"]) == ("guess", "pairs")
    assert guess["columns"]["winner"] == {"becomes": "answer", "name": "overall"}

    chosen = {name: guess[name] for name in ("shape", "columns")} | {"raters": "pseudonyms"}
    chosen["columns"]["winner"]["values"] = {"0": "a", "1": "b"}
    assert api.post(f"{address}mapping/", chosen, format="json").status_code == 202
    work_off()
    assert api.post(f"{address}confirm/").status_code == 202
    work_off()
    assert api.get(f"{address}mapping/").json() == chosen | {"by": "choice"}
    refused = api.post(f"{address}mapping/", chosen | {"raters": "names"}, format="json")
    assert [it["field"] for it in refused.json()["errors"]] == ["raters"]


@pytest.mark.django_db
def test_recipe_is_named_with_the_upload_or_after_its_check(dataset, media_root):
    user, api = dataset.created_by, caller(dataset.created_by)
    mapping = by("answers", q="item", vote=Use("answer", values={"left": "a"}))
    keep_recipe(user=user, name="Votes", columns=["q", "vote"], mapping=mapping)

    def sent(**fields):
        body = {"dataset_name": "Zqxv", "manifest": SimpleUploadedFile("t.csv", b"q,vote\nq1,left\n")}
        return api.post("/api/v1/imports/", body | {"without_audio": True} | fields, format="multipart")

    [refused] = sent(recipe="Other").json()["errors"]
    assert (refused["field"], refused["message"]) == ("recipe", "You have no recipe named Other.")
    named, later = sent(recipe="Votes").json()["id"], sent().json()["id"]
    work_off()
    assert api.post(f"/api/v1/imports/{later}/mapping/", {"recipe": "Other"}, format="json").status_code == 400
    assert api.post(f"/api/v1/imports/{later}/mapping/", {"recipe": "Votes"}, format="json").status_code == 202
    assert api.post(f"/api/v1/imports/{later}/mapping/", {}, format="json").status_code == 400
    work_off()
    for pk in (named, later):
        found = api.get(f"/api/v1/imports/{pk}/").json()
        assert (found["status"], found["choices"]["mapping"]) == ("checked", mapping.as_json())


# -- the page --------------------------------------------------------------------------------------------------


def upload(page, table, *, name="t.csv", **fields):
    body = {"dataset_name": "Zqxv", "manifest": SimpleUploadedFile(name, table), "without_audio": "on"} | fields
    response = page.post("/imports/new/", {key: value for key, value in body.items() if value is not None})
    row = Import.objects.order_by("-created_at").first()
    work_off()
    return row, response


#: The end of a ZIP alone.
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
VOTES = b"q\tone\ttwo\tvote\textra\nq1\talpha\tbeta\tmu\tx\nq2\talpha\tbeta\tleft\ty\n"


def choice(**fields):
    """The form's fields for VOTES."""
    becomes = ("item", "system_a", "system_b", "answer", "")
    return {"shape": "answers"} | {f"becomes-{n}": it for n, it in enumerate(becomes)} | fields


@pytest.mark.django_db
@pytest.mark.databases
def test_foreign_table_is_mapped_on_its_page_checked_and_imported(dataset, page, media_root):
    row, response = upload(page, VOTES)
    address = f"/imports/{row.pk}/columns/"
    assert (response.status_code, response["Location"]) == (302, address)
    assert "Say what each of them becomes" in text_of(page.get(row.get_absolute_url()))

    first = page.get(address)
    assert [(line.profile.name, line.profile.samples) for line in first.context["lines"]][:2] == [
        ("q", ["q1", "q2"]), ("one", ["alpha"]),
    ]  # fmt: skip
    shown = page.post(address, choice(), headers={"HX-Request": "true"})
    assert "<html" not in shown.content.decode()
    assert "'mu' in vote is not decided (1 rows, the first of them here)." in text_of(shown)
    assert "Not used extra not kept" in text_of(shown)
    assert [value.meant for value in shown.context["lines"][3].values] == ["", "a"]

    decided = choice(**{"value-3-0": "-", "value-3-1": "a", "check": "1"})
    assert "A recipe needs a name of at most 200 characters." in text_of(
        page.post(address, decided | {"recipe": "a\0"})
    )
    page.post(address, decided | {"recipe": "Votes of Zq"})
    work_off()
    after = text_of(page.get(row.get_absolute_url()))
    assert "Everything can be imported." in after
    assert "1 answers are left out, as chosen for vote: 'mu'." in after
    assert "Columns that are not used: extra." in after
    page.post(f"/imports/{row.pk}/confirm/")
    work_off()
    assert Label.objects.values_list("annotation__unit__key", "value").get() == ("pair q2", "a")

    again, _ = upload(page, VOTES, label_set_name="More")
    offered = page.get(f"/imports/{again.pk}/columns/")
    assert [recipe.name for recipe in offered.context["recipes"]] == ["Votes of Zq"]
    assert offered.context["mapping"].columns["vote"].values == {"mu": "-", "left": "a"}


@pytest.mark.django_db
@pytest.mark.databases
@each("becomes", [
    {},
    {"becomes-0": "", "becomes-1": "audio_a", "becomes-2": "audio_b", "name-1": "beta", "name-2": "alpha"},
], undo=True)  # fmt: skip
def test_change_of_a_mapping_reads_no_more_than_the_first_rows(dataset, page, media_root, monkeypatch, becomes):
    """However long the table is; and asks the dataset no more than their items."""
    monkeypatch.setattr(preview, "N_FIRST", 2)
    table = (
        b"q\tone\ttwo\tvote\textra\n" + b"q1\tbeta/q1.wav\talpha/q1.wav\tleft\t\n" * 7 + b"q9\talpha\tbeta\tmu\tx\n"
    )
    if not becomes:
        table = table.replace(b"/q1.wav", b"")
    row, _ = upload(page, table)
    address, htmx = f"/imports/{row.pk}/columns/", {"HX-Request": "true"}
    page.get(address)
    with monkeypatch.context() as unread:
        unread.setattr(preview, "foreign_table", None)
        shown = page.post(address, choice(**becomes), headers=htmx)
    assert shown.context["preview"].counts == {"rows": 2, "made": 2, "items": 1, "systems": 2, "answers": 2}
    assert "This is what the first 2 of 8 rows become." in text_of(shown)
    assert "a: alpha; b: beta" in text_of(shown) or becomes
    assert '{"a"' not in text_of(shown)

    counted = page.post(address, choice(count="1", **becomes), headers=htmx)
    assert counted.context["preview"].counts["rows"] == 8
    assert "1 of 8 rows are about nothing in this dataset" in text_of(counted)
    assert "This is what the first" not in text_of(counted)


@pytest.mark.django_db
def test_pages_of_mapping_and_recipes_ask_as_much_of_many_rows_as_of_few(dataset, page, media_root):
    """Whatever the table, its columns, the dataset and the recipes hold."""

    def asked(n):
        extra = "".join(f"\tc{k}" for k in range(n))
        lines = [f"q{1 + k % 2}\tbeta\talpha\tleft" + "\tx" * n for k in range(5 * n)]
        row, _ = upload(page, "\n".join([f"q\tone\ttwo\tvote{extra}", *lines, ""]).encode())
        names = ["q", "one", "two", "vote", *(f"c{k}" for k in range(n))]
        for k in range(n):
            keep_recipe(user=dataset.created_by, name=f"R{n} {k}", columns=names, mapping=by("answers", q="item"))
        address, counts = f"/imports/{row.pk}/columns/", []
        page.get(address)
        for visit in (
            lambda: page.get(address), lambda: page.get("/imports/recipes/"),
            lambda: page.post(address, choice(), headers={"HX-Request": "true"}),
        ):  # fmt: skip
            with CaptureQueriesContext(connection) as queries:
                assert visit().status_code == 200
            counts.append(len(queries))
        return counts

    few = asked(1)
    assert asked(3) == few
    assert max(few) <= 14


@pytest.mark.django_db
def test_faults_after_a_mapping_leave_the_upload_for_another_one(dataset, page, media_root):
    row, _ = upload(page, VOTES)
    page.post(f"/imports/{row.pk}/columns/", choice(check="1"))
    work_off()

    row.refresh_from_db()
    assert (row.status, row.manifest_path.exists()) == ("undecided", True)
    assert "Change the mapping" in text_of(page.get(row.get_absolute_url()))


@pytest.mark.django_db
@pytest.mark.databases
def test_import_that_waits_for_its_columns_links_to_them_on_its_page_and_in_the_list(page, media_root):
    file = SimpleUploadedFile("table.csv", b"thing,who,said\n1,A,x\n")
    page.post("/imports/new/", {"dataset_name": "Zqxv", "manifest": file, "without_audio": "on"})
    row = Import.objects.get()
    work_off()

    for address in (f"/imports/{row.pk}/", "/imports/"):
        assert f'href="/imports/{row.pk}/columns/">Map the columns</a>' in page.get(address).content.decode()


@pytest.mark.django_db
def test_recipe_is_its_owners_and_can_be_renamed_downloaded_uploaded_and_deleted(page):
    told = {
        "name": "Zq",
        "columns": ["b", "a"],
        "mapping": {"shape": "responses", "columns": {"a": {"becomes": "item"}}},
    }

    def send(what):
        return page.post("/imports/recipes/", {"file": SimpleUploadedFile("r.json", json.dumps(what).encode())})

    assert send(told).status_code == 302
    assert send({"name": "x"}).status_code == 422
    for wrong in (
        {"name": None},
        {"name": []},
        {"name": "\u200b"},
        {"name": "x" * 201},
        {"columns": "abc"},
        {"columns": [[]]},
    ):
        assert send(told | wrong).status_code == 422, wrong
    recipe = ImportRecipe.objects.get()
    assert recipe.columns == ["a", "b"]
    page.post(f"/imports/recipes/{recipe.pk}/rename/", {"name": "Other"})
    assert page.get(f"/imports/recipes/{recipe.pk}.json").json()["name"] == "Other"
    send(told)
    page.post(f"/imports/recipes/{recipe.pk}/rename/", {"name": "Zq"})
    assert sorted(ImportRecipe.objects.values_list("name", flat=True)) == ["Other", "Zq"]
    other = Client()
    other.force_login(UserFactory(is_researcher=True))
    assert other.post(f"/imports/recipes/{recipe.pk}/delete/").status_code == 404
    page.post(f"/imports/recipes/{recipe.pk}/delete/")
    assert ImportRecipe.objects.get().name == "Zq"


@pytest.mark.django_db
def test_folder_for_each_system_becomes_a_manifest(page, media_root, sound, zip_of):
    members = {f"set/{name}/{n}.wav": sound(400 + 10 * n + len(name)) for name in ("zqa", "zqbb") for n in (1, 2)}
    archive = zip_of(members | {"set/prompts/1.wav": sound(900), "set/readme.txt": b"x"}).read_bytes()
    row, response = upload(
        page, b"", manifest=None, without_audio=None, archive=SimpleUploadedFile("set.zip", archive)
    )

    assert response.status_code == 302
    row.refresh_from_db()
    report = row.report
    assert (row.status, report["items"], report["systems"], report["clips"]) == ("checked", 2, ["zqa", "zqbb"], 5)
    assert report["unused_files"] == {"n": 1, "some": ["set/readme.txt"]}
    assert "1 file of the ZIP is named by no row: set/readme.txt" in text_of(page.get(row.get_absolute_url()))


@pytest.mark.django_db
def test_page_of_columns_names_at_its_top_what_alone_is_missing_and_prefills_no_recipe(page, media_root):
    row, _ = upload(page, b"Zq;Xv;Antwort Eins;Antwort Zwei\n7;8;a.wav;b.wav\n7;9;c.wav;d.wav\n")
    address = f"/imports/{row.pk}/columns/"
    html = page.get(address).content.decode()
    top = html[: html.index('id="column-0"')]

    assert '<a href="#becomes-0">Choose the column that is the item.</a>' in top
    assert "name the system beside" not in html
    assert "Two columns can be the item together." in top
    assert 'name="recipe" value=""' in html
    decided = {"shape": "responses", "becomes-0": "item", "becomes-2": "response_audio", "name-2": "Eins"}
    shown = page.post(address, decided, headers={"HX-Request": "true"}).content.decode()
    assert 'id="needed" hx-swap-oob="true"' in shown
    assert "Still to be said" not in shown
    page.post(address, decided | {"check": "1"})
    assert not ImportRecipe.objects.exists()


@pytest.mark.django_db
@each("sound", [{"without_audio": "on"}, {"without_audio": None, "archive": SimpleUploadedFile("a.zip", EMPTY_ZIP)}])
def test_page_of_columns_asks_for_files_only_where_there_is_to_be_sound(page, media_root, sound):
    row, _ = upload(page, b"Zq;Xv;Said\nq1;alpha;Hello\nq2;beta;Bye\n", **sound)
    uses = {"shape": "responses", "becomes-0": "item", "becomes-1": "system", "becomes-2": "prompt_text"}

    shown = text_of(page.post(f"/imports/{row.pk}/columns/", uses, headers={"HX-Request": "true"}))

    assert ("No row names a file in response_audio" in shown) == ("archive" in sound)


@pytest.mark.django_db
@each("name", ["responses", "pairs"])
def test_template_is_a_manifest_that_can_be_imported(page, tmp_path, name):
    (tmp_path / name).write_bytes(page.get(f"/imports/templates/{name}.csv").content)

    assert make_plan(rows_of((tmp_path / name).read_bytes())).problems == []


@pytest.mark.django_db
@each("name", sorted(SHIPPED))
def test_template_of_answers_can_be_read_for_every_protocol(page, tmp_path, name):
    protocol = SHIPPED[name]
    path = tmp_path / "answers.csv"
    path.write_bytes(page.get(f"/protocols/{protocol.name}/{protocol.version}/answers.csv").content)
    found = plan_answers(open_answers_table(path), progress=Listening())

    assert [problem for problem in found.problems if problem.field != "value"] == []
    assert found.units["1"].unit.kind == protocol.unit
