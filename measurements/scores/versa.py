"""VERSA's scores as rows of a table of scores: one for each recording and metric that has a number."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from corpus.imports.files.rows import Row
from corpus.imports.mapping.holding import known_in
from corpus.imports.mapping.known import Known
from corpus.imports.tools.formats.metric_scores.loose_json import is_number, loose_lines
from corpus.imports.tools.formats.metric_scores.versa import TOOL
from corpus.imports.tools.registry import tool_of
from corpus.models import Dataset
from measurements import reasons
from measurements.imported_tables import FaultyRow
from measurements.metrics.contract import Axis

#: What VERSA's metrics measure, by their names; the first that is found.
AXES = (
    (re.compile(r"wer|cer|bleu|asr"), Axis.ASR),
    (re.compile(r"spk|speaker"), Axis.SPEAKER),
    (re.compile(r"f0|emotion|rate"), Axis.PROSODY),
    (re.compile(r"mos|p808|pesq|stoi|dns|sheet|scoreq|visqol|srmr|warpq"), Axis.NATURALNESS),
)
#: Errors and distances.
LOWER_IS_BETTER = re.compile(r"wer|cer|mcd|rmse|nomad")


def is_versa(path: Path) -> bool:
    with path.open("rb") as file:
        return tool_of(file) is TOOL


def versa_rows(dataset: Dataset, path: Path, left_out: Counter[str]) -> Iterator[tuple[int, Row]]:
    """(line, row) for each number. NaN and Infinity are counted in `left_out`, by metric; texts are passed over.

    Raises FaultyRow over a key that is no recording of the dataset, UnreadableManifest.
    """
    known = known_in(dataset) or Known()
    for number, line in loose_lines(path):
        key = str(line.get("key") or "")
        if (response := known.response("", "", key, "")) is None:
            raise FaultyRow(reasons.NO_SUCH_RECORDING(key=repr(key), line=number))
        item, system, take = response
        for metric, value in line.items():
            if value is None or (is_number(value) and not math.isfinite(value)):
                left_out[metric] += 1
            elif is_number(value):
                yield number, {
                    "system": system, "item": item, "take": take, "metric": metric, "value": value,
                    "axis": _axis(metric), "direction": "lower" if LOWER_IS_BETTER.search(metric) else "higher",
                }  # fmt: skip


def _axis(metric: str) -> Axis:
    return next((axis for name, axis in AXES if name.search(metric.lower())), Axis.OTHER)
