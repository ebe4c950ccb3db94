"""The five-point scales of the speech translation questionnaires, each point with its anchor (COMPASS App. F.2)."""

from protocols.declared import Scale
from protocols.scales.named import rating


def anchored(name: str, *anchors: str) -> Scale:
    """A scale from 1 (very poor) to 5 (excellent); each point says what one hears there."""
    return rating(name, "Very poor", "Poor", "Fair", "Good", "Excellent", anchors=anchors)


LIP_SYNC = anchored(
    "lip_sync",
    "The mouth and the voice have nothing to do with each other.",
    "They part company most of the time, and it distracts.",
    "They meet about half of the time.",
    "Only small slips, seen if you look for them.",
    "It looks as if the words had been spoken in this language.",
)
VOICE_QUALITY = anchored(
    "voice_quality",
    "Robotic or broken; it hurts to listen.",
    "Plainly artificial, or with frequent noises and glitches.",
    "Acceptable, with some artificial or unclean moments.",
    "Natural and clean but for a trifle.",
    "Like a good recording of a person.",
)
CONSISTENCY = anchored(
    "speaker_consistency",
    "The voice turns into another one.",
    "It changes often, and you notice each time.",
    "It wavers now and then.",
    "One voice, with a slight change somewhere.",
    "One and the same voice throughout.",
)
RHYTHM = anchored(
    "prosody_rhythm",
    "Flat or chopped; stress and pauses fall in the wrong places.",
    "Often odd in melody or pace.",
    "Fair, with several unnatural stretches.",
    "Natural but for a few moments.",
    "As a native speaker would say it.",
)
EXPRESSIVENESS = anchored(
    "prosody_expressiveness",
    "Read out like a list, with no life in it.",
    "Little melody or feeling, or the wrong one.",
    "Some life, yet uneven.",
    "Lively and fitting nearly throughout.",
    "Melody, rhythm and feeling of a real speaker.",
)
TIMING = anchored(
    "timing",
    "Far too long or too short; it runs over others or leaves long holes.",
    "Awkward gaps or overlaps in several places.",
    "One or two awkward gaps or overlaps.",
    "A slight mismatch that does not disturb.",
    "It fills the scene exactly.",
)
SPEAKER_SIMILARITY = anchored(
    "speaker_similarity",
    "Clearly another person.",
    "Hardly alike: perhaps the sex or the age fits, and no more.",
    "Some likeness, but you would not mix them up.",
    "Close; you would believe it with a doubt.",
    "The same person, speaking another language.",
)
EMOTION = anchored(
    "emotional_match",
    "The opposite feeling, or none where there is a strong one.",
    "Mostly the wrong feeling, or far too weak or strong.",
    "The right feeling, but its strength is off.",
    "The right feeling and nearly the right strength.",
    "The same feeling, just as strong.",
)
ACCURACY = anchored(
    "translation_accuracy",
    "Another meaning, or none.",
    "Important parts are wrong or missing.",
    "The gist is there; some details are wrong or missing.",
    "Everything that matters, with a small slip.",
    "All of the meaning, and nothing added.",
)
COMFORT = anchored(
    "listening_comfort",
    "You would switch it off at once.",
    "Tiring; you notice the machine all the time.",
    "Bearable for a while.",
    "Pleasant, with a moment that jars.",
    "As easy to listen to as the original.",
)
UNDERSTANDING = anchored(
    "content_understanding",
    "You could not say what it was about.",
    "You caught a few words of the topic.",
    "You followed the main line, with effort.",
    "You followed nearly all of it.",
    "You followed everything without effort.",
)
TERMINOLOGY = anchored(
    "medical_terminology",
    "A wrong term, dose, symptom or instruction that could do harm.",
    "Several wrong or missing, or one that matters.",
    "Mostly right; a patient would have to ask again.",
    "All right in substance, one worded loosely.",
    "Every one as a professional would say it.",
)
IMPRESSION = anchored(
    "overall_quality",
    "Of no use.",
    "Serious faults outweigh the rest.",
    "It would do, with plain faults.",
    "Good, with small faults.",
    "You would wish for nothing better.",
)
