"""Which of two is better, or both good, or both bad: a tie has a type (TRACE/HCoT §3.2)."""

from collections.abc import Iterable, Iterator

from infrastructure.wording.phrases import Phrase
from protocols.kinds.kind import Distance, QuestionKind

TYPED_TIES = {"1", "2", "both_good", "both_bad"}


class TypedTie(QuestionKind):
    """A winner is nearer to a tie than to the other winner, and two good ones are far from two bad ones."""

    name = "typed_tie"
    title = Phrase("Typed tie: 1, 2, both_good, both_bad")
    distance = "typed_tie"
    agreement = "krippendorff_alpha_typed_tie"
    weights = "typed_tie"

    def _value_faults(self, values: list[str]) -> Iterator[str]:
        if set(values) != TYPED_TIES or not self.names_responses:
            yield "has a typed tie, so it offers 1, 2, both_good and both_bad in the frame of responses"
        yield from super()._value_faults(values)

    def _distances(self, _categories: Iterable[str]) -> tuple[Distance, ...]:
        return ("nominal", "typed_tie")


def typed_tie(*, acceptable_1: bool, acceptable_2: bool, better: str | None) -> str:
    """Derive the label from acceptability and, where both are acceptable, from the comparison.

    `better` is `1`, `2` or `both_good`, and is None unless both responses are acceptable. The five steps are
    those of TRACE/HCoT §3.2. Raises ValueError where `better` is missing or has no business here.

    >>> typed_tie(acceptable_1=True, acceptable_2=False, better=None)
    '1'
    >>> typed_tie(acceptable_1=True, acceptable_2=True, better="both_good")
    'both_good'
    """
    if acceptable_1 and acceptable_2:
        if better not in {"1", "2", "both_good"}:
            raise ValueError("both are acceptable, so one must be called better or both equally good")
        return better
    if better is not None:
        raise ValueError("a comparison is only made between two acceptable responses")
    if acceptable_1:
        return "1"
    return "2" if acceptable_2 else "both_bad"
