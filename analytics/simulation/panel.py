"""Simulated annotators: honest ones with noise and habits of their own, and kinds that rules should catch."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from protocols import Protocol
from protocols.questions import Question, questions

KINDS = ("honest", "random", "always-left", "straight-liner", "speeder", "copy-paste")
BAD = KINDS[1:]
FIRST, SECOND = "1", "2"
TIES = ("both_good", "both_bad", "tie", "same", "0")


@dataclass(frozen=True)
class Task:
    """One unit as it is shown: how good each response is, by slot (about −2 to 2), and seconds of sound.

    `obvious` has the answer of every attentive listener, in the stored frame, by aspect: of gold units and traps.
    """

    protocol: Protocol
    order: str
    quality: Mapping[str, float]
    audio_s: float
    identical: bool = False
    obvious: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Behaviour:
    """What was clicked, in the frame of the screen, after how many seconds, with what share of each clip heard."""

    clicked: dict[str, str]
    took_s: float
    heard: float


class Person:
    """An annotator of some kind. Everything that differs between people is drawn once, from `rng`."""

    def __init__(self, kind: str, rng: np.random.Generator) -> None:
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind of annotator; there are {', '.join(KINDS)}")
        self.kind, self.rng = kind, rng
        self.noise = rng.uniform(0.3, 0.6)
        self.leniency = rng.normal(0, 0.3)
        self.tie_width = rng.uniform(0.25, 0.6)
        self.side = rng.normal(0, 0.08)
        self.pace = rng.lognormal(0, 0.25)
        self.lapses = rng.uniform(0.01, 0.05)
        self.favourite = float(rng.uniform())
        self.pasted = reason(rng)

    def behave(self, task: Task) -> Behaviour:
        hears = self.kind not in ("random", "speeder") and self.rng.uniform() > self.lapses
        perceived = self._perceived(task)
        clicked: dict[str, str] = {}
        for question in questions(task.protocol, len(task.order)):
            if question.is_put(clicked):
                clicked[question.name] = self._answer(question, task, perceived, clicked, hears=hears)
        return Behaviour(clicked, self._time(task), self._heard())

    def _perceived(self, task: Task) -> list[float]:
        """How good each response sounds to this person, in the order in which they are heard."""
        heard = [task.quality[slot] + self.rng.normal(0, self.noise) for slot in task.order]
        if task.identical:
            heard = [heard[0] + self.rng.normal(0, 0.05) for _ in heard]
        heard[0] += self.side
        return heard

    def _answer(
        self, question: Question, task: Task, perceived: list[float], clicked: dict[str, str], *, hears: bool
    ) -> str:
        if question.kind.is_written:
            return self._text()
        taken = {clicked.get(name) for name in _unlike(task.protocol, question)}
        options = [value for value in question.kind.values if value not in taken]
        if self.kind == "always-left":
            return options[0]
        if self.kind == "straight-liner":
            ties = [value for value in options if value in TIES] or options
            return ties[int(self.favourite * len(ties))]
        if not hears:
            return str(self.rng.choice(options))
        if obvious := self._obvious(question, task, options):
            return obvious
        in_this_respect = [0.0 if task.identical else self.rng.normal(0, 0.15) for _ in perceived]
        heard = [q + more for q, more in zip(perceived, in_this_respect, strict=True)]
        return self._judged(options, heard, question)

    def _obvious(self, question: Question, task: Task, options: list[str]) -> str:
        passing = task.obvious.get(_stored_name(question, task.order), ())
        kind = task.protocol.aspect(question.aspect).scale.kind
        shown = [kind.shown(value, task.order) for value in passing]
        return next((value for value in shown if value in options), "")

    def _judged(self, options: list[str], perceived: list[float], question: Question) -> str:
        if question.response is not None or len(perceived) == 1:
            return _option_for(options, perceived[(question.response or 1) - 1] + self.leniency)
        if question.name.endswith(("acceptable_1", "acceptable_2")):
            return "yes" if perceived[int(question.name[-1]) - 1] > self._bar else "no"
        if len(perceived) > 2:
            ranked = np.argsort(perceived)[::-1]
            return next((str(place + 1) for place in ranked if str(place + 1) in options), options[0])
        gap = perceived[0] - perceived[1]
        if "-1" in options:
            return str(int(np.clip(round(-gap), -3, 3)))
        if not {FIRST, SECOND} <= set(options):
            return _option_for(options, sum(perceived) / 2)
        return self._typed(options, perceived, gap)

    @property
    def _bar(self) -> float:
        return -0.4 - self.leniency

    def _typed(self, options: list[str], perceived: list[float], gap: float) -> str:
        good = sum(q > self._bar for q in perceived)
        if good != 1 and abs(gap) < self.tie_width * (1 if good else 1.6):
            tie = "both_good" if good else "both_bad"
            if tie in options:
                return tie
            if ties := [value for value in options if value in TIES]:
                return ties[0]
        return FIRST if gap > 0 else SECOND

    def _text(self) -> str:
        if self.kind == "copy-paste":
            return self.pasted + ("." if self.rng.uniform() < 0.3 else "")
        if self.rng.uniform() < 0.06:
            return str(self.rng.choice(["both fine", "no difference", "hard to say"]))
        return reason(self.rng)

    def _time(self, task: Task) -> float:
        if self.kind == "speeder":
            return float(self.rng.uniform(1.5, 4.0))
        thinking = self.rng.lognormal(math.log(6), 0.5)
        return float(task.audio_s * self.rng.uniform(1.0, 1.3) + self.pace * thinking)

    def _heard(self) -> float:
        if self.kind == "speeder":
            return float(self.rng.uniform(0, 0.3))
        return 1.0 if self.rng.uniform() > 0.05 else float(self.rng.uniform(0.4, 1))


def panel(seed: int, *, each: int = 10, kinds: Sequence[str] = KINDS) -> list[Person]:
    """So many of each kind, no two alike."""
    return list(_people(np.random.default_rng([seed, 1]), each, kinds))


def _people(rng: np.random.Generator, each: int, kinds: Sequence[str]) -> Iterator[Person]:
    for kind in kinds:
        for own in rng.spawn(each):
            yield Person(kind, own)


def _unlike(protocol: Protocol, question: Question) -> list[str]:
    unlike = protocol.aspect(question.aspect).unlike
    return [unlike] if unlike else []


def _stored_name(question: Question, order: str) -> str:
    return question.aspect if question.response is None else f"{question.aspect}.{order[question.response - 1]}"


def _option_for(options: list[str], quality: float) -> str:
    """The option of an ordered scale, worst first, that fits a quality of about −2 to 2."""
    share = 1 / (1 + math.exp(-1.5 * quality))
    return options[min(int(share * len(options)), len(options) - 1)]


WHICH = ("The first one", "The second", "Number two", "Number one", "The other voice", "This speaker", "The reply")
HOW = ("sounds", "comes across as", "seems", "stays", "is", "feels", "turns")
WHAT = (
    "warmer", "robotic", "clear", "muffled", "hurried", "calm", "flat", "lively", "noisy", "natural", "tinny",
    "friendly", "monotone", "crisp", "distorted", "cold",
)  # fmt: skip
WHERE = (
    "at the start", "near the end", "on the names", "in the question", "after the pause", "throughout",
    "on long words", "when it lists things", "in the last sentence", "at the number",
    "while apologising", "in the middle",
)  # fmt: skip
WHY = (
    "and it answers what was asked", "though it misses one fact", "and skips the date", "but says too much",
    "so I had to guess", "which suits the mood", "with a click in between", "and gets the name right",
    "while the other hesitates", "but the advice is good", "and breathes oddly", "without any stress",
)  # fmt: skip


def reason(rng: np.random.Generator) -> str:
    """A sentence such as people write."""
    return " ".join(str(rng.choice(part)) for part in (WHICH, HOW, WHAT, WHERE, WHY))
