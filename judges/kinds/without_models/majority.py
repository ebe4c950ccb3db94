"""The most frequent label of people, for every unit. A judge that is no better uses the labels, not the sound."""

from collections import Counter

from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Tools
from judges.kinds.without_models.baselines import answered, unfit_unless_chosen
from protocols import InvalidAnswers, Question


def _majority(case: Case, settings: Settings, tools: Tools) -> Opinion:
    """The most frequent answer among labelled units of other items; of equally frequent ones the first offered."""
    shots = tools.shots(case, int(settings.get("most", MOST.default)))
    if not shots:
        return Opinion("error", message=reasons.NO_LABELLED_UNITS())
    counts: dict[str, Counter[str]] = {}
    for shot in shots:
        for name, value in shot.answers.items():
            counts.setdefault(name, Counter())[value] += 1

    def most_frequent(question: Question) -> str:
        found = counts.get(question.name, Counter())
        return max(question.kind.values, key=lambda value: found[value])

    try:
        answers = answered(case, most_frequent)
    except InvalidAnswers as fault:
        return Opinion("error", message=fault.reason)
    return Opinion("ok", answers, said={"rule": "most frequent label", "labels": len(shots)})


MOST = Setting("most", "Labelled units to count", 1000, least=1, most=100_000)

MAJORITY = Kind(
    name="majority",
    version="1",
    title="The most frequent label",
    summary="Says of every unit what the labelled units of other items were called most often.",
    judge=_majority,
    fits=unfit_unless_chosen,
    settings=(MOST,),
    needs_examples=lambda _settings: True,
)
