"""Two systems compared on one named capability, with a written reason (MTalk-Bench §5.1 and App. C.1.1)."""

from protocols.declared import Aspect, Example, Listening, Scale
from protocols.protocol import Protocol
from protocols.scales.named import FORCED_CHOICE, TEXT, TYPED_TIE

INSTRUCTIONS = (
    "You hear the same person speak to two systems, in one turn or in several. Where an ability is named above them, "
    "judge that ability alone, over all turns, and let everything else pass. Then say in your own words "
    "what made the difference. Length is not a merit, and it means nothing which response you heard first."
)


def arena(name: str, title: str, scale: Scale, guidance: str, *, version: str) -> Protocol:
    return Protocol(
        name=name,
        version=version,
        title=title,
        source="MTalk-Bench §5.1 and App. C.1.1",
        instructions=INSTRUCTIONS,
        listening=Listening("seconds", 3.0),
        shows=("dimension", "capability"),
        aspects=(
            Aspect(
                name="overall",
                title="Better",
                question="Which system does better?",
                guidance=f"Where an ability is named above, judge that one alone. {guidance}",
                scale=scale,
            ),
            Aspect(
                name="reason",
                title="Reason",
                question="What made the difference?",
                guidance="One or two sentences about what you heard: which turn, which words, which tone.",
                scale=TEXT,
                after=("overall",),
            ),
        ),
        examples=(
            Example(
                heard="Emotion detection. The caller sighs: “Fine.” 1 carries on brightly; 2 asks what is wrong.",
                answers={"overall": "2", "reason": "2 heard the sigh and asked about it; 1 took “fine” at its word."},
                why="The round is about hearing feelings. 1 may be the livelier talker, but that is not asked here.",
            ),
        ),
    )


PROTOCOLS = (
    arena("arena", "Arena", FORCED_CHOICE, "Choose one; if they are close, the one you lean to.", version="2"),
    arena(
        "arena_typed_ties",
        "Arena with ties",
        TYPED_TIE,
        "Where neither stands out, say whether both are good or neither is.",
        version="3",
    ),
)
