"""Stored labels in the words of the protocol. Nobody who reads a report has to know what is kept in a row."""

from infrastructure.wording.phrases import Phrase, phrased
from protocols import Scale

#: Ties that imported labels may have although the protocol does not offer them, and winners.
TITLES = {
    "both_bad": Phrase("both bad"),
    "a": Phrase("a better"),
    "b": Phrase("b better"),
    "both_good": Phrase("both good"),
    "tie": Phrase("tie"),
}
#: What people read about the second they heard, said of b.
_OF_B = {
    "1 is better": TITLES["a"],
    "2 is better": TITLES["b"],
    "2 is much better": Phrase("b much better"),
    "2 is slightly better": Phrase("b slightly better"),
    "2 is slightly worse": Phrase("b slightly worse"),
    "2 is worse": Phrase("b worse"),
    "2 is much worse": Phrase("b much worse"),
}


def label_words(scale: Scale, label: str) -> str:
    """What a stored label says: winners by the slots a and b, grades with their numbers.

    What is no answer of the scale, and nothing that labels are known to say, stays as somebody wrote it.

    >>> from protocols.scales.named import ACR, TYPED_TIE
    >>> [label_words(TYPED_TIE, it) for it in ("a", "both_good")], label_words(ACR, "5"), label_words(ACR, "4.5")
    (['a better', 'Both good'], '5: Excellent', '4.5')
    """
    kind = scale.kind
    value = kind.shown(label, "ab")
    said = next((str(option.label) for option in scale.options if option.value == value), "")
    if kind.names_responses and len(label) == 1:
        known = TITLES.get(label, label) if scale.options and not said else _slot(label)
        return _OF_B.get(said, known)
    if said in _OF_B:
        return _OF_B[said]
    if not said:
        return TITLES.get(label, label)
    if not kind.is_signed and value.isdecimal() and said != value:
        return Phrase("%(number)s: %(label)s", number=value, label=phrased(said))
    return phrased(said)


def _slot(slot: str) -> Phrase:
    return Phrase("Response %(n)s", n=slot)
