"""What two clips have in common, attribute by attribute (AudioJudge §4 and App. A.1)."""

from protocols.declared import Aspect, Example
from protocols.protocol import Protocol
from protocols.scales.named import WHICH_OR_SAME, YES_NO

ATTRIBUTES = Protocol(
    name="attributes",
    version="1",
    title="Attributes of two clips",
    source="AudioJudge §4 and App. A.1",
    instructions=(
        "Listen to both clips as often as you like. Each question is about one property of the sound: answer it for "
        "that property alone. If there is a prompt, it is only there for context."
    ),
    aspects=(
        Aspect(
            name="same_speaker",
            title="Speaker",
            question="Is it the same person in both?",
            guidance="Go by the voice: its pitch, colour and habits. Mood, pace and words may differ.",
            scale=YES_NO,
        ),
        Aspect(
            name="same_pronunciation",
            title="Pronunciation",
            question="Is the word pronounced in the same way in both?",
            guidance="Sounds, syllables and stress count. An accent alone makes no difference.",
            scale=YES_NO,
        ),
        Aspect(
            name="faster",
            title="Speed",
            question="Which one speaks faster?",
            guidance="Go by the pace of the speech, not by the length of the clip.",
            scale=WHICH_OR_SAME,
        ),
        Aspect(
            name="clearer",
            title="Clarity",
            question="Which one is clearer?",
            guidance="Easy to understand, natural, and free from noise and distortion.",
            scale=WHICH_OR_SAME,
        ),
    ),
    examples=(
        Example(
            heard="A man says “schedule” with “sk”; then the same man, calmly and on a bad line, with “sh”.",
            answers={"same_speaker": "yes", "same_pronunciation": "no", "faster": "1", "clearer": "1"},
            why="The voice is one, the first sound of the word is not. 2 is slower, and the line blurs it.",
        ),
    ),
)

PROTOCOLS = (ATTRIBUTES,)
