"""Choices that have an order: ranks, and numbers with equal steps."""

from collections.abc import Iterable

from infrastructure.wording.phrases import Phrase
from protocols.kinds.kind import Distance, QuestionKind


class Ranks(QuestionKind):
    name = "ordinal"
    title = Phrase("Ranks, in this order")
    level = distance = "ordinal"
    agreement = "krippendorff_alpha_ordinal"
    weights = "quadratic"

    def _distances(self, categories: Iterable[str]) -> tuple[Distance, ...]:
        numbers = all(it.removeprefix("-").replace(".", "", 1).isdecimal() for it in categories)
        return ("nominal", "ordinal", "interval") if numbers else ("nominal", "ordinal")


class Steps(QuestionKind):
    name = "interval"
    title = Phrase("Numbers with equal steps")
    level = distance = "interval"
    agreement = "krippendorff_alpha_interval"
    weights = "quadratic"

    def _distances(self, _categories: Iterable[str]) -> tuple[Distance, ...]:
        return ("nominal", "ordinal", "interval")
