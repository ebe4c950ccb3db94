"""How close a text comes to a reference, and how its length compares to its source's (COMPASS App. B.1, B.2, B.8)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jiwer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from infrastructure.wording.reasons import Reason
from measurements import reasons
from measurements.metrics.contract import Row, Undefined
from measurements.metrics.normalizing import UNSPACED, characters, language_code, normalized, words

#: How far the number of characters may be from the source's (Lakew et al. 2022; IWSLT's isometric track): ±10 %.
COMPLIANCE = 0.10


def bleu(hypothesis: str, reference: str, language: str | None = None) -> float:
    """Sentence BLEU from 0 to 100; orders longer than the texts are left out (sacreBLEU's `effective_order`).

    >>> round(bleu("the cat sat on the mat", "the cat is on the mat"), 2)
    37.99
    """
    hypothesis, reference = _pair(hypothesis, reference)
    return float(_bleu(language_code(language), by_sentence=True).sentence_score(hypothesis, [reference]).score)


def corpus_bleu(rows: Sequence[Row]) -> float:
    """BLEU of all of a system's texts at once, which is not the mean of sentence BLEUs."""
    hypotheses, references = _columns(rows)
    return float(_bleu(_language(rows), by_sentence=False).corpus_score(hypotheses, [references]).score)


def chrf(hypothesis: str, reference: str) -> float:
    """ChrF2 from 0 to 100: characters up to 6, recall counting twice."""
    return _sentence(CHRF(word_order=0), hypothesis, reference)


def corpus_chrf(rows: Sequence[Row]) -> float:
    return _corpus(CHRF(word_order=0), rows)


def chrf_plus_plus(hypothesis: str, reference: str) -> float:
    """The same with words up to 2 beside the characters."""
    return _sentence(CHRF(word_order=2), hypothesis, reference)


def corpus_chrf_plus_plus(rows: Sequence[Row]) -> float:
    return _corpus(CHRF(word_order=2), rows)


def ter(hypothesis: str, reference: str) -> float:
    """Edits, shifts of blocks included, per 100 words of the reference."""
    return _sentence(TER(), hypothesis, reference)


def corpus_ter(rows: Sequence[Row]) -> float:
    return _corpus(TER(), rows)


def wer(hypothesis: str, reference: str, language: str | None = None) -> float:
    """Words substituted, left out and put in, per word of the reference; can exceed 1.

    Characters take the place of words in languages without blanks between words.

    >>> wer("The cat, sat.", "the cat sat down")
    0.25
    """
    if language_code(language) in UNSPACED:
        return cer(hypothesis, reference)
    hypothesis, reference = _pair(hypothesis, reference)
    return float(jiwer.wer(reference, hypothesis))


def cer(hypothesis: str, reference: str) -> float:
    """The same over characters, blanks not counted."""
    hypothesis, reference = _pair(hypothesis, reference)
    return float(jiwer.cer(reference.replace(" ", ""), hypothesis.replace(" ", "")))


def corpus_wer(rows: Sequence[Row]) -> float:
    """Errors over words of all references together; over characters in languages that put no blanks between words."""
    hypotheses, references = _columns(rows)
    if _language(rows) in UNSPACED:
        return float(jiwer.cer([r.replace(" ", "") for r in references], [h.replace(" ", "") for h in hypotheses]))
    return float(jiwer.wer(references, hypotheses))


def delta_chars(response: str, source: str) -> float:
    """|c_tgt − c_src|, blanks not counted."""
    return float(abs(len(characters(response)) - len(characters(source))))


def delta_words(response: str, source: str) -> float:
    """|w_tgt − w_src|."""
    return float(abs(len(words(response)) - len(words(source))))


def char_length_ratio(response: str, source: str) -> float:
    """c_tgt / c_src."""
    return len(characters(response)) / _some(len(characters(source)), reasons.SOURCE_EMPTY())


def char_compliant(response: str, source: str) -> float:
    """100 where the ratio of characters lies within ±10 %, else 0: the mean is the percentage that complies.

    >>> char_compliant("a" * 11, "a" * 10), char_compliant("a" * 12, "a" * 10)
    (100.0, 0.0)
    """
    source_n = _some(len(characters(source)), reasons.SOURCE_EMPTY())
    return 100.0 if abs(len(characters(response)) - source_n) <= COMPLIANCE * source_n + 1e-9 else 0.0


def cps_ratio(response: str, source: str, response_seconds: float, source_seconds: float) -> float:
    """(c_tgt / d_tgt) / (c_src / d_src)."""
    there = len(characters(source)) / _some(source_seconds, reasons.SOURCE_NO_DURATION())
    here = len(characters(response)) / _some(response_seconds, reasons.RESPONSE_NO_DURATION())
    return here / _some(there, reasons.SOURCE_EMPTY())


def _pair(hypothesis: str, reference: str) -> tuple[str, str]:
    reference = normalized(reference)
    if not reference:
        raise Undefined(reasons.REFERENCE_EMPTY())
    return normalized(hypothesis), reference


def _sentence(metric: Any, hypothesis: str, reference: str) -> float:
    hypothesis, reference = _pair(hypothesis, reference)
    return float(metric.sentence_score(hypothesis, [reference]).score)


def _corpus(metric: Any, rows: Sequence[Row]) -> float:
    hypotheses, references = _columns(rows)
    return float(metric.corpus_score(hypotheses, [references]).score)


def _columns(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Hypotheses and references; those with an empty reference are left out. Raises Undefined."""
    pairs = [(normalized(row[0]), normalized(row[1])) for row in rows]
    known = [pair for pair in pairs if pair[1]]
    if not known:
        raise Undefined(reasons.EVERY_REFERENCE_EMPTY())
    return [hypothesis for hypothesis, _ in known], [reference for _, reference in known]


def _language(rows: Sequence[Row]) -> str:
    """The one language of the rows. Raises Undefined where there are several."""
    codes = {language_code(row[2]) for row in rows}
    if len(codes) > 1:
        raise Undefined(reasons.SEVERAL_LANGUAGES())
    return codes.pop()


@lru_cache(maxsize=32)
def _bleu(language: str, *, by_sentence: bool) -> BLEU:
    """sacreBLEU with the tokeniser that it chooses for the language. Raises Undefined where that is not installed."""
    try:
        return BLEU(effective_order=by_sentence, trg_lang=language)
    except RuntimeError as missing:
        raise Undefined(reasons.NO_TOKENISER(language=language)) from missing


def _some(number: float, reason: Reason) -> float:
    if number <= 0:
        raise Undefined(reason)
    return number
