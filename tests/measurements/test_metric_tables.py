import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analytics.measured.table import metric_table
from corpus.imports.files.rows import UnreadableManifest
from corpus.models import Response, ResponseTurn, System
from measurements.models import MetricScore
from measurements.scores.tables import import_scores
from tests.cases import each
from tests.factories import RARE_A, RARE_B
from tests.measurements.measuring import make_dataset

pytestmark = pytest.mark.django_db


def table(tmp_path: Path, *rows: str, header: str = "system,item,metric,value") -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([header, *rows, ""]))
    return path


@pytest.mark.databases
def test_scores_come_in_by_name_or_title(tmp_path: Path) -> None:
    dataset = make_dataset(items=2)

    checked = import_scores(
        dataset,
        table(tmp_path, f"{RARE_A},item-0,utmos,3.5", f"{RARE_B},item-1,NISQA-MOS,4.25", f"{RARE_A},,autopcp,2"),
    )

    assert (len(checked.new), checked.n_known, checked.problems) == (3, 0, [])
    held = MetricScore.objects.order_by("pk").values_list("metric", "value", "source", "response__item__key")
    assert list(held) == [
        ("utmos", 3.5, "imported", "item-0"), ("nisqa", 4.25, "imported", "item-1"), ("autopcp", 2, "imported", None),
    ]  # fmt: skip


def test_json_lines_come_in(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps({"system": RARE_A, "item": "item-0", "metric": "utmos", "value": 3}) + "\n")

    import_scores(dataset, path)

    assert MetricScore.objects.get().value == 3.0


def test_same_scores_again_change_nothing(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    path = table(tmp_path, f"{RARE_A},item-0,utmos,3.5", f"{RARE_A},item-0,utmos,3.5", f"{RARE_A},item-0,nisqa,")

    counts = [(len(c.new), c.n_known) for c in (import_scores(dataset, path) for _ in range(2))]

    assert counts == [(2, 1), (0, 3)]


@pytest.mark.databases
def test_empty_value_is_missing_with_its_reason(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    rows = (f"{RARE_A},item-0,utmos,,too short", f"{RARE_B},item-0,utmos,,")

    import_scores(dataset, table(tmp_path, *rows, header="system,item,metric,value,reason"))

    assert list(MetricScore.objects.values_list("value", "reason")) == [
        (None, "too short"), (None, "imported without a value"),
    ]  # fmt: skip


@pytest.mark.databases
@each(
    "row, said",
    [
        ("Nobody,item-0,utmos,1", "no system 'Nobody'"),
        (f"{RARE_A},item-9,utmos,1", "no response to an item 'item-9'"),
        (f"{RARE_A},item-0,sparkle,1", "no metric 'sparkle'"),
        (f"{RARE_A},item-0,utmos,good", "'good' is no number"),
        (f'{RARE_A},item-0,utmos,"3,5"', "'3,5' is no number. Write decimals with a point: 3.5."),
        (f"{RARE_A},item-0,utmos,nan", "no finite number"),
        (f"{RARE_A},item-0,,1", "column metric is empty"),
        (",item-0,utmos,1", "column system is empty"),
        (f"{RARE_A},item-0,utmos,2", "another value"),
        (f"{RARE_B},item-0,utmos,2", "2 takes of item-0"),
    ],
    undo=True,
)
def test_faulty_row_is_named_and_nothing_is_written(tmp_path: Path, row: str, said: str) -> None:
    dataset = make_dataset(items=1)
    system = System.objects.get(name=RARE_B)
    Response.objects.create(item=dataset.items.get(), system=system, key="second take")

    checked = import_scores(dataset, table(tmp_path, f"{RARE_A},item-0,utmos,1", row))

    assert [(problem.row, said in problem.message) for problem in checked.problems] == [(2, True)]
    assert not MetricScore.objects.exists()


@pytest.mark.databases
def test_take_tells_responses_apart(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    second = Response.objects.create(item=dataset.items.get(), system=System.objects.get(name=RARE_B), key="second")

    import_scores(dataset, table(tmp_path, f"{RARE_B},item-0,utmos,2,second", header="system,item,metric,value,take"))

    assert MetricScore.objects.get().response == second


def test_unknown_column_and_no_table_are_refused(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)

    checked = import_scores(dataset, table(tmp_path, f"{RARE_A},utmos,1,x", header="system,metric,value,colour"))
    assert "no column colour" in checked.problems[0].message
    with pytest.raises(UnreadableManifest):
        import_scores(dataset, table(tmp_path, header=""))


def test_command_imports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = make_dataset(items=1)

    call_command("import_metric_scores", str(table(tmp_path, f"{RARE_A},item-0,utmos,1")), dataset=dataset.slug)
    assert capsys.readouterr().out == "1 scores written, 0 were there.\n"
    with pytest.raises(CommandError, match="1 faulty rows"):
        call_command("import_metric_scores", str(table(tmp_path, f"{RARE_A},x,utmos,1")), dataset=dataset.slug)
    with pytest.raises(CommandError, match="no dataset"):
        call_command("import_metric_scores", str(table(tmp_path)), dataset="nowhere")


@pytest.mark.databases
def test_metrics_by_systems_come_in_with_metrics_of_ones_own(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    rows = ("UTMOS-v2,,,3.5,4", "Likeness,Speaker consistency,lower,0.25,", "Mean opinion,other,,1,2")
    path = table(tmp_path, *rows, header=f"metric,axis,direction,{RARE_A},{RARE_B}")

    checked = import_scores(dataset, path)

    assert (checked.n_new, checked.problems, import_scores(dataset, path).n_known) == (5, [], 5)
    columns = [(it.metric.title, str(it.metric.axis), it.metric.direction) for it in metric_table(dataset).columns]
    assert columns == [
        ("UTMOS-v2", "Audio naturalness", "higher"),
        ("Likeness", "Speaker consistency", "lower"),
        ("Mean opinion", "Other", "higher"),
    ]
    held = MetricScore.objects.get(metric="Likeness")
    assert (held.system.name, held.value, held.response, held.version) == (RARE_A, 0.25, None, "1")


@each(
    "row, reason",
    [
        ("Likeness,,,1", "say its axis in the column axis"),
        (f"Likeness,{'B' * 61},,1", "axis has at most 60 characters"),
        ("Likeness,Other,better,1", "higher or lower, not 'better'"),
        (f"{'L' * 61},Other,,1", "at most 60 characters"),
        ("utmos,,,much", "'much' is no number"),
    ],
    undo=True,
)
def test_faulty_metrics_by_systems_are_refused(tmp_path: Path, row: str, reason: str) -> None:
    dataset = make_dataset(items=1)
    path = table(tmp_path, row, header=f"metric,axis,direction,{RARE_A}")

    checked = import_scores(dataset, path)

    assert reason in checked.problems[0].message
    assert not MetricScore.objects.exists()


def test_board_of_systems_comes_in_by_its_columns_of_numbers(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    rows = (f"1,{RARE_A},1250.5,120,Lab", f"2,{RARE_B},990,80,Lab")
    path = table(tmp_path, *rows, header="Rank,Model,Arena Elo,Votes,Organization")

    checked = import_scores(dataset, path)

    assert (checked.n_new, checked.problems, checked.unused) == (2, [], ["Rank", "Votes", "Organization"])
    held = MetricScore.objects.order_by("pk").values_list("metric", "system__name", "value", "response")
    assert list(held) == [("Arena Elo", RARE_A, 1250.5, None), ("Arena Elo", RARE_B, 990.0, None)]


def test_axis_may_have_any_name(tmp_path: Path) -> None:
    dataset = make_dataset(items=1)
    import_scores(dataset, table(tmp_path, f"{RARE_A},Elo,Arena,1", header="system,metric,axis,value"))

    assert [str(it.metric.axis) for it in metric_table(dataset).columns] == ["Arena"]


@each(
    "header, rows, said",
    [
        ("Model,Arena Elo", ["Nobody,1", "Nobody,2"], ["no system 'Nobody'"]),
        ("system,item,metric,value", [f"{RARE_A},item-0,sparkle,{n}" for n in range(3)], ["no metric 'sparkle'"]),
        ("a,b", ["1,2", "3,4"], ["no column a, b", "The table has no column system, metric."]),
    ],
)
def test_same_fault_of_many_rows_is_said_once(tmp_path: Path, header: str, rows: list[str], said: list[str]) -> None:
    problems = import_scores(make_dataset(items=1), table(tmp_path, *rows, header=header)).problems

    assert [words in str(it.message) for it, words in zip(problems, said, strict=True)] == [True] * len(said)


def test_unknown_system_of_a_column_is_refused(tmp_path: Path) -> None:
    checked = import_scores(make_dataset(items=1), table(tmp_path, "utmos,1", header="metric,Nobody"))

    assert "no system 'Nobody'" in checked.problems[0].message


def test_lines_of_versa_come_to_the_recordings_of_their_keys(tmp_path: Path) -> None:
    """Infinity and NaN are no numbers and are counted; metrics of any name keep it."""
    dataset = make_dataset(items=2)
    for n, turn in enumerate(ResponseTurn.objects.filter(response__system__name=RARE_A).order_by("response__item")):
        ResponseTurn.objects.filter(pk=turn.pk).update(path=f"alpha/{n}.wav")
    path = tmp_path / "utt_result.txt"
    path.write_text(
        '{"key": "0.wav", "utmos": 3.5, "sir": Infinity, "mcd": 5.9, "universa_mos": 3.9, "hyp": "so"}\n'
        '{"key": "1", "utmos": NaN, "sir": -Infinity, "mcd": 6.2, "universa_mos": 3.7}\n'
    )

    counts = [(it.n_new, it.n_known, it.n_left_out, it.problems) for it in
              (import_scores(dataset, path) for _ in range(2))]  # fmt: skip

    assert counts == [(5, 0, 3, []), (0, 5, 3, [])]
    held = MetricScore.objects.order_by("response__item", "metric")
    assert list(held.values_list("response__item__key", "metric", "value")) == [
        ("item-0", "mcd", 5.9), ("item-0", "universa_mos", 3.9), ("item-0", "utmos", 3.5),
        ("item-1", "mcd", 6.2), ("item-1", "universa_mos", 3.7),
    ]  # fmt: skip
    made_of = dict(held.values_list("metric", "made_of"))
    assert made_of["mcd"] == {"axis": "Other", "direction": "lower"}
    assert made_of["universa_mos"] == {"axis": "Audio naturalness", "direction": "higher"}


def test_lines_of_versa_about_another_recording_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "utt_result.txt"
    path.write_text('{"key": "nowhere", "universa_mos": 3.5}\n')

    [problem] = import_scores(make_dataset(items=1), path).problems

    assert "No one recording of this dataset is called 'nowhere' (line 1)." in str(problem.message)
    assert not MetricScore.objects.exists()
