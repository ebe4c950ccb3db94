"""What an overall label hangs on when it is fused from dimensions: the probes P1, P2 and P3 of TRACE/HCoT §4.2."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stats import reasons
from stats.proportions import proportion
from stats.results import Estimate

#: From the labels of content, voice quality and paralinguistics to the overall label, None where it has none.
Fusion = Callable[[str, str, str], str | None]
Triple = tuple[str, str, str]

DIMENSIONS = ("content", "voice_quality", "paralinguistics")
_WINNERS = {"1", "2", "a", "b"}
_GOOD, _BAD = "both_good", "both_bad"


@dataclass(frozen=True)
class Resolution:
    """What resolved pairs whose content was made equal: their share of all, and how often the outcome was right."""

    share: Estimate
    right: Estimate


@dataclass(frozen=True)
class WinnerSlices:
    """P3: fabricated winners where both were bad, and right winners where there was one."""

    winner_on_bad: Estimate
    winner_slice: Estimate


def counterfactual(
    dimensions: Sequence[Triple], overall: Sequence[str], fusion: Fusion, *, level: float = 0.95
) -> dict[str, Resolution]:
    """P1: set content to both_good, fuse again, and say what resolves the tie (TRACE/HCoT §4.2, App. F).

    Keys are `paralinguistics` where it names a winner, else `voice_quality` where that does, else `tie`; and before
    all of them `capped_both_bad`, where the fusion calls both bad all the same.

    >>> found = counterfactual([("1", "2", "both_good")], ["2"], lambda c, v, p: v)
    >>> found["voice_quality"].right.estimate
    1.0
    """
    seen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for ((_, voice, manner), label), times in Counter(zip(dimensions, overall, strict=True)).items():
        outcome = fusion(_GOOD, voice, manner)
        resolver = _resolver(outcome, voice, manner)
        seen[resolver] += times
        right[resolver] += times * (outcome == label)
    n = len(dimensions)
    return {
        resolver: Resolution(
            proportion(
                seen[resolver], n, method=f"P1, resolved by {resolver}", level=level, reason=reasons.NO_PAIRS()
            ),
            proportion(
                right[resolver],
                seen[resolver],
                method=f"P1, {resolver} right",
                level=level,
                reason=reasons.RESOLVED_NONE(),
            ),
        )
        for resolver in ("capped_both_bad", "paralinguistics", "voice_quality", "tie")
    }


def flip_rates(dimensions: Sequence[Triple], fusion: Fusion, *, level: float = 0.95) -> dict[str, Estimate]:
    """P2: how often the fused label changes when one dimension is set to both_good (TRACE/HCoT §4.2, App. F).

    >>> flip_rates([("1", "2", "both_good"), ("both_good", "2", "2")], lambda c, v, p: c)["content"].estimate
    0.5
    """
    flips: Counter[str] = Counter()
    for triple, times in Counter(dimensions).items():
        fused = fusion(*triple)
        for place, name in enumerate(DIMENSIONS):
            content, voice, manner = (_GOOD if at == place else label for at, label in enumerate(triple))
            flips[name] += times * (fusion(content, voice, manner) != fused)
    n = len(dimensions)
    return {
        name: proportion(flips[name], n, method=f"P2, {name} flipped", level=level, reason=reasons.NO_PAIRS())
        for name in DIMENSIONS
    }


def winner_slices(predicted: Sequence[str | None], overall: Sequence[str], *, level: float = 0.95) -> WinnerSlices:
    """P3: how often a winner was named where both were bad, and how often the right one where there was one.

    A missing prediction names no winner, and is not the right one (TRACE/HCoT §4.2).

    >>> found = winner_slices(["1", "2", None], ["both_bad", "2", "1"])
    >>> found.winner_on_bad.estimate, found.winner_slice.estimate
    (1.0, 0.5)
    """
    pairs = list(zip(predicted, overall, strict=True))
    on_bad = [said for said, label in pairs if label == _BAD]
    decided = [said == label for said, label in pairs if label in _WINNERS]
    return WinnerSlices(
        proportion(
            sum(said in _WINNERS for said in on_bad),
            len(on_bad),
            method="P3, winner on bad",
            level=level,
            reason=reasons.NO_PAIR_BOTH_BAD(),
        ),
        proportion(
            sum(decided), len(decided), method="P3, winner slice", level=level, reason=reasons.NO_PAIR_WITH_WINNER()
        ),
    )


def _resolver(outcome: str | None, voice: str, manner: str) -> str:
    if outcome == _BAD:
        return "capped_both_bad"
    if manner in _WINNERS:
        return "paralinguistics"
    return "voice_quality" if voice in _WINNERS else "tie"
