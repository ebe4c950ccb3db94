"""The first mapping of a table, guessed from its names and values: of small tables, and of published ones."""

import pytest

from corpus.imports.files.rows import rows_of, stream_rows
from corpus.imports.manifest.choices import Choices
from corpus.imports.mapping.checking import is_foreign
from corpus.imports.mapping.guessing.guess import guess_mapping, without_common
from corpus.imports.mapping.guessing.profile import profile_of
from corpus.imports.tools.registry import recognised
from corpus.imports.uploads.checking import check_upload
from tests.cases import each
from tests.importing import Listening
from tests.paths import PROJECT

DATA = PROJECT.parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the published tables are not beside the project")


def guessed(table, **options):
    """The shape, and (what it becomes, name, system) by column."""
    mapping = guess_mapping(profile_of(rows_of(table.encode())), **options)
    return mapping.shape, {name: (use.becomes, use.name, use.system) for name, use in mapping.columns.items()}


@each(
    "values, expected",
    [
        (["LEFT", "RIGHT", "same"], {"LEFT": "a", "RIGHT": "b", "same": "tie"}),
        (["a", "b", "gleich"], {"a": "a", "b": "b", "gleich": "tie"}),
        (["same", "different"], {"same": "same"}),
    ],
)
def test_same_is_a_tie_beside_preferences_alone(values, expected):
    rows = "".join(f"q{n},l{n}.wav,r{n}.wav,{value}\n" for n, value in enumerate(values * 3))

    mapping = guess_mapping(profile_of(rows_of(f"item,audio_a,audio_b,preferred\n{rows}".encode())))

    assert mapping.columns["preferred"].values == expected


def test_score_beside_texts_of_systems_makes_responses():
    said = "A long enough sentence of this system."
    shape, columns = guessed(
        f"id,prompt,gpt4o,llama,gpt4o_score,llama_score,score\n1,Hello?,{said},{said}!,4,2,3\n2,So?,{said},{said}?,5,1,3\n"
    )

    assert (shape, columns) == (
        "responses",
        {
            "id": ("item", "", ""), "prompt": ("prompt_text", "", ""),
            "gpt4o": ("response_text", "gpt4o", ""), "llama": ("response_text", "llama", ""),
            "gpt4o_score": ("answer", "overall", "gpt4o"), "llama_score": ("answer", "overall", "llama"),
        },
    )  # fmt: skip


@each(
    "table, shape, columns",
    [
        ("utt,system,wav,MOS,listener\n1,x,x/1.wav,4.5,L1\n2,y,y/2.wav,3,L2\n", "responses",
         {"utt": "item", "system": "system", "wav": "response_audio", "MOS": "answer", "listener": "annotator"}),
        ("id,model,response,rating\n1,x,Yes I do.,4\n2,y,No I do not.,3\n", "responses",
         {"id": "item", "model": "system", "response": "response_text", "rating": "answer"}),
        ("id,model_a,model_b,winner,score_a,score_b\n1,x,y,A,4,5\n2,x,y,tie,3,3\n", "pairs",
         {"id": "item", "model_a": "system_a", "model_b": "system_b", "winner": "answer"}),
        ("index,question_id,model_a,model_b,winner\n1,7,x,y,A\n2,7,x,z,B\n3,8,x,y,A\n", "pairs",
         {"question_id": "item", "model_a": "system_a", "model_b": "system_b", "winner": "answer", "index": "pair"}),
        ("id,model_a,model_b,order,verdict,label\n1,x,y,AB,1,1\n2,x,z,BA,2,2\n", "pairs",
         {"id": "item", "model_a": "system_a", "model_b": "system_b", "label": "answer"}),
        ("i,zq_AB,zq_BA\n1,A,B\n2,C,A\n", "answers", {"i": "item", "zq_AB": "answer"}),
        ("sentence,left_model,right_model,left_wav,right_wav,preferred,rater\n"
         "Hello there.,x,y,x/1.wav,y/1.wav,LEFT,R1\nSo what?,x,y,x/2.wav,y/2.wav,same,R1\n", "pairs",
         {"sentence": "prompt_text", "left_model": "system_a", "right_model": "system_b", "left_wav": "audio_a",
          "right_wav": "audio_b", "preferred": "answer", "rater": "annotator"}),
        ("id,audio1_path,audio2_path,label\n1,a/1.wav,b/1.wav,1\n2,a/2.wav,b/2.wav,2\n", "pairs",
         {"id": "item", "audio1_path": "audio_a", "audio2_path": "audio_b", "label": "answer"}),
    ],
)  # fmt: skip
def test_guess_of_a_table_of_another_shape(table, shape, columns):
    found, uses = guessed(table)

    assert (found, {name: becomes for name, (becomes, _, _) in uses.items()}) == (shape, columns)
    assert {name for becomes, name, _ in uses.values() if becomes.startswith("audio")} <= {""}


def wide(header, rows):
    """A table with columns of sound for two systems behind these."""
    lines = [f"{row};{n}_1.wav;{n}_2.wav" for n, row in enumerate(rows)]
    return "\n".join([f"{header};Antwort Produktiv v2;Antwort Neu", *lines, ""])


def test_item_prompt_and_category_are_guessed_from_values_and_systems_without_what_their_columns_share():
    topics = ("train", "weather", "music")
    table = wide("Kürzel;An das System;Worum", [f"zq{n};Tell me number {n}.;{topics[n % 3]}" for n in range(12)])
    shape, columns = guessed(table)

    assert (shape, columns) == (
        "responses",
        {
            "Kürzel": ("item", "", ""), "An das System": ("prompt_text", "", ""), "Worum": ("category", "", ""),
            "Antwort Produktiv v2": ("response_audio", "Produktiv v2", ""),
            "Antwort Neu": ("response_audio", "Neu", ""),
        },
    )  # fmt: skip


@each(
    "values, becomes",
    [
        ([str(n) for n in range(1, 13)], "item"),
        ([str(n) for n in range(511, 523)], "item"),
        ([f"{n}.{n}" for n in range(12)], None),
        ([f"{n * 37 + 1000}" for n in range(12)], None),
        ([f"10:{n + 10}" for n in range(12)], None),
        ([f"zq{n // 2}" for n in range(12)], None),
        (["zq", "qz"] * 6, "category"),
        (["12", "13"] * 6, None),
        (["Say this word.", "Say that word."] * 6, "category"),
        ([f"Say word {n} of these." for n in range(12)], "prompt_text"),
    ],
)
def test_column_without_a_usual_name_is_guessed_only_where_its_values_say_it(values, becomes):
    _shape, columns = guessed(wide("Zqxv", values))

    assert columns.get("Zqxv", (None,))[0] == becomes


def test_of_two_columns_that_may_be_the_category_none_is_guessed():
    _shape, columns = guessed(wide("Zqxv;Zqxw", ["zq;v", "zq;w", "qz;v", "qz;w"] * 3))

    assert set(columns) == {"Antwort Produktiv v2", "Antwort Neu"}


@each(
    "header",
    ["Lfd. Nr.;Satz;Kategorie", "Satz-Nr.;Frage;Rubrik", "N°;Énoncé;Catégorie", "Número;Pregunta;Categoría",
     "Numéro;Phrase;Thème"],
)  # fmt: skip
def test_usual_names_of_german_french_and_spanish_are_known(header):
    _shape, columns = guessed(wide(header, ["7;So?;x", "9;No?;y"]))

    assert [columns[name][0] for name in header.split(";")] == ["item", "prompt_text", "category"]


def test_item_of_a_row_for_each_system_is_the_column_with_as_many_values():
    rows = [f"{n};zq{n // 2};m{n % 2};{n}.wav" for n in range(12)]
    _shape, columns = guessed("\n".join(["Zeile;Kürzel;Modell;Datei", *rows, ""]))

    assert {name: becomes for name, (becomes, _, _) in columns.items()} == {
        "Kürzel": "item", "Modell": "system", "Datei": "response_audio",
    }  # fmt: skip


@each(
    "names, apart",
    [
        (["Antwort A1", "Antwort B1"], ["A1", "B1"]),
        (["Alpha (wav)", "Beta (wav)"], ["Alpha", "Beta"]),
        (["audio: Neu neu", "audio: Alt neu"], ["Neu", "Alt"]),
        (["gpt-4o", "gpt-4.1"], ["gpt-4o", "gpt-4.1"]),
        (["System 1", "System 2"], ["System 1", "System 2"]),
        (["Antwort", "Antwort Neu"], ["Antwort", "Antwort Neu"]),
        (["TTS Neu", "TTS Neu 2"], ["Neu", "Neu 2"]),
    ],
)
def test_systems_are_named_without_what_their_columns_share(names, apart):
    assert without_common(names) == apart


def test_score_of_a_file_in_a_dataset_that_is_there_is_an_answer():
    shape, columns = guessed("file,mos\nx/1.wav,4\ny/2.wav,3\n", systems={"x", "y"})

    assert (shape, columns["file"][0], columns["mos"][0]) == ("answers", "response_audio", "answer")


#: What each published table becomes without a word from anybody: read as it is, or by the guess; and what is then
#: still to be said: nothing, a choice on the page of the import, or what the mapping lacks.
PUBLISHED = {
    "audio/clips.csv": ("responses", "responses_need_item"),
    "audio/manifest.csv": ("own", ""),
    "audiojudge/chatbotarena_7824_verdicts.csv": ("answers", "answers_need_dataset"),
    "audiojudge/chatbotarena_judges.csv": ("own", "label_column"),
    "audiojudge/chatbotarena_noise_subset1000.csv": ("own", "label_column"),
    "audiojudge/chatbotarena_pairs.csv": ("own", ""),
    "audiojudge/judge_characteristics.csv": ("answers", "answers_need_dataset"),
    "audiojudge/judge_reasoning_sample.jsonl": ("own", "label_column"),
    "audiojudge/judge_speakbench_gemini-2.5-flash.csv": ("own", "label_column"),
    "audiojudge/judge_speakbench_gpt-4o-audio.csv": ("own", "label_column"),
    "audiojudge/mos_pairs.csv": ("answers", "answers_need_dataset"),
    "hcot/fusion_truth_table.csv": ("answers", "answers_need_unit"),
    "hcot/hcot_speakbench.jsonl": ("own", ""),
    "hcot/speakbench_orig_vs_hcot.csv": ("own", ""),
    "hcot/speakbench_original_508.csv": ("own", ""),
    "raw/audiojudge_chatbotarena_AB.csv": ("own", "item_column label_column"),
    "raw/audiojudge_chatbotarena_BA.csv": ("own", "item_column label_column"),
    "raw/audiojudge_pronunciation.csv": ("tool", ""),
    "raw/audiojudge_somos.csv": ("tool", ""),
    "raw/audiojudge_speakbench_detailed.csv": ("tool", ""),
}


@needs_data
@pytest.mark.django_db
@each("name", sorted(PUBLISHED))
def test_published_table_is_imported_as_it_is_or_says_what_it_lacks(name):
    path, choices, shape, lacks = DATA / name, Choices(), "own", []
    if recognised(path):
        shape = "tool"
    elif is_foreign(path):
        profile = profile_of(stream_rows(path, by_line=True))
        mapping = guess_mapping(profile)
        shape, choices = mapping.shape, Choices(mapping=mapping.as_json())
        lacks = [why.code for _, why in mapping.faults(profile.names, into_dataset=False)]
    if not lacks:
        found = check_upload(
            path, None, dataset_name="Zqxv", label_set_name="Labels", progress=Listening(), choices=choices
        )
        lacks = sorted({it.choice or f"{it.field}: {it.message}" for it in found.errors})

    assert (shape, " ".join(lacks)) == PUBLISHED[name]


@each("n, asked", [(12, True), (13, False), (60, False)])
def test_many_different_numbers_are_no_list_of_choices(n: int, asked: bool) -> None:
    """A column of ratings with decimals had a choice for each; whole numbers of a scale still have one."""
    rows = "".join(f"item {k},A,{k % n / 10}\n" for k in range(120))

    (rating,) = [it for it in profile_of(rows_of(f"item,system,mos\n{rows}".encode())).columns if it.name == "mos"]

    assert rating.are_numbers
    assert len(rating.values) == (n if asked else 0)
    assert guessed(f"item,system,mos\n{rows}")[1]["mos"][0] == "answer"
