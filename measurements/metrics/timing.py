"""Durations, and speech that coincides (COMPASS App. B.6), speaking rates (App. B.5)."""

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import scipy

from measurements import reasons
from measurements.metrics.contract import Regions, Row, Undefined
from measurements.metrics.normalizing import characters, normalized, words

_FEWEST = 3


def delta_duration(response_s: float, source_s: float) -> float:
    """|d_tgt − d_src| in seconds."""
    return abs(response_s - source_s)


def relative_duration_error(response_s: float, source_s: float) -> float:
    """|d_tgt − d_src| / d_src."""
    return abs(response_s - source_s) / _positive(source_s)


def duration_ratio(response_s: float, source_s: float) -> float:
    """d_tgt / d_src."""
    return response_s / _positive(source_s)


def compliance(within: float) -> Callable[[float, float], float]:
    """SLC: 100 where the ratio of durations lies within ± `within`, else 0; the mean is the percentage.

    >>> compliance(0.2)(12.0, 10.0), compliance(0.2)(12.1, 10.0)
    (100.0, 0.0)
    """

    def complies(response_s: float, source_s: float) -> float:
        return 100.0 if abs(duration_ratio(response_s, source_s) - 1) <= within + 1e-9 else 0.0

    return complies


def speech_overlap(response: Regions, source: Regions, source_s: float) -> float:
    """Seconds in which both speak, each from its own start, over the duration of the source.

    >>> speech_overlap([(0.0, 1.0), (2.0, 3.0)], [(0.5, 2.5)], 4.0)
    0.25
    """
    source_s = _positive(source_s)
    ours, theirs = _merged(response), _merged(source)
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in ours for b in theirs) / source_s


def speaking_rate_spearman(count: Callable[[str], int]) -> Callable[[Sequence[Row]], float]:
    """Spearman's ρ between source and response in what `count` counts per second of speech, over all responses.

    A row is (response text, source text, response's speech regions, source's speech regions).
    """

    def of_rows(rows: Sequence[Row]) -> float:
        ours = [_rate(count, text, regions) for text, _, regions, _ in rows]
        theirs = [_rate(count, text, regions) for _, text, _, regions in rows]
        known = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
        if len(known) < _FEWEST:
            raise Undefined(reasons.FEW_RESPONSES(n=_FEWEST))
        columns = np.array(known)
        if (np.ptp(columns, axis=0) == 0).any():
            raise Undefined(reasons.ONE_RATE())
        return float(scipy.stats.spearmanr(columns[:, 0], columns[:, 1]).statistic)

    return of_rows


def n_words(text: str) -> int:
    return len(words(text))


def n_characters(text: str) -> int:
    return len(characters(text))


def n_syllables(text: str) -> int:
    """Groups of vowels, at least one per word: an estimate for languages in Latin script.

    Raises Undefined for other scripts.

    >>> n_syllables("The cat is sleeping"), n_syllables("Überraschung")
    (5, 4)
    """
    folded = unicodedata.normalize("NFD", normalized(text))
    if any(sign.isalpha() and "LATIN" not in unicodedata.name(sign, "") for sign in folded):
        raise Undefined(reasons.NOT_LATIN())
    plain = "".join(sign for sign in folded if not unicodedata.combining(sign))
    return sum(max(1, len(re.findall(r"[aeiouy]+", word))) for word in plain.split())


def speech_seconds(regions: Regions) -> float:
    """The length of all regions together, where they overlap only once."""
    return sum(end - start for start, end in _merged(regions))


def _rate(count: Callable[[str], int], text: str, regions: Regions) -> float | None:
    seconds = speech_seconds(regions)
    return count(text) / seconds if seconds > 0 and text.strip() else None


def _merged(regions: Regions) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted((float(start), float(end)) for start, end in regions):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif end > start:
            merged.append((start, end))
    return merged


def _positive(seconds: float) -> float:
    if seconds <= 0:
        raise Undefined(reasons.SOURCE_NO_DURATION())
    return seconds
