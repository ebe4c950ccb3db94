"""Judges that go by one number which has nothing to do with merit. Who agrees with people no better has not listened.

Length is a well-known shortcut of judges (AudioJudge §6.2); level and pace are two more.
"""

from collections.abc import Callable

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from judges.kinds.without_models.baselines import answered
from judges.kinds.without_models.measured import Measured, NotMeasured, measured
from judges.kinds.without_models.preferring import Leaning, answer_on, unfit_unless_preferring
from protocols import InvalidAnswers, Protocol

VERSION = "1"
WORDS_PER_SECOND = 2.5


def _seconds(one: Measured) -> float:
    """How long it is; without sound, about how long its words would take."""
    words = sum(len(turn.text.split()) for turn in one.turns)
    seconds = one.seconds or words / WORDS_PER_SECOND
    if not seconds:
        raise NotMeasured(reasons.NO_SOUND_OR_TEXT())
    one.used["seconds"] = round(seconds, 3)
    return seconds


def _loudness(one: Measured) -> float:
    return one.number("loudness", "integrated_lufs", called="lufs")


def _pace(one: Measured) -> float:
    return one.number("rates", "speech_rate_wpm", called="words_per_minute")


def _judging_by(measure: Callable[[Measured], float], what: str) -> Callable[[Case, Settings, Tools], Opinion]:
    def judge(case: Case, _settings: Settings, tools: Tools) -> Opinion:
        # The length of a clip is known without extractors.
        first, second = (Measured(t, ()) if measure is _seconds else measured(t, tools) for t in case.responses)
        try:
            leaning = Leaning(measure(first), measure(second))
            answers = answered(case, lambda question: answer_on(question, leaning, seed=case.seed))
        except (NotMeasured, InvalidAnswers) as fault:
            return Opinion("error", message=fault.reason)
        said = {"rule": f"more {what}", "features": {"1": first.used, "2": second.used}}
        return Opinion("ok", answers, said=said)

    return judge


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    return unfit_unless_preferring(protocol)


LONGEST = Kind(
    name="longest",
    version=VERSION,
    title="The longer one",
    summary="Prefers the response that takes longer, whatever is said in it.",
    judge=_judging_by(_seconds, "length"),
    fits=_fits,
    source="AudioJudge §6.2",
)
LOUDEST = Kind(
    name="loudest",
    version=VERSION,
    title="The louder one",
    summary="Prefers the response that is louder as it was imported (integrated loudness, ITU-R BS.1770).",
    judge=_judging_by(_loudness, "loudness"),
    fits=_fits,
    features=("loudness",),
)
FASTEST = Kind(
    name="fastest",
    version=VERSION,
    title="The faster one",
    summary="Prefers the response that is spoken faster (words per minute).",
    judge=_judging_by(_pace, "pace"),
    fits=_fits,
    features=("rates",),
)
