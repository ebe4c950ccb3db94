"""The scales that the shipped protocols use, and that a protocol written by hand may name."""

from protocols.declared import Scale
from protocols.kinds.kind import Option


def rating(name: str, *labels: str, anchors: tuple[str, ...] = ()) -> Scale:
    """A scale of numbers from 1 upwards, best last, each with its label and, where given, its anchor.

    >>> [option.value for option in rating("acr", "Bad", "Poor", "Fair", "Good", "Excellent").options]
    ['1', '2', '3', '4', '5']
    """
    if anchors and len(anchors) != len(labels):
        raise ValueError(f"scale {name!r} has {len(labels)} points but {len(anchors)} anchors")
    options = (Option(str(n), label, anchors[n - 1] if anchors else "") for n, label in enumerate(labels, start=1))
    return Scale(name, tuple(options), measure="ordinal")


#: A tie says whether both responses are good or both are bad (TRACE/HCoT §3.2).
TYPED_TIE = Scale(
    "typed_tie",
    (
        Option("1", "1 is better"),
        Option("2", "2 is better"),
        Option("both_good", "Both good"),
        Option("both_bad", "Both bad"),
    ),
    frame="response",
    measure="typed_tie",
)
#: SpeakBench's ties: neither is better, whether good or bad (AudioJudge App. A.1).
UNTYPED_TIE = Scale(
    "untyped_tie",
    (Option("1", "1 is better"), Option("2", "2 is better"), Option("tie", "No difference")),
    frame="response",
)
#: S2S-Arena's labels: one must be better.
FORCED_CHOICE = Scale("forced_choice", (Option("1", "1 is better"), Option("2", "2 is better")), frame="response")
#: Which of two has more of something, where they may be alike (AudioJudge §4).
WHICH_OR_SAME = Scale(
    "which_or_same", (Option("1", "1"), Option("2", "2"), Option("same", "About the same")), frame="response"
)
#: Comparison Category Rating, the quality of 2 against that of 1 (ITU-T P.800 Annex E).
CCR = Scale(
    "ccr",
    (
        Option("3", "2 is much better"),
        Option("2", "2 is better"),
        Option("1", "2 is slightly better"),
        Option("0", "About the same"),
        Option("-1", "2 is slightly worse"),
        Option("-2", "2 is worse"),
        Option("-3", "2 is much worse"),
    ),
    frame="signed",
    measure="interval",
)
#: Absolute Category Rating (ITU-T P.800 Annex B).
ACR = rating("acr", "Bad", "Poor", "Fair", "Good", "Excellent")
#: How much two clips have one feature in common (global token perplexity paper, App. A.2.2).
SIMILARITY = rating(
    "similarity",
    "Different",
    "Mostly different",
    "Partly alike",
    "Nearly the same",
    "The same",
    anchors=(
        "Nothing in common here, or the feature cannot be heard at all.",
        "Plainly different, with only a little in common.",
        "You can tell them apart, yet most of it is still alike.",
        "A difference shows in small places, and only if you listen hard.",
        "You could not tell them apart by this.",
    ),
)
#: A slider with the words of ITU-R BS.1534 (MUSHRA) along it.
QUALITY_100 = Scale(
    "quality_100",
    (
        Option("0", "Bad"),
        Option("25", "Poor"),
        Option("50", "Fair"),
        Option("75", "Good"),
        Option("100", "Excellent"),
    ),
    measure="slider",
)
YES_NO = Scale("yes_no", (Option("yes", "Yes"), Option("no", "No")))
NO_MAYBE_YES = Scale(
    "no_maybe_yes", (Option("no", "No"), Option("maybe", "Maybe"), Option("yes", "Yes")), measure="ordinal"
)
#: Any response of the unit, by its place.
WHICH_RESPONSE = Scale("which_response", frame="response")
TEXT = Scale("text", measure="text")

BY_NAME = {
    scale.name: scale
    for scale in (
        TYPED_TIE,
        UNTYPED_TIE,
        FORCED_CHOICE,
        WHICH_OR_SAME,
        CCR,
        ACR,
        SIMILARITY,
        QUALITY_100,
        YES_NO,
        NO_MAYBE_YES,
        WHICH_RESPONSE,
        TEXT,
    )
}
