"""From content, voice quality and paralinguistics to one overall label: the stated policies (TRACE/HCoT App. E).

Labels are typed ties. Policies only ask whether labels are ties and whether they are the same, so they fuse answers
in the frame of the screen (`1`, `2`) as well as stored ones (`a`, `b`), and turning the order turns the result.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from protocols.protocol import Protocol

BOTH_GOOD, BOTH_BAD = "both_good", "both_bad"
TIES = (BOTH_GOOD, BOTH_BAD)
#: The dimensions that are fused, in the order in which policies take them, and what comes out (TRACE/HCoT §3.2).
FUSED = ("content", "voice_quality", "paralinguistics")
OVERALL = "overall"
FRAMES = ({"1", "2", *TIES}, {"a", "b", *TIES})
Rule = Callable[[str, str, str], str | None]


@dataclass(frozen=True)
class Policy:
    """A rule under its name. `always_decides` is false where some labels have no overall label under it."""

    name: str
    title: str
    rule: Rule
    source: str
    always_decides: bool = True


def fuse(policy: str, *, content: str, voice_quality: str, paralinguistics: str) -> str | None:
    """The overall label, or None where the policy is undefined. Raises ValueError where a label is no typed tie.

    >>> fuse("speakbench", content="both_good", voice_quality="1", paralinguistics="2")
    '2'
    >>> fuse("s2s_arena", content="1", voice_quality="1", paralinguistics="2")
    'both_bad'
    """
    labels = content, voice_quality, paralinguistics
    if not any(frame.issuperset(labels) for frame in FRAMES):
        raise ValueError(f"typed ties of one frame are fused, and not {labels}")
    return POLICIES[policy].rule(*labels)


def is_fusible(protocol: Protocol) -> bool:
    """Whether the protocol asks for the dimensions and the overall label as typed ties, and for nothing else."""
    asked = {aspect.name: aspect.scale.kind.distance for aspect in protocol.aspects}
    always = all(it.required and not it.only_if and not it.unlike for it in protocol.aspects)
    return always and asked == dict.fromkeys((*FUSED, OVERALL), "typed_tie")


def rating_min(one: str, other: str) -> str:
    """The worse of two labels, response by response (TRACE/HCoT App. E.2, Algorithm 3).

    A label says of each response whether it is acceptable; acceptable is what both labels call so. Hence different
    winners leave none.

    >>> rating_min("1", "both_good"), rating_min("1", "2")
    ('1', 'both_bad')
    """
    if one in (other, BOTH_GOOD):
        return other
    return one if other == BOTH_GOOD else BOTH_BAD


def speakbench(content: str, voice_quality: str, paralinguistics: str) -> str:
    """Content decides; its ties are broken by paralinguistics, then by voice quality (App. E.1, Algorithm 1)."""
    return _first_winner(content, paralinguistics, voice_quality) or content


def speakbench_dominant(content: str, voice_quality: str, paralinguistics: str) -> str:
    """As `speakbench`, but nothing redeems bad content said badly (the released code; it is not in the paper)."""
    if content == paralinguistics == BOTH_BAD:
        return BOTH_BAD
    return speakbench(content, voice_quality, paralinguistics)


def s2s_arena(content: str, voice_quality: str, paralinguistics: str) -> str:
    """Nothing is better than content and paralinguistics allow (App. E.2, Algorithm 2)."""
    decided = _first_winner(content, paralinguistics, voice_quality) or content
    return rating_min(decided, rating_min(content, paralinguistics))


def s2s_arena_lenient(content: str, voice_quality: str, paralinguistics: str) -> str:
    """A winner stands wherever neither content nor paralinguistics is bad on both sides (App. F, and Table 10)."""
    if BOTH_BAD in (content, paralinguistics):
        return BOTH_BAD
    return speakbench(content, voice_quality, paralinguistics)


def majority(content: str, voice_quality: str, paralinguistics: str) -> str | None:
    """The label that two of three have; undefined where all three differ (App. E.3, after AudioJudge)."""
    return more_than_half((content, voice_quality, paralinguistics))


def more_than_half(labels: Collection[str]) -> str | None:
    """What more than half of the labels say, of however many.

    >>> more_than_half(["1", "1", "tie"]), more_than_half(["1", "2", "tie"]), more_than_half(["1", "2"])
    ('1', None, None)
    """
    return next((label for label, n in Counter(labels).items() if 2 * n > len(labels)), None)


def numeric_mean(content: str, voice_quality: str, paralinguistics: str) -> str:
    """The mean of +1 for one response, -1 for the other, 0 for ties; at a mean of zero the tie that is named more.

    AudioJudge's ensemble over SpeakBench was computed so (Table 8), where ties had no types.
    """
    labels = content, voice_quality, paralinguistics
    winners = [label for label in labels if label not in TIES]
    for winner in winners:
        if 2 * winners.count(winner) > len(winners):
            return winner
    return BOTH_GOOD if labels.count(BOTH_GOOD) > labels.count(BOTH_BAD) else BOTH_BAD


def _majority_or(fallback: Callable[[str, str, str], str]) -> Rule:
    def rule(content: str, voice_quality: str, paralinguistics: str) -> str:
        labels = content, voice_quality, paralinguistics
        return majority(*labels) or fallback(*labels)

    return rule


def _first_winner(*labels: str) -> str | None:
    return next((label for label in labels if label not in TIES), None)


_ALL = (
    Policy("speakbench", "SpeakBench (content first)", speakbench, "TRACE/HCoT App. E.1, Algorithm 1"),
    Policy(
        "speakbench_dominant",
        "SpeakBench, bad content said badly stays bad",
        speakbench_dominant,
        "the code released with TRACE/HCoT",
    ),
    Policy("s2s_arena", "S2S-Arena (acceptability cap)", s2s_arena, "TRACE/HCoT App. E.2, Algorithms 2 and 3"),
    Policy("s2s_arena_lenient", "S2S-Arena, lenient cap", s2s_arena_lenient, "TRACE/HCoT App. F and Table 10"),
    Policy("majority", "Majority, else none", majority, "TRACE/HCoT App. E.3", always_decides=False),
    Policy(
        "majority_content",
        "Majority, else content",
        _majority_or(lambda content, _voice_quality, _paralinguistics: content),
        "TRACE/HCoT App. E.3; the fallback is ours",
    ),
    Policy(
        "majority_both_bad",
        "Majority, else both bad",
        _majority_or(lambda *_labels: BOTH_BAD),
        "TRACE/HCoT App. E.3; the fallback is ours",
    ),
    Policy(
        "majority_numeric_mean",
        "Majority, else the mean",
        _majority_or(numeric_mean),
        "TRACE/HCoT App. E.3; the fallback is ours",
    ),
    Policy("numeric_mean", "Mean of the labels as numbers", numeric_mean, "AudioJudge, Table 8; typed ties are ours"),
)
POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in _ALL}
"""By name."""
