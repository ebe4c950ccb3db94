"""Samples that lm-evaluation-harness writes of tasks of ours, by its dummy model, which says `lol`."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.imports.files.rows import UnreadableManifest
from corpus.models import ResponseTurn
from tests.contact.writers.writing import run
from tests.corpus.imports.tools.conftest import answers_of, bring_in, look, told

pytestmark = pytest.mark.django_db
__all__ = ["told"]

# -- lm-evaluation-harness ---------------------------------------------------------------------------------------

TASK = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/docs.jsonl}}}}
test_split: test
output_type: {kind}
doc_to_text: "Question: {{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
{more}
"""
WRITES = """
generation_kwargs: {until: ["\\n\\n"]}
filter_list:
- {name: strict-match, filter: [{function: regex, regex_pattern: "#### (\\\\d+)"}, {function: take_first}]}
- {name: flexible-extract, filter: [{function: regex, regex_pattern: "(l.l)"}, {function: take_first}]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
CHOOSES = """
doc_to_choice: ["4", "5"]
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]
"""
#: What its command does, without its ten thousand tasks, which take a minute to be listed.
EVALUATE = """
import sys
from pathlib import Path
from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
folder = Path(sys.argv[1])
tracker = EvaluationTracker(output_path=str(folder / "out"))
tasks = TaskManager(include_path=str(folder), include_defaults=False)
found = simple_evaluate(model="dummy", tasks=["ours"], task_manager=tasks, evaluation_tracker=tracker)
samples = found.pop("samples")
tracker.save_results_aggregated(results=found, samples=samples)
for name in found["configs"]:
    tracker.save_results_samples(task_name=name, samples=samples[name])
"""


def evaluated(folder: Path, kind: str, more: str) -> Path:
    """The folder with what lm-evaluation-harness writes about two documents."""
    documents = [{"question": f"{n} + 2?", "answer": answer} for n, answer in ((1, "lol"), (2, "4"))]
    (folder / "docs.jsonl").write_text("".join(json.dumps(it) + "\n" for it in documents))
    (folder / "ours.yaml").write_text(TASK.format(name="ours", folder=folder, kind=kind, more=more))
    run("-c", EVALUATE, folder, HF_HOME=folder / "hub")
    return folder / "out"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a task that writes."""
    return evaluated(tmp_path_factory.mktemp("written"), "generate_until", WRITES)


def test_samples_of_a_task_that_writes_come_in(written: Path, told: Any) -> None:
    (samples,) = written.rglob("samples_*.jsonl")

    assert told(look(samples))[0] == "lm-evaluation-harness samples: 4 samples of 2 documents, 2 metrics"
    dataset = bring_in(samples)

    assert set(answers_of(dataset)) == {
        ("0", "model", "lm-eval", "exact_match (strict-match)", "0.0"),
        ("0", "model", "lm-eval", "exact_match (flexible-extract)", "1.0"),
        ("1", "model", "lm-eval", "exact_match (strict-match)", "0.0"),
        ("1", "model", "lm-eval", "exact_match (flexible-extract)", "0.0"),
    }
    assert dataset.items.get(key="1").turns.get().text == "Question: 2 + 2?"
    assert set(ResponseTurn.objects.values_list("text", flat=True)) == {"lol"}


def test_samples_of_a_task_that_chooses_come_in_without_words(tmp_path: Path, told: Any) -> None:
    (samples,) = evaluated(tmp_path, "multiple_choice", CHOOSES).rglob("samples_*.jsonl")

    assert told(look(samples))[0] == "lm-evaluation-harness samples: 2 samples of 2 documents, 1 metrics"
    answers = answers_of(bring_in(samples))
    assert {(item, aspect) for item, _, _, aspect, _ in answers} == {("0", "acc"), ("1", "acc")}
    assert {value for *_, value in answers} <= {"0.0", "1.0"}


def test_totals_of_a_task_are_refused_with_what_to_bring(written: Path) -> None:
    (totals,) = written.rglob("results_*.json")

    with pytest.raises(UnreadableManifest, match="Import its samples"):
        look(totals)
