"""The texts of the protocols that ship, for the catalogues of translations (`babel.cfg`)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from infrastructure.wording.phrases import Phrase
from protocols.presentation.form import wording
from protocols.shipped import SHIPPED

#: As Babel wants it: line, function, text, comments.
Text = tuple[int, str, str, list[str]]


def protocol_texts(*_file: Any, **_options: Any) -> Iterator[Text]:
    """What raters read, from the very objects; numbers alone are no text."""
    for protocol in SHIPPED.values():
        for text in wording(replace(protocol, ask_confidence=True)):
            if re.search(r"[^\W\d_]", text) and not isinstance(text, Phrase):
                yield 0, "gettext", text, []
