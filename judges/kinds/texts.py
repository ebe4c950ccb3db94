"""The texts of the kinds of judges, for the catalogues of translations (`babel.cfg`)."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from infrastructure.wording.phrases import Phrase
from judges.kinds import KINDS

#: As Babel wants it: line, function, text, comments.
Text = tuple[int, str, str, list[str]]


def kind_texts(*_file: Any, **_options: Any) -> Iterator[Text]:
    """What forms and lists say of them. Citations are not translated."""
    for kind in KINDS.values():
        settings = chain.from_iterable(
            (it.title, it.help, *(title for _, title in it.choices)) for it in kind.settings
        )
        for text in (kind.title, kind.summary, *settings):
            if text and not isinstance(text, Phrase):
                yield 0, "gettext", text, []
