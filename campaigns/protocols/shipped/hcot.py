"""HCoT: dimensions first, then overall, with typed ties (TRACE/HCoT §3.2 and Appendix B)."""

from campaigns.protocols.protocol import Aspect, Elicitation, Protocol
from campaigns.protocols.scales import TYPED_TIE

DIMENSIONS = ("content", "voice_quality", "paralinguistics")

INSTRUCTIONS = (
    "Listen to the prompt, then to both responses. Judge the three dimensions one by one, each on its own: a "
    "response may say the right thing in a poor voice. Only then give your overall judgement. Call one response "
    "better only where the difference is plain; where it is a matter of detail, choose “both good” or “both bad”. "
    "Length is not a merit, and it means nothing which response you heard first."
)


def hcot(*, elicitation: Elicitation) -> Protocol:
    """The protocol with four buttons per aspect (`direct`) or in the paper's five steps (`guided`)."""
    return Protocol(
        name="hcot" if elicitation == "direct" else "hcot_guided",
        version="1",
        title="Dimension first (HCoT)" if elicitation == "direct" else "Dimension first, step by step (HCoT)",
        source="TRACE/HCoT §3.2",
        instructions=INSTRUCTIONS,
        elicitation=elicitation,
        aspects=(
            Aspect(
                name="content",
                title="Content",
                question="Which response does what was asked?",
                guidance="Is it correct, complete and to the point? Judge the words alone.",
                scale=TYPED_TIE,
            ),
            Aspect(
                name="voice_quality",
                title="Voice quality",
                question="Which voice sounds better?",
                guidance="Natural and clear, without mispronunciations, noise, pops, echo or distortion.",
                scale=TYPED_TIE,
            ),
            Aspect(
                name="paralinguistics",
                title="Paralinguistics",
                question="Whose way of speaking fits?",
                guidance="Tone, emotion, pace, emphasis and style: what was asked for, or what the moment calls for.",
                scale=TYPED_TIE,
            ),
            Aspect(
                name="overall",
                title="Overall",
                question="All in all, which response would you rather have had?",
                guidance="Weigh the three dimensions as the prompt demands.",
                scale=TYPED_TIE,
                after=DIMENSIONS,
            ),
        ),
    )


PROTOCOLS = (hcot(elicitation="direct"), hcot(elicitation="guided"))
