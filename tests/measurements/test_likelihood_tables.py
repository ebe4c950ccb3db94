import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from corpus.imports.files.rows import UnreadableManifest
from measurements.likelihood.nll import nll_localized
from measurements.likelihood.tables import as_sequence, import_likelihoods, pairs_of
from measurements.models import LikelihoodSequence
from tests.cases import each
from tests.factories import DatasetFactory

pytestmark = pytest.mark.django_db


def row(side: str = "positive", pair: str = "p1", **more: Any) -> dict[str, Any]:
    return {"model": "slm", "pair": pair, "side": side, "logprobs": [-1.0, -2.0, -3.5]} | more


def lines(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "likelihoods.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def imported(path: Path, dataset=None):
    dataset = dataset or DatasetFactory()
    return import_likelihoods(dataset, path, user=dataset.created_by)


def test_sequences_come_back_as_they_were(tmp_path: Path) -> None:
    more = {"unconditional": [-2, -2, -2], "prompt_frames": 1, "category": "speaker"}

    checked = imported(lines(tmp_path, row(**more), row("negative")))

    assert (len(checked.new), checked.problems) == (2, [])
    first, second = LikelihoodSequence.objects.all()
    sequence = as_sequence(first)
    assert sequence.logprobs.tolist() == [-1.0, -2.0, -3.5]
    assert sequence.unconditional.tolist() == [-2, -2, -2]
    assert nll_localized(sequence, delta=2) == 2.75
    assert as_sequence(second).unconditional is None


@pytest.mark.databases
def test_frames_of_codebooks_become_one_stream(tmp_path: Path) -> None:
    imported(lines(tmp_path, row(logprobs=[[-1, -2], [-3, -4]])))

    sequence = as_sequence(LikelihoodSequence.objects.get())
    assert (sequence.logprobs.tolist(), sequence.per_frame) == ([-1, -2, -3, -4], 2)


@pytest.mark.databases
def test_prompt_is_what_the_tokens_of_a_pair_begin_with(tmp_path: Path) -> None:
    imported(lines(tmp_path, row(tokens=[7, 8, 9]), row("negative", tokens=[7, 8, 1]), row(pair="p2", tokens=[7, 8])))

    assert list(LikelihoodSequence.objects.values_list("prompt_frames", flat=True)) == [2, 2, None]


def test_pairs_need_both_sides(tmp_path: Path) -> None:
    dataset = DatasetFactory()
    rows = [row(pair=f"p{n}", side=side, category="c") for n in range(3) for side in ("negative", "positive")]
    imported(lines(tmp_path, *rows[:-1], row(pair="p9")), dataset)

    found = list(pairs_of(dataset))

    assert [(model, category) for model, category, *_ in found] == [("slm", "c")] * 2


def test_same_file_again_changes_nothing_and_another_truth_is_refused(tmp_path: Path) -> None:
    dataset = DatasetFactory()
    path = lines(tmp_path, row())

    counts = [(len(c.new), c.n_known) for c in (imported(path, dataset) for _ in range(2))]
    other = imported(lines(tmp_path, row(logprobs=[-9.0])), dataset)

    assert counts == [(1, 0), (0, 1)]
    assert "other log-probabilities" in other.problems[0].message


@pytest.mark.databases
@each(
    "bad, said",
    [
        ({"side": "left"}, "positive or negative"),
        ({"logprobs": []}, "list of numbers"),
        ({"logprobs": [0.5]}, "at most 0"),
        ({"logprobs": [[-1], [-1, -2]]}, "list of numbers"),
        ({"logprobs": "loud"}, "list of numbers"),
        ({"unconditional": [-1]}, "as many"),
        ({"prompt_frames": 4}, "outside"),
        ({"prompt_frames": 1.5}, "whole number"),
        ({"model": ""}, "column model"),
        ({"colour": 1}, "no column colour"),
    ],
    undo=True,
)
def test_faulty_row_is_named_and_nothing_is_written(tmp_path: Path, bad: dict, said: str) -> None:
    checked = imported(lines(tmp_path, row(), row("negative") | bad))

    assert [(problem.row, said in problem.message) for problem in checked.problems] == [(2, True)]
    assert not LikelihoodSequence.objects.exists()


def test_parquet_is_read_like_lines(tmp_path: Path) -> None:
    rows = [row(prompt_frames=1, logprobs=[[-1.0], [-2.0]], category=None), row("negative", prompt_frames=None)]
    path = tmp_path / "x.parquet"
    pd.DataFrame(rows[:1]).to_parquet(path)
    checked = imported(path)
    pd.DataFrame([rows[1] | {"unconditional": [-1.0, -1.0, -1.0]}]).to_parquet(path)

    assert (len(checked.new), checked.problems) == (1, [])
    assert (imported(path).problems, LikelihoodSequence.objects.count()) == ([], 2)
    path.write_bytes(b"PAR1" + bytes(20))
    with pytest.raises(UnreadableManifest, match="can be read"):
        imported(path)


def test_command_imports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = DatasetFactory()
    options = {"dataset": dataset.slug, "user": dataset.created_by.username}

    call_command("import_likelihoods", str(lines(tmp_path, row())), **options)
    assert capsys.readouterr().out == "1 sequences written, 0 were there.\n"
    with pytest.raises(CommandError, match="1 faulty rows"):
        call_command("import_likelihoods", str(lines(tmp_path, row(side="x"))), **options)
    with pytest.raises(CommandError, match="no user"):
        call_command("import_likelihoods", str(lines(tmp_path, row())), dataset=dataset.slug, user="nobody")
