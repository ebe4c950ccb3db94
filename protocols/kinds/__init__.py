"""Every kind of question, by the measure of its scale: one line each."""

from protocols.kinds.kind import QuestionKind
from protocols.kinds.ratings import Ranks, Steps
from protocols.kinds.slider import Slider
from protocols.kinds.typed_tie import TypedTie
from protocols.kinds.written import Written

KINDS: dict[str, type[QuestionKind]] = {
    kind.name: kind
    for kind in (
        QuestionKind,
        Ranks,
        Steps,
        TypedTie,
        Written,
        Slider,
    )
}
