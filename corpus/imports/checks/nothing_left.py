"""What is said of a file of which nothing is left to import."""

from collections.abc import Iterable

from corpus.imports.reasons import ANOTHER_SENTENCE, NOTHING_LEFT
from infrastructure.wording.reasons import Reason


def nothing_left(said: Iterable[Reason]) -> Reason:
    """The error, followed by what counts something that is left out."""
    why = NOTHING_LEFT()
    for reason in dict.fromkeys(said):
        if "n" in reason.parts:
            why = ANOTHER_SENTENCE(before=why, sentence=reason)
    return why
