"""The questionnaires on speech translation: dubbing, podcasts, medical conversations (COMPASS App. F.2)."""

from protocols.declared import Aspect, Example, Scale
from protocols.protocol import Protocol
from protocols.scales import translation as anchored
from protocols.scales.named import NO_MAYBE_YES, WHICH_RESPONSE, YES_NO

SOURCE = "COMPASS App. F.2"
LISTEN = (
    "Listen to the source, then to every translation of it. Rate each translation on its own, question by question; "
    "the description of each point tells you where it belongs. At the end, choose the best and the second best. "
    "It means nothing in which order you heard them. "
)


def of_each(name: str, title: str, question: str, scale: Scale, guidance: str = "") -> Aspect:
    """A question that is put about every translation of the item."""
    return Aspect(name=name, title=title, question=question, scale=scale, guidance=guidance, per_response=True)


def with_ranking(*asked: Aspect) -> tuple[Aspect, ...]:
    """The questions about each, and then the two best, which are chosen last."""
    names = tuple(aspect.name for aspect in asked)
    best = Aspect(
        name="best_system",
        title="Best",
        question="Which translation is the best one, all in all?",
        scale=WHICH_RESPONSE,
        after=names,
    )
    second = Aspect(
        name="second_best_system",
        title="Second best",
        question="And which comes second?",
        scale=WHICH_RESPONSE,
        after=(*names, best.name),
        unlike=best.name,
    )
    return (*asked, best, second)


ACCURACY = of_each(
    "translation_accuracy",
    "Accuracy",
    "Does it say what the source says, completely and correctly?",
    anchored.ACCURACY,
    "Only the meaning counts here, not the voice.",
)
VOICE_QUALITY = of_each(
    "voice_quality", "Voice and audio", "Is the voice natural and the sound clean?", anchored.VOICE_QUALITY
)
CONSISTENCY = of_each(
    "speaker_consistency",
    "One voice",
    "Does the voice stay the same from beginning to end?",
    anchored.CONSISTENCY,
    "Listen for jumps in tone, pitch and quality.",
)
EXPRESSIVENESS = of_each(
    "prosody",
    "Prosody",
    "Does it sound like somebody speaking: melody, rhythm, feeling?",
    anchored.EXPRESSIVENESS,
)
SIMILARITY = of_each(
    "speaker_similarity", "Same speaker", "Does it sound like the person in the source?", anchored.SPEAKER_SIMILARITY
)
OVERALL = of_each("overall", "Overall", "All in all, how good is it?", anchored.IMPRESSION)

DUBBING = Protocol(
    name="dubbing",
    version="1",
    title="Dubbing",
    source=SOURCE,
    unit="item",
    prompt_title="Source",
    instructions=LISTEN + "Where the scene comes with a picture, watch the lips and the timing too.",
    aspects=with_ranking(
        of_each("lip_sync", "Lips", "Do the words fit the movements of the mouth?", anchored.LIP_SYNC),
        VOICE_QUALITY,
        CONSISTENCY,
        of_each(
            "prosody_rhythm",
            "Prosody and rhythm",
            "Are melody, rhythm and pace those of real speech?",
            anchored.RHYTHM,
        ),
        of_each(
            "timing",
            "Timing",
            "Is it as long as the scene needs?",
            anchored.TIMING,
            "Awkward gaps and overlaps count against it.",
        ),
        SIMILARITY,
        of_each(
            "emotional_match", "Emotion", "Does it carry the feeling of the scene, as strongly?", anchored.EMOTION
        ),
        ACCURACY,
        OVERALL,
    ),
)

#: Table 10 of the paper calls the sixth one speaker similarity, on three points; the questionnaire is followed here.
PODCAST = Protocol(
    name="podcast",
    version="1",
    title="Podcast",
    source=SOURCE,
    unit="item",
    prompt_title="Source",
    instructions=LISTEN + "Think of a podcast that you have put on to listen to at leisure.",
    aspects=with_ranking(
        of_each(
            "naturalness", "Listening comfort", "How natural is it, and how pleasant to listen to?", anchored.COMFORT
        ),
        EXPRESSIVENESS,
        CONSISTENCY,
        of_each(
            "content_understanding",
            "Understanding",
            "Having heard it, could you follow what it was about?",
            anchored.UNDERSTANDING,
        ),
        ACCURACY,
        of_each(
            "continued_listening",
            "Listening on",
            "Would you listen to a whole episode like this, half an hour or more?",
            YES_NO,
        ),
        OVERALL,
    ),
)

MEDICAL = Protocol(
    name="medical",
    version="1",
    title="Medical conversation",
    source=SOURCE,
    unit="item",
    prompt_title="Source",
    instructions=LISTEN
    + "Think of a doctor and a patient who depend on the translation. Where a written translation is shown, use it "
    "to check the meaning.",
    shows=("reference_translation",),
    aspects=with_ranking(
        VOICE_QUALITY,
        EXPRESSIVENESS,
        SIMILARITY,
        ACCURACY,
        of_each(
            "medical_terminology",
            "Medical terms",
            "Are terms, doses, symptoms and instructions right?",
            anchored.TERMINOLOGY,
            "Check each one against the source. A wrong dose weighs more than a clumsy word.",
        ),
        of_each(
            "trust",
            "Trust",
            "If you were the patient, would you rely on this in a real conversation with a doctor?",
            NO_MAYBE_YES,
        ),
        OVERALL,
    ),
    examples=(
        Example(
            heard="“Take two tablets a day.” 1 says it in a tinny voice; 2 says “ten tablets”, in a beautiful one.",
            answers={
                "voice_quality.1": "2",
                "voice_quality.2": "5",
                "prosody.1": "3",
                "prosody.2": "5",
                "speaker_similarity.1": "2",
                "speaker_similarity.2": "4",
                "translation_accuracy.1": "5",
                "translation_accuracy.2": "2",
                "medical_terminology.1": "5",
                "medical_terminology.2": "1",
                "trust.1": "maybe",
                "trust.2": "no",
                "overall.1": "3",
                "overall.2": "1",
                "best_system": "1",
                "second_best_system": "2",
            },
            why="A wrong dose can do harm, so a fine voice does not save 2. Each question still gets its own answer.",
        ),
    ),
)

PROTOCOLS = (DUBBING, PODCAST, MEDICAL)
