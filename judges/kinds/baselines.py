"""Judges that do not listen. Whoever cannot beat them has heard nothing either."""

from collections.abc import Callable, Mapping

import numpy as np

from infrastructure.phrases import Phrase
from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from protocols import InvalidAnswers, Protocol, Question, questions, read_answers
from protocols.judging import as_judged

#: Attempts at answers that do not contradict each other.
MOST_DRAWS = 200
Choose = Callable[[Question], str]


def answered(case: Case, choose: Choose) -> Mapping[str, str]:
    """An answer to every question that is put, in its order, and nothing for texts. Raises InvalidAnswers."""
    protocol = as_judged(case.protocol)
    given: dict[str, str] = {}
    for question in questions(protocol, len(case.responses)):
        if question.is_put(given) and not question.is_text:
            given[question.name] = choose(question)
    read_answers(protocol, given, n_responses=len(case.responses))
    return given


def _random(case: Case, _settings: Settings, _tools: Tools) -> Opinion:
    """Every choice with the same chance; drawn again where answers may not be alike."""
    rng = np.random.default_rng(case.seed)
    for _draw in range(MOST_DRAWS):
        try:
            return Opinion(
                "ok", answered(case, lambda question: str(rng.choice([o.value for o in question.options])))
            )
        except InvalidAnswers:
            continue
    return Opinion("error", message="No answers that go together were drawn.")


def _always_first(case: Case, _settings: Settings, _tools: Tools) -> Opinion:
    return Opinion("ok", answered(case, lambda question: question.options[0].value))


def unfit_unless_chosen(protocol: Protocol, _settings: Settings) -> str:
    """Why choices alone do not answer this protocol."""
    texts = [it.title for it in protocol.aspects if it.scale.is_text and it.required]
    return Phrase("It writes no texts, and %(title)s asks for one.", title=texts[0]) if texts else ""


def unfit_unless_compared(protocol: Protocol, settings: Settings) -> str:
    """Why a judge that prefers one of two responses does not answer this protocol."""
    if protocol.unit != "pair" or any(aspect.per_response for aspect in protocol.aspects):
        return Phrase("It compares two responses, and this protocol asks about each one.")
    return unfit_unless_chosen(protocol, settings)


RANDOM = Kind(
    name="random",
    version="1",
    title="Random",
    summary="Every answer with the same chance. What agrees with people no better has not listened.",
    judge=_random,
    fits=unfit_unless_chosen,
)

ALWAYS_FIRST = Kind(
    name="always_first",
    version="1",
    title="Always the first",
    summary="Prefers whatever is heard first.",
    judge=_always_first,
    fits=unfit_unless_compared,
)
