"""HCoT: dimensions first, then overall, with typed ties (TRACE/HCoT §3.2 and Appendix B)."""

from collections.abc import Mapping

from protocols.declared import Aspect, Elicitation, Example
from protocols.protocol import Protocol
from protocols.scales.named import TYPED_TIE

DIMENSIONS = ("content", "voice_quality", "paralinguistics")

INSTRUCTIONS = (
    "Listen to the prompt, then to both responses. Judge the three dimensions one by one, each on its own: a "
    "response may say the right thing in a poor voice. Only then give your overall judgement. Call one response "
    "better only where the difference is plain; where it is a matter of detail, choose “both good” or “both bad”. "
    "Length is not a merit, and it means nothing which response you heard first."
)

#: What one hears, the answer to every aspect, and why.
WORKED = (
    (
        "Somebody asks for a limerick, told with relish. 1 tells a good one in a dull voice; 2 acts out a poor one.",
        {"content": "1", "voice_quality": "both_good", "paralinguistics": "2", "overall": "1"},
        "The better limerick is in 1, the relish only in 2, and both voices are clean. The poem was the point, so 1 "
        "wins overall; the dull voice is already counted under paralinguistics.",
    ),
    (
        "Somebody asks, in tears, what to do tonight. Both list the same good ideas, both as brightly as an advert.",
        {"content": "both_good", "voice_quality": "both_good", "paralinguistics": "both_bad", "overall": "both_bad"},
        "Right words in clean voices, and a tone that hurts. With a prompt like this, the tone decides.",
    ),
)
#: The same labels in steps: whether 1 is acceptable, whether 2 is, and if both are, which is better.
IN_STEPS = {
    "1": ("yes", "yes", "1"),
    "2": ("yes", "yes", "2"),
    "both_good": ("yes", "yes", "both_good"),
    "both_bad": ("no", "no", ""),
}


def examples(elicitation: Elicitation) -> tuple[Example, ...]:
    """The worked examples, as they are answered in this elicitation."""
    if elicitation == "direct":
        return tuple(Example(heard, answers, why) for heard, answers, why in WORKED)
    return tuple(Example(heard, _in_steps(answers), why) for heard, answers, why in WORKED)


def _in_steps(answers: Mapping[str, str]) -> dict[str, str]:
    steps: dict[str, str] = {}
    for aspect, label in answers.items():
        names = (f"{aspect}.acceptable_1", f"{aspect}.acceptable_2", f"{aspect}.better")
        steps |= {name: value for name, value in zip(names, IN_STEPS[label], strict=True) if value}
    return steps


def hcot(*, elicitation: Elicitation) -> Protocol:
    """The protocol with four buttons per aspect (`direct`) or in the paper's five steps (`guided`)."""
    return Protocol(
        name="hcot" if elicitation == "direct" else "hcot_guided",
        version="1",
        title="Dimension first (HCoT)" if elicitation == "direct" else "Dimension first, step by step (HCoT)",
        source="TRACE/HCoT §3.2",
        instructions=INSTRUCTIONS,
        elicitation=elicitation,
        examples=examples(elicitation),
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
