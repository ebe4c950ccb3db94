"""One normalisation for every text that is compared (COMPASS App. A)."""

import re
import unicodedata

#: Languages written without blanks between words: characters count there.
UNSPACED = frozenset({"zh", "ja", "th", "lo", "my", "km", "yue"})
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ＇`", "'"))


def normalized(text: str) -> str:
    """NFKC, lower case, punctuation and symbols to blanks (an apostrophe between letters stays), single blanks.

    It does what Whisper's basic normaliser does, except that combining marks stay: they are letters in many scripts.

    >>> normalized("  Don’t  STOP — “now”! ")
    "don't stop now"
    """
    folded = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).lower()
    kept = "".join(sign if _belongs_to_word(sign) else " " for sign in folded)
    return " ".join(re.sub(r"(?<!\w)'|'(?!\w)", " ", kept).split())


def language_code(language: str | None) -> str:
    """The first part of a language tag, in lower case; empty where none is known.

    >>> language_code("pt-BR")
    'pt'
    """
    return re.split(r"[-_]", (language or "").strip().lower(), maxsplit=1)[0]


def words(text: str) -> list[str]:
    return normalized(text).split()


def characters(text: str) -> str:
    """The characters of the normalised text without the blanks between words."""
    return normalized(text).replace(" ", "")


def _belongs_to_word(sign: str) -> bool:
    return sign == "'" or unicodedata.category(sign)[0] not in "SP"
