"""AudioJudge's SpeakBench table: each row a model beside GPT-4o, judged in both orders."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from corpus.imports.files.rows import Row
from corpus.imports.tools import reasons
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Said, Tool
from corpus.imports.tools.tool_rows import tool_rows

#: Whom every model was compared with, by the column of its recordings.
OTHER, OTHERS_SOUND = "gpt4o-audio", "gpt4o_audio_path"
#: The columns of what the judge said, and the rater that each becomes.
RATERS = {"position1_result": "AudioJudge, model first", "position2_result": "AudioJudge, model second"}
#: A result is the model's, whichever place it had.
VALUES = {"win": "a", "loss": "b", "tie": "tie"}


def _recognises(head: Head) -> bool:
    return head.has("instruction_id", "model_name", "model_audio_path", OTHERS_SOUND, *RATERS)


def _open(path: Path) -> Recognised:
    n, n_same, n_unread, models = 0, 0, 0, Counter[str]()
    for _, row in tool_rows(path):
        n += 1
        models[str(row["model_name"])] += 1
        n_same += _is_same(row)
        n_unread += sum(str(row[column]).strip() not in VALUES for column in RATERS)
    lost = [reasons.SPEAKBENCH_RATERS(), reasons.COLUMNS_LOST(columns="position1_reasoning, position2_reasoning")]
    if n_same:
        lost.append(reasons.BESIDE_ITSELF(n=n_same, system=OTHER))
    if n_unread:
        lost.append(reasons.BATTLES_WITHOUT_OUTCOME(n=n_unread))
    return Recognised(
        reasons.SPEAKBENCH(n=n - n_same, systems=len(models)),
        tuple(lost),
        responses=partial(_responses, path),
        answers=partial(_answers, path),
    )


def _is_same(row: Row) -> bool:
    return str(row["model_name"]) == OTHER and row["model_audio_path"] == row[OTHERS_SOUND]


def _responses(path: Path) -> Iterator[tuple[int, Row]]:
    made = set[tuple[str, str]]()
    for number, row in tool_rows(path):
        for system, sound in ((str(row["model_name"]), row["model_audio_path"]), (OTHER, row[OTHERS_SOUND])):
            item = str(row["instruction_id"])
            if (item, system) not in made:
                made.add((item, system))
                yield number, {"item": item, "prompt_text": str(row.get("instruction_text") or ""),
                               "system": system, "response_audio": str(sound or "")}  # fmt: skip


def _answers(path: Path) -> Iterator[tuple[int, Said]]:
    for number, row in tool_rows(path):
        for column, rater in RATERS.items():
            if not _is_same(row) and (value := VALUES.get(str(row[column]).strip())):
                yield (
                    number,
                    Said(str(row["instruction_id"]), (str(row["model_name"]), OTHER), value, annotator=rater),
                )


TOOL = Tool("speakbench_wide", _recognises, _open)
