"""Judges that do not listen. A judge that is no better than these has shown nothing."""

from collections.abc import Callable, Mapping

import numpy as np

from infrastructure.wording.reasons import Reason
from judges import reasons
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
        if question.is_put(given) and not question.kind.is_written:
            given[question.name] = choose(question)
    read_answers(protocol, given, n_responses=len(case.responses))
    return given


def _random(case: Case, _settings: Settings, _tools: Tools) -> Opinion:
    """Every choice with the same chance; drawn again where answers may not be alike."""
    rng = np.random.default_rng(case.seed)
    for _draw in range(MOST_DRAWS):
        try:
            return Opinion("ok", answered(case, lambda question: str(rng.choice(question.kind.values))))
        except InvalidAnswers:
            continue
    return Opinion("error", message=reasons.NOTHING_DRAWN())


def _always_first(case: Case, _settings: Settings, _tools: Tools) -> Opinion:
    return Opinion("ok", answered(case, lambda question: question.kind.values[0]))


def unfit_unless_chosen(protocol: Protocol, _settings: Settings) -> Reason | None:
    """Why choices alone do not answer this protocol."""
    texts = [it.title for it in protocol.aspects if it.scale.kind.is_written and it.required]
    return reasons.WRITES_NO_TEXTS(title=texts[0]) if texts else None


def unfit_unless_compared(protocol: Protocol, settings: Settings) -> Reason | None:
    """Why a judge that prefers one of two responses does not answer this protocol."""
    if protocol.unit != "pair" or any(aspect.per_response for aspect in protocol.aspects):
        return reasons.COMPARES_NOT_EACH()
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
