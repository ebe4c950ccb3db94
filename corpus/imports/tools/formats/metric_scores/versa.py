"""VERSA's scores: one line for each utterance with its key and every metric. A file holds one system's.

Lines are JSON, or dictionaries as Python prints them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from corpus.imports.files.rows import Row
from corpus.imports.mapping.mapping import ANSWERS, AS_WRITTEN, TableMapping, Use
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.tools import reasons
from corpus.imports.tools.formats.metric_scores.loose_json import is_number, loose_lines
from corpus.imports.tools.formats.metric_scores.python_dicts import python_dict
from corpus.imports.tools.head import Head
from corpus.imports.tools.recognised import Recognised, Tool

RATER = "VERSA"
#: By these a line is VERSA's, beside its key.
METRICS = frozenset({
    "utmos", "utmosv2", "pesq", "stoi", "estoi", "dns_overall", "dns_p808", "plcmos", "sdr", "sir", "sar", "si_snr",
    "ci_sdr", "mcd", "f0corr", "f0rmse", "spk_similarity", "speech_bert", "speech_bleu", "nisqa_mos_pred", "srmr",
    "sheet_ssqa", "singmos", "scoreq_ref", "scoreq_nr", "visqol", "torch_squim_stoi", "torch_squim_pesq",
    "torch_squim_si_sdr", "torch_squim_mos", "warpq", "nomad", "emotion_similarity", "speaking_rate", "wvmos",
    "sigmos_ovrl", "noresqa_score", "asvspoof_score", "whisper_wer_insert", "espnet_wer_insert", "owsm_wer_insert",
})  # fmt: skip

#: The beginnings of names that come in families.
FAMILIES = re.compile(
    r"(universa|arecho|audiobox_aesthetics|dns|noresqa|plcmos|scoreq|torch_squim|utmos|nisqa|sigmos|whisper|espnet"
    r"|owsm|qwen)_"
)


def _recognises(head: Head) -> bool:
    names = head.columns or frozenset(python_dict(head.text.split("\n", 1)[0]) or ())
    return head.kind == "lines" and "key" in names and any(it in METRICS or FAMILIES.match(it) for it in names)


def _open(path: Path) -> Recognised:
    n, missing, metrics, others = 0, Counter[str](), dict[str, None](), set[str]()
    for _, row in loose_lines(path):
        n += 1
        for name, value in row.items():
            if is_number(value):
                metrics[name] = None
            elif value is None:
                missing[name] += 1
            elif name != "key":
                others.add(name)
    lost = [reasons.COLUMNS_LOST(columns=", ".join(sorted(others)))] if others else []
    if missing:
        lost.append(reasons.NO_NUMBERS(n=missing.total(), columns=", ".join(sorted(missing))))
    uses = {"key": Use("response_audio")} | {
        name: Use("answer", name[:60], rater=RATER, others=AS_WRITTEN) for name in metrics
    }
    return Recognised(
        reasons.VERSA(n=n, metrics=len(metrics)),
        (reasons.VERSA_OF_FILES(), *lost),
        table=ForeignTable(partial(_rows, path, frozenset(metrics)), "line", path.stat().st_size),
        mapping=TableMapping(ANSWERS, uses),
    )


def _rows(path: Path, metrics: frozenset[str]) -> Iterator[tuple[int, Row]]:
    for number, row in loose_lines(path):
        scores = {name: row[name] if is_number(row.get(name)) else None for name in metrics}
        yield number, {"key": str(row.get("key") or "")} | dict(sorted(scores.items()))


TOOL = Tool("versa", _recognises, _open, has_no_sound=True)
