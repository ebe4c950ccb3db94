"""Recognisers that fall into a loop: the same words again and again, which were never spoken."""

from measurements.features.speech.rates import words_of

#: So many times the same words in a row look like a loop, by how many words are repeated; the last holds for longer.
_TIMES = (4, 3, 3, 3)
_LONGEST = 12


def loops(text: str) -> bool:
    """Whether a text repeats itself as a recogniser in a loop does, and speakers hardly ever do.

    >>> loops("Narrator: Narrator: Narrator: Narrator:"), loops("No, no, no. It is ten, ten past ten.")
    (True, False)
    """
    words = [word.lower() for word in words_of(text)]
    return any(_repeats(words, length, _TIMES[min(length, len(_TIMES)) - 1]) for length in range(1, _LONGEST + 1))


def faster_than_speech(text: str, seconds: float) -> bool:
    """More than nine words a second, and more than a few: faster than any speech."""
    words = len(words_of(text))
    return words > 6 and words > 9 * seconds


def _repeats(words: list[str], length: int, times: int) -> bool:
    """Whether some `length` words stand `times` times in a row."""
    span = length * times
    return any(words[i : i + span] == words[i : i + length] * times for i in range(len(words) - span + 1))
