"""A whole number on a line, set with a slider: 0 to 100, say, as in ITU-R BS.1534 (MUSHRA)."""

from collections.abc import Iterable, Iterator

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from protocols import reasons
from protocols.kinds.kind import Distance, QuestionKind, is_number, is_whole

MOST_STEPS = 1000
#: Tables count so many ranges of values, not each value.
RANGES = 10


class Slider(QuestionKind):
    """The options are words at points of the line, the lowest first; the first and the last are its ends."""

    name = "slider"
    title = Phrase("A slider: the choices are words along it, its ends first and last")
    template = "protocols/questions/slider.html"
    has_choices = False
    has_few_values = False
    may_be_empty = True
    level = "interval"
    distance = "interval"
    agreement = "krippendorff_alpha_interval"

    def _value_faults(self, values: list[str]) -> Iterator[str]:
        if self.compares:
            yield "has a slider, so its values mean the same in every order"
        if len(values) < 2 or not all(map(is_whole, values)) or sorted(values, key=int) != values:
            yield "has a slider, so it needs two whole numbers or more, the lowest first"
        elif self.highest - self.lowest > MOST_STEPS:
            yield f"has a slider of more than {MOST_STEPS} steps"

    @property
    def lowest(self) -> int:
        return int(self.options[0].value)

    @property
    def highest(self) -> int:
        return int(self.options[-1].value)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(self.lowest, self.highest + 1))

    def fault(self, value: str, title: str) -> Reason | None:
        if self.takes(value):
            return None
        return reasons.NO_POINT(title=title, value=repr(value), low=self.lowest, high=self.highest)

    def listed(self, values: Iterable[str]) -> str:  # noqa: ARG002
        return f"{self.lowest} to {self.highest}"

    @property
    def in_short(self) -> tuple[str, ...]:
        ends = Phrase("%(low)s to %(high)s", low=self.lowest, high=self.highest)
        return (ends, *(option.label for option in self.options))

    @property
    def limits(self) -> dict[str, int]:
        return {"lowest": self.lowest, "highest": self.highest}

    def prompt(self) -> Iterator[str]:
        yield f'Answer with a whole number from "{self.lowest}" to "{self.highest}". Along the way stand:'
        yield from super().prompt()

    def categories(self, found: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(set(found), key=lambda it: (0, float(it), it) if is_number(it) else (1, 0.0, it)))

    def in_table(self, stored: str) -> str:
        if not self.takes(stored):
            return stored
        width = max(1, (self.highest - self.lowest) // RANGES)
        last = self.lowest + width * ((self.highest - self.lowest) // width - 1)
        start = min(self.lowest + (int(stored) - self.lowest) // width * width, last)
        return f"{start}–{self.highest if start == last else start + width - 1}"

    def distances(self, categories: Iterable[str]) -> tuple[Distance, ...]:
        return ("interval",) if all(map(is_number, categories)) else ("nominal",)
