"""Names that look alike and are not the same: one with a Cyrillic letter in a Latin word, say.

The mechanism is that of Unicode's skeletons (UTS 39, section 4) with the small part of its table that matters for
names: letters of other scripts that stand in for Latin ones. Case and compatibility forms make no difference either.
"""

import unicodedata
from collections.abc import Iterable

#: Letters and signs by their category that nobody sees: fillers of Hangul, vowels of Khmer, the blank of Braille.
BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
#: From `confusables.txt` of UTS 39: Cyrillic, Greek and Armenian, small letters and capitals; then letters of Latin.
_OTHERS = "аеорсухіјѕһԁԛԝѵӏԍАВЕКМНОРСТУХІЈЅԌԚԜѴαγικνορτυωΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցզᴏıɑɡ"
_LATIN = "aeopcyxijshdqwvlgABEKMHOPCTYXIJSGQWVayiKvoptuwABEZHIKMNOPTYXounhgqoiag"
_SAME = str.maketrans(_OTHERS, _LATIN)


def skeleton(name: str) -> str:
    """What names that look alike have in common; it is no name itself.

    >>> skeleton("T\\u043emato  pairs") == skeleton("Tomato pairs")
    True
    >>> skeleton("Tomate") == skeleton("Tomato")
    False
    """
    plain = unicodedata.normalize("NFKC", name).translate(_SAME)
    return " ".join(unicodedata.normalize("NFKC", plain).casefold().split())


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that looks like the name and is another, by characters and not only by capitals.

    >>> look_alike("\\u0430lpha", ["beta", "alpha", "Alpha"])
    'alpha'
    >>> look_alike("alpha", ["alpha", "Alpha"]) is None
    True
    """
    own, folded = skeleton(name), _folded(name)
    return next((other for other in others if _folded(other) != folded and skeleton(other) == own), None)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
