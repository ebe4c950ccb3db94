"""An answer in one's own words."""

from collections.abc import Iterator
from typing import Any

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from protocols import reasons
from protocols.kinds.kind import QuestionKind

MAX_TEXT = 2000


class Written(QuestionKind):
    """Texts are read, not counted."""

    name = "text"
    title = Phrase("Text")
    template = "protocols/questions/text.html"
    has_choices = False
    is_written = True
    is_counted = False
    may_be_empty = True
    agreement = ""

    def faults(self) -> Iterator[str]:
        if self.options or self.frame != "none":
            yield "asks for text, so its scale has neither choices nor a frame"

    @property
    def in_short(self) -> tuple[str, ...]:
        return (Phrase("a written answer"),)

    def takes(self, value: str) -> bool:  # noqa: ARG002
        return True

    def fault(self, value: str, title: str) -> Reason | None:
        if len(value) > MAX_TEXT:
            return reasons.ANSWER_TOO_LONG(title=title, n=MAX_TEXT)
        if "\x00" in value:
            return reasons.ANSWER_NOT_KEPT(title=title)
        return None

    def json_schema(self, *, may_be_empty: bool) -> dict[str, Any]:  # noqa: ARG002
        return {"type": "string"}

    def prompt(self) -> Iterator[str]:
        yield f"Write a text of at most {MAX_TEXT} characters."
