"""docs/reference/metrics.md is written from the registry: `python -m tests.measurements.metrics.test_reference`."""

from measurements.metrics.contract import Axis, Metric
from measurements.metrics.registry import METRICS
from tests.paths import PROJECT

PAGE = PROJECT / "docs" / "reference" / "metrics.md"
HEAD = """# Metrics

Every metric of the registry (`measurements/metrics/registry.py`), after COMPASS's Appendix B. Its text counts 46, its
catalogue names 51; CER and the four scores of DNSMOS are beside them. src is what was said to the system, tgt what
it said; d is a duration, c a number of characters. A system's value is the mean over its responses unless the
formula says "per system" or "over a system's responses".

Before texts are compared they are normalised: NFKC, lower case, punctuation and symbols to blanks. It does what
Whisper's basic normaliser does, but combining marks stay, because they are letters in many scripts. BLEU's
tokeniser is sacreBLEU's choice for the language; those for Japanese and Korean need `sacrebleu[ja]` and
`sacrebleu[ko]`, and BLEU is undefined without them.

Computing extracts the [features](features.md) that the chosen metrics read and that are not there yet, first.
Words are recognised only where the import has no text, as not every recogniser knows every language; to score
recognised words everywhere, extract all features of the dataset first.

## What is imported only

Metrics that need a model which no package carries (COMET, BLASER, UTMOS, NISQA, those from phonemes), and
those whose code is not ours, are marked *imported*: compute them where their weights are, and
[bring their scores in](../how-to/measure-without-listening.md). Nothing here computes them.

## How close the others are to the paper

- Energy, onsets and tempo equal librosa 0.11 (7e-8 on eleven real clips; tempo in every one).
- Formants differ from Praat's: on five real clips means were within 62 Hz for F1, 66 Hz for F2 and 42 Hz for F3.
  The frames that count are those within 25 dB of the loudest, and the deviation is between means over them.
- The pitch contour is the feature extractor's, not librosa's pYIN. The paper does not say what it does with
  unvoiced frames; here gaps are bridged and the ends left out.
- The speaker embedding is the feature extractor's, not WavLM's: values are not comparable with the paper's.
- Syllables are groups of vowels (Latin script only), and speech regions come from voice activity without forced
  alignment; the paper uses stopes for both.
- Char compliance is ±10 %; the paper gives no number and cites Lakew et al.
- BLASER is 1 − cos as the paper prints it, so lower is better.
"""


def reference() -> str:
    by_axis = {axis: [metric for metric in METRICS.values() if metric.axis == axis] for axis in Axis}
    sections = [section(axis, metrics) for axis, metrics in by_axis.items() if metrics]
    return "\n".join([HEAD, *sections])


def section(axis: Axis, metrics: list[Metric]) -> str:
    rows = [f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells(metric))} |" for metric in metrics]
    table = ["| metric | formula | better | inputs | package, licence |", "|---|---|---|---|---|", *rows]
    return "\n".join([f"## {axis}", "", *table, ""])


def cells(metric: Metric) -> tuple[str, ...]:
    better = metric.direction if isinstance(metric.direction, str) else f"closer to {metric.direction:g}"
    made = "*imported*" if metric.is_imported_only else metric.made.package
    name = f"`{metric.name}` {metric.title}"
    return name, metric.formula, better, ", ".join(metric.inputs) or "–", f"{made}, {metric.made.licence}"


def test_reference_page_says_what_the_registry_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference()


def test_reference_page_names_every_metric() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in METRICS if f"| `{name}` " not in page] == []


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
