"""Checks of words that need no model: errors against a text, refusals, loops."""

import re
from collections.abc import Sequence

import numpy as np

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: How English-speaking systems refuse. Phrases, so that a story in which a person is sorry does not count.
_REFUSALS = re.compile(
    r"\bas an ai\b"
    r"|\bi(?:'m| am) (?:sorry|afraid),? (?:but )?i (?:can(?:'t|not)|am not able|'m not able|am unable|'m unable)\b"
    r"|\bi(?:'m| am) (?:not able|unable) to (?:help|assist|do|provide|imitate|sing|produce)\b"
    r"|\bi can(?:'t|not) (?:help|assist) (?:you )?with (?:that|this)\b"
)


def words_of(text: str) -> list[str]:
    """Words in lower case, without punctuation.

    >>> words_of("Madam, in Eden: I’m Adam!")
    ['madam', 'in', 'eden', "i'm", 'adam']
    """
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def word_error_rate(required: str, said: str) -> float:
    """Substituted, left out and added words over the words required. Raises ValueError where none is required.

    >>> word_error_rate("the future is here", "The future was here.")
    0.25
    """
    reference, hypothesis = words_of(required), words_of(said)
    if not reference:
        raise ValueError("no words are required")
    row = np.arange(len(hypothesis) + 1)
    for n, word in enumerate(reference, start=1):
        changed = row[:-1] + np.array([word != other for other in hypothesis], dtype=np.int64)
        best = np.concatenate([[n], np.minimum(changed, row[1:] + 1)])
        # Added words cost one each from the best place before them.
        steps = np.arange(len(best))
        row = np.minimum.accumulate(best - steps) + steps
    return float(row[-1]) / len(reference)


def is_refusal(text: str) -> bool:
    """Whether it says that it will not do what was asked.

    >>> is_refusal("I'm sorry, but I can't whisper."), is_refusal("I'm so sorry, but your flight is cancelled.")
    (True, False)
    """
    return bool(_REFUSALS.search(text.lower().replace("’", "'")))


def longest_loop(words: Sequence[str], *, most: int = 6) -> int:
    """How often in a row the same words come, at most, over phrases of two to `most` words.

    >>> longest_loop("narrator he said narrator he said narrator he said end".split())
    3
    """
    longest = 1 if words else 0
    for size in range(2, most + 1):
        for start in range(len(words) - 2 * size + 1):
            phrase, n = words[start : start + size], 1
            while words[start + n * size : start + (n + 1) * size] == phrase:
                n += 1
            longest = max(longest, n)
    return longest
