"""Sentences made in places that know no Django, kept so that they can still be said in another language."""

import re
from typing import Any


class Phrase(str):
    """An English sentence that remembers its template and what was filled in; without parts, one that is marked.

    Texts that are filled in are wording of ours or of a protocol, and are translated too; what somebody typed is
    quoted first (`repr`), so that it stays as it is.

    >>> title = Phrase("%(title)s of response %(n)s", title="Accuracy", n=2)
    >>> Phrase("%(title)s: please answer.", title=title)
    'Accuracy of response 2: please answer.'
    """

    template: str
    parts: dict[str, object]
    #: The template for numbers other than one, of a phrase that has a part `n` and one for each.
    several: str = ""

    def __new__(cls, template: str, several: str = "", /, **parts: object) -> "Phrase":
        phrase = super().__new__(cls, (several if several and parts["n"] != 1 else template) % parts)
        phrase.template, phrase.several, phrase.parts = template, several, parts
        return phrase

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.template, self.several, self.parts)


def phrased(wording: str) -> Phrase:
    """Wording of a protocol as a Phrase, so that it is said in the language of the page wherever it stands.

    >>> phrased("100 % sure")
    '100 % sure'
    """
    return wording if isinstance(wording, Phrase) else Phrase(wording.replace("%", "%%"))


def placeholders(template: str) -> set[str]:
    """The names of a template's gaps.

    >>> sorted(placeholders("%(n)s of %(all)s, 50 %%"))
    ['all', 'n']
    """
    return set(re.findall(r"%\((\w+)\)s", template))


def _made(template: str, several: str, parts: dict[str, object]) -> Phrase:
    return Phrase(template, several, **parts)
