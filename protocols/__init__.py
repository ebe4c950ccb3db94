"""What is asked about a unit, declared once: people's forms and judges' prompts both come from it."""

from protocols.answers import InvalidAnswers, ScreenAnswer, read_answers
from protocols.consistency import InvalidProtocol
from protocols.declared import Aspect, Example, Listening, Scale
from protocols.documents.plain import (
    InvalidDocument,
    canonical,
    digest,
    document_faults,
    from_document,
    from_text,
    is_digest_of,
    to_document,
)
from protocols.items import for_item
from protocols.kinds.kind import Option
from protocols.presentation.form import (
    CONFIDENCE,
    ShownAspect,
    ShownExample,
    fact_title,
    shown_aspects,
    shown_examples,
    wording,
)
from protocols.protocol import Protocol
from protocols.questions import Question, questions
from protocols.shipped import SHIPPED

__all__ = [
    "CONFIDENCE",
    "SHIPPED",
    "Aspect",
    "Example",
    "InvalidAnswers",
    "InvalidDocument",
    "InvalidProtocol",
    "Listening",
    "Option",
    "Protocol",
    "Question",
    "Scale",
    "ScreenAnswer",
    "ShownAspect",
    "ShownExample",
    "canonical",
    "digest",
    "document_faults",
    "fact_title",
    "for_item",
    "from_document",
    "from_text",
    "is_digest_of",
    "questions",
    "read_answers",
    "shown_aspects",
    "shown_examples",
    "to_document",
    "wording",
]
