"""Whether worked examples answer what is asked."""

from collections.abc import Iterator

from protocols.protocol import Protocol
from protocols.questions import N_RESPONSES, questions
from protocols.scales.named import YES_NO

#: A unit has no more responses than there are letters for its slots.
MOST_RESPONSES = 26
CRITERION = "item_"


def example_faults(protocol: Protocol) -> Iterator[tuple[int, str]]:
    """Answers to what is not asked, and answers that cannot be given: the example's place, and the reason."""
    put = questions(protocol, N_RESPONSES.get(protocol.unit, MOST_RESPONSES))
    kinds = {question.name: question.kind for question in put}
    for place, example in enumerate(protocol.examples):
        for name, value in example.answers.items():
            if protocol.item_criteria and name.startswith(CRITERION):
                kind = YES_NO.kind
            elif name in kinds:
                kind = kinds[name]
            else:
                yield place, f"no question is called {name!r}"
                continue
            if not kind.takes(value):
                yield place, f"{value!r} is no choice of {name!r}"
