"""Closer to the positive example than to the negative one (SLM perplexity paper §3.3).

A response G is right where cos(E(G), E(P)) > cos(E(G), E(N)). Such a judge is taken for a report only once it was
right as often as people on labelled prompts, where cos(E(S), E(P)) > cos(E(S), E(N)) should hold: `qualification`.
"""

from dataclasses import dataclass

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Spoken, Tools
from judges.kinds.without_models.baselines import answered
from judges.kinds.without_models.measured import NotMeasured, measured
from judges.kinds.without_models.preferring import Leaning, answer_on, unfit_unless_preferring
from protocols import InvalidAnswers, Protocol, Question

EMBEDDING = "speaker"
AGAINST = Setting(
    "against",
    "Compared with",
    "prompt",
    choices=(
        ("prompt", "the prompt: which of two responses goes on more like it"),
        ("examples", "the last two turns of the prompt: a positive, then a negative example"),
    ),
)
MARGIN = Setting("margin", "Equal within", 0.0, help="Differences of cosines that are a tie.", least=0.0, most=2.0)
LIKE = Setting("like", "Like the prompt from", 0.0, help="A cosine below it is not acceptable.", least=-1.0, most=1.0)


@dataclass(frozen=True)
class Qualification:
    """Whether a judge may stand in a report: right on `right` of `n` labelled prompts, people on `people` of 1."""

    right: int
    n: int
    people: float | None
    qualified: bool
    reason: Reason | None


def qualification(right: int, n: int, *, people: float | None, fewest: int = 20) -> Qualification:
    """A judge qualifies where it is right at least as often as people on the same prompts (SLM paper §3.3).

    A missing answer of the judge counts as wrong.

    >>> qualification(90, 100, people=0.85).qualified, qualification(80, 100, people=0.85).qualified
    (True, False)
    >>> qualification(9, 9, people=0.5).reason
    'only 9 labelled prompts, and 20 are wanted'
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n} is no share")
    reason: Reason | None
    if n < fewest:
        reason = reasons.FEW_PROMPTS(n=n, fewest=fewest)
    elif people is None:
        reason = reasons.PEOPLE_UNKNOWN()
    elif right / n < people:
        reason = reasons.LESS_THAN_PEOPLE(right=f"{right / n:.1%}", people=f"{people:.1%}")
    else:
        reason = None
    return Qualification(right, n, people, not reason, reason)


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    examples = settings.get(AGAINST.name, AGAINST.default) == "examples"
    try:
        found = [_closeness(turns, case, tools, examples=examples) for turns in case.responses]
        answers = answered(case, lambda question: _answer(question, case, settings, found, examples=examples))
    except (NotMeasured, InvalidAnswers) as fault:
        return Opinion("error", message=fault.reason)
    rule = "nearer to the positive than to the negative" if examples else "nearer to the prompt"
    said = {
        "rule": rule,
        "embedding": EMBEDDING,
        "features": {str(n): {"cosine": round(one, 6)} for n, one in enumerate(found, 1)},
    }
    return Opinion("ok", answers, said=said)


def _closeness(turns: tuple[Spoken, ...], case: Case, tools: Tools, *, examples: bool) -> float:
    """cos(G, P) − cos(G, N), or the cosine with the prompt."""
    response = measured(turns, tools).vector(EMBEDDING)
    if not examples:
        return float(response @ measured(case.prompt, tools).vector(EMBEDDING))
    if len(case.prompt) < 2:
        raise NotMeasured(reasons.NO_POSITIVE_AND_NEGATIVE())
    positive, negative = (measured((turn,), tools).vector(EMBEDDING) for turn in case.prompt[-2:])
    return float(response @ positive - response @ negative)


def _answer(question: Question, case: Case, settings: Settings, found: list[float], *, examples: bool) -> str:
    if question.response is not None or len(found) == 1:
        place = (question.response or 1) - 1
        return "yes" if found[place] > 0 else "no"
    like = 0.0 if examples else float(settings.get(LIKE.name, LIKE.default))
    margin = float(settings.get(MARGIN.name, MARGIN.default))
    leaning = Leaning(found[0], found[1], margin, found[0] > like, found[1] > like)
    return answer_on(question, leaning, seed=case.seed)


def _fits(protocol: Protocol, settings: Settings) -> Reason | None:
    if settings.get(AGAINST.name, AGAINST.default) == "examples" and protocol.unit == "single":
        others = [it.title for it in protocol.aspects if not it.scale.kind.is_yes_no]
        return reasons.YES_OR_NO_ONLY(title=others[0]) if others else None
    return unfit_unless_preferring(protocol)


EMBEDDING_JUDGE = Kind(
    name="embedding",
    version="1",
    title="Speaker embedding",
    summary=(
        "Prefers the response whose voice is closer to the positive example. Before its verdicts stand in a report, "
        "it has to be right as often as people on labelled prompts."
    ),
    judge=_judge,
    fits=_fits,
    settings=(AGAINST, MARGIN, LIKE),
    features=(EMBEDDING,),
    source="On the fallacy of global token perplexity §3.3",
    must_qualify=True,
)
