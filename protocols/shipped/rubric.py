"""Yes/no criteria on three levels, for one response at a time (MTalk-Bench §5.2 and App. C.2.2)."""

from protocols.declared import Aspect, Example
from protocols.protocol import Protocol
from protocols.scales.named import YES_NO

INSTRUCTIONS = (
    "Listen to the whole conversation and check the response against each criterion, one at a time. Say yes only "
    "where you heard it happen; do not guess what the system may have meant. A long response is no better than a "
    "short one. Criteria that make no sense after an earlier no are skipped."
)
HEARD = {"intelligible": "yes"}
SEMANTIC, PARALINGUISTIC, AMBIENT = (
    {"dimension": dimension} for dimension in ("semantic", "paralinguistic", "ambient")
)

GENERAL = (
    Aspect(
        name="intelligible",
        title="Speech",
        question="Is there speech, and can you make out what it says?",
        guidance="Say no to silence, noise, or speech that nobody could follow.",
        scale=YES_NO,
        group="General",
    ),
    Aspect(
        name="on_topic",
        title="On topic",
        question="Does it take up what the person said last?",
        scale=YES_NO,
        group="General",
        only_if=HEARD,
    ),
    Aspect(
        name="well_formed",
        title="Well formed",
        question="Are the sentences correct and easy to follow?",
        scale=YES_NO,
        group="General",
        only_if=HEARD,
    ),
)
MEANING = (
    Aspect(
        name="remembers",
        title="Remembers",
        question="Does it use what was said in earlier turns, and use it correctly?",
        scale=YES_NO,
        group="Meaning",
        only_if=HEARD,
        only_for=SEMANTIC,
    ),
    Aspect(
        name="consistent",
        title="Consistent",
        question="Does it keep to one understanding throughout, without contradicting itself or drifting off?",
        scale=YES_NO,
        group="Meaning",
        only_if=HEARD,
        only_for=SEMANTIC,
    ),
)
MANNER = (
    Aspect(
        name="hears_manner",
        title="Hears the manner",
        question="Does it notice how the person speaks: feeling, emphasis, pace, hesitation?",
        scale=YES_NO,
        group="Way of speaking",
        only_if=HEARD,
        only_for=PARALINGUISTIC,
    ),
    Aspect(
        name="fits_manner",
        title="Responds to it",
        question="Does its own voice or wording change to suit what it noticed?",
        scale=YES_NO,
        group="Way of speaking",
        only_if={**HEARD, "hears_manner": "yes"},
        only_for=PARALINGUISTIC,
    ),
)
SURROUNDINGS = (
    Aspect(
        name="hears_surroundings",
        title="Hears the place",
        question="Does it take account of the sounds or the other voices around the person, all the way through?",
        scale=YES_NO,
        group="Surroundings",
        only_if=HEARD,
        only_for=AMBIENT,
    ),
    Aspect(
        name="withstands_noise",
        title="Withstands noise",
        question="Does it stay sensible, however loud it is around the person?",
        scale=YES_NO,
        group="Surroundings",
        only_if=HEARD,
        only_for=AMBIENT,
    ),
)

RUBRIC = Protocol(
    name="rubric",
    version="1",
    title="Rubric",
    source="MTalk-Bench §5.2 and App. C.2.2",
    unit="single",
    instructions=INSTRUCTIONS,
    aspects=(*GENERAL, *MEANING, *MANNER, *SURROUNDINGS),
    shows=("dimension", "capability"),
    item_criteria=True,
    criteria_only_if=HEARD,
    examples=(
        Example(
            heard="The response is a second of crackling, then silence.",
            answers={"intelligible": "no"},
            why="Nothing was said, so nothing else can be checked.",
        ),
        Example(
            heard="“My sister cannot eat nuts.” Two turns later it suggests a walnut cake, in fine sentences.",
            answers={
                "intelligible": "yes",
                "on_topic": "yes",
                "well_formed": "yes",
                "remembers": "no",
                "consistent": "yes",
            },
            why="It answers the question about cake, but the nuts were forgotten. That is one no, and not two.",
        ),
    ),
)

PROTOCOLS = (RUBRIC,)
