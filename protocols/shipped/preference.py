"""One overall choice between two responses, with four kinds of labels (TRACE/HCoT §3.1 and §4.1; ITU-T P.800)."""

from protocols.declared import Aspect, Example
from protocols.protocol import Protocol
from protocols.scales.named import CCR, FORCED_CHOICE, TYPED_TIE, UNTYPED_TIE

LISTEN = (
    "Listen to the prompt, then to both responses. Length is not a merit, and it means nothing which response you "
    "heard first. "
)

BLIND_OVERALL = Protocol(
    name="blind_overall",
    version="1",
    title="Overall only",
    source="TRACE/HCoT §4.1, first pass",
    instructions=LISTEN
    + "Then follow your own impression: nobody tells you what to listen for. Where neither response stands out, say "
    "whether both are good or both are bad.",
    aspects=(
        Aspect(
            name="overall",
            title="Overall",
            question="Which response would you rather have had?",
            guidance="Think of yourself as the one who asked.",
            scale=TYPED_TIE,
        ),
    ),
    examples=(
        Example(
            heard="Somebody asks for a cheerful birthday greeting. 1 sings it with joy; 2 reads the words flatly.",
            answers={"overall": "1"},
            why="Both say the right thing, but only 1 is the greeting that was asked for.",
        ),
        Example(
            heard="Somebody asks for a whispered bedtime story. 1 breaks off after a word, 2 shouts the news.",
            answers={"overall": "both_bad"},
            why="You would not have wanted either, so neither wins.",
        ),
    ),
)

UNTYPED = Protocol(
    name="untyped_tie",
    version="1",
    title="Better, or no difference",
    source="SpeakBench, in AudioJudge App. A and TRACE/HCoT §3.1",
    instructions=LISTEN
    + "Weigh what is said and how it is said. A response that talks about a tone of voice without using it has not "
    "done what was asked. Choose “No difference” only where you really cannot name a better one.",
    aspects=(
        Aspect(
            name="overall",
            title="Overall",
            question="Which response follows the request better?",
            scale=UNTYPED_TIE,
        ),
    ),
)

FORCED = Protocol(
    name="forced_choice",
    version="1",
    title="Better of two",
    source="S2S-Arena, in TRACE/HCoT §3.1",
    instructions=LISTEN + "Then choose one. If you are torn, choose the one you lean to.",
    aspects=(
        Aspect(
            name="overall",
            title="Overall",
            question="Which response is better?",
            guidance="There is always a choice to make, even between two good or two poor responses.",
            scale=FORCED_CHOICE,
        ),
    ),
)

COMPARISON = Protocol(
    name="ccr",
    version="1",
    title="Comparison rating (CCR)",
    source="ITU-T P.800 Annex E",
    playback="synchronised",
    instructions="Listen to 1, then to 2. Judge how 2 sounds next to 1; the words do not matter.",
    aspects=(
        Aspect(
            name="overall",
            title="Quality",
            question="How does 2 sound, compared with 1?",
            guidance="Zero means that you hear no difference in quality.",
            scale=CCR,
        ),
    ),
    examples=(
        Example(
            heard="The same sentence twice. 1 is clean; 2 has a faint hiss that you notice only in the pauses.",
            answers={"overall": "-1"},
            why="2 sounds worse, but only slightly.",
        ),
    ),
)

PROTOCOLS = (BLIND_OVERALL, UNTYPED, FORCED, COMPARISON)
