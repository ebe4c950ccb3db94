"""Opinion scores of one clip: likeness to a reference, quality, and quality in three parts."""

from protocols.declared import Aspect, Example
from protocols.protocol import Protocol
from protocols.scales.named import ACR, QUALITY_100, SIMILARITY, rating

NO_VOICE = "If no human voice is heard, the score is 1."
#: By feature: title, what it is, when it is missing (global token perplexity paper, App. A.2.2).
FEATURES = {
    "speaker": ("Speaker", "who is speaking", NO_VOICE),
    "gender": ("Gender", "whether the voice sounds like a woman's or a man's", NO_VOICE),
    "sentiment": ("Sentiment", "the feeling in the voice", NO_VOICE),
    "background": ("Background", "the sounds behind the speech", "If there is nothing but speech, the score is 1."),
    "room": ("Room", "the room it was recorded in: its echo and its size", "If the clip is silent, the score is 1."),
}
SIGNAL = rating(
    "p835_signal",
    "Very distorted",
    "Fairly distorted",
    "Somewhat distorted",
    "Slightly distorted",
    "Not distorted",
)
BACKGROUND = rating(
    "p835_background",
    "Very intrusive",
    "Somewhat intrusive",
    "Noticeable but not intrusive",
    "Slightly noticeable",
    "Not noticeable",
)


def mos(feature: str) -> Protocol:
    """Mean opinion score of one feature: how far the clip keeps that of the reference."""
    title, meaning, missing = FEATURES[feature]
    return Protocol(
        name=f"mos_{feature}",
        version="1",
        title=f"{title} kept (MOS)",
        source="On the fallacy of global token perplexity, App. A.2.2",
        unit="single",
        prompt_title="Reference",
        instructions=(
            f"Listen to the reference, then to the clip that continues it. Compare only {meaning}. Words, length and "
            "everything else may differ freely."
        ),
        aspects=(
            Aspect(
                name=feature,
                title=title,
                question="How close is the clip to the reference in this?",
                guidance=f"This means {meaning}. {missing}",
                scale=SIMILARITY,
            ),
        ),
        examples=(
            Example(
                heard="The clip is the reference itself, played once more.",
                answers={feature: "5"},
                why="Two identical clips share every feature.",
            ),
            Example(
                heard="The clip is silent from beginning to end.",
                answers={feature: "1"},
                why="What cannot be heard cannot have been kept.",
            ),
        ),
    )


QUALITY = Protocol(
    name="acr",
    version="1",
    title="Quality (ACR)",
    source="ITU-T P.800 Annex B",
    unit="single",
    instructions="Listen to the clip once, then rate how it sounds. Do not rate what it says.",
    aspects=(Aspect(name="overall", title="Quality", question="How good is the quality of this speech?", scale=ACR),),
)

THREE_PARTS = Protocol(
    name="p835",
    version="1",
    title="Speech, background, overall (P.835)",
    source="ITU-T P.835",
    unit="single",
    instructions=(
        "You rate the same clip three times, and each time you listen for something else: first the voice, then "
        "what is behind it, then everything together. Play it again before each rating."
    ),
    aspects=(
        Aspect(
            name="signal",
            title="Speech (SIG)",
            question="Listen to the voice alone. How distorted is it?",
            guidance="Pass over the background, however loud it is.",
            scale=SIGNAL,
        ),
        Aspect(
            name="background",
            title="Background (BAK)",
            question="Listen to the background alone. How much does it intrude?",
            guidance="Pass over the voice, however distorted it is.",
            scale=BACKGROUND,
            after=("signal",),
        ),
        Aspect(
            name="overall",
            title="Overall (OVRL)",
            question="Listen to all of it. How good is the quality, as in a phone call of your own?",
            scale=ACR,
            after=("signal", "background"),
        ),
    ),
    examples=(
        Example(
            heard="A clear, natural voice in front of loud traffic.",
            answers={"signal": "5", "background": "1", "overall": "3"},
            why="The voice is untouched, the traffic is hard to bear, and the whole lies in between.",
        ),
    ),
)

SIDE_BY_SIDE = Protocol(
    name="multi_stimulus",
    version="1",
    title="Quality side by side (0 to 100)",
    source="ITU-R BS.1534 (MUSHRA), without its hidden reference and anchors",
    unit="item",
    prompt_title="Reference",
    playback="synchronised",
    instructions=(
        "Listen to the reference if there is one, then to every response. Rate how each one sounds, not what it "
        "says, and use the whole line. Switch between them as often as you like before you decide."
    ),
    aspects=(
        Aspect(
            name="overall",
            title="Quality",
            question="How good is the quality of this response?",
            guidance="Responses that sound alike get the same number.",
            scale=QUALITY_100,
            per_response=True,
        ),
    ),
)

PROTOCOLS = (*(mos(feature) for feature in FEATURES), QUALITY, THREE_PARTS, SIDE_BY_SIDE)
