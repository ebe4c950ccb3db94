"""What is asked about a unit, declared once: people's forms and judges' prompts both come from it."""

from campaigns.protocols.answers import InvalidAnswers, ScreenAnswer, read_answers
from campaigns.protocols.document import InvalidDocument, digest, from_document, to_document
from campaigns.protocols.hcot import hcot
from campaigns.protocols.protocol import Aspect, Option, Protocol, Scale
from campaigns.protocols.questions import Question, questions

#: Every protocol that ships, by the name under which a campaign chooses it.
SHIPPED: dict[str, Protocol] = {
    "hcot": hcot(elicitation="direct"),
    "hcot-guided": hcot(elicitation="guided"),
}

__all__ = [
    "SHIPPED",
    "Aspect",
    "InvalidAnswers",
    "InvalidDocument",
    "Option",
    "Protocol",
    "Question",
    "Scale",
    "ScreenAnswer",
    "digest",
    "from_document",
    "questions",
    "read_answers",
    "to_document",
]
