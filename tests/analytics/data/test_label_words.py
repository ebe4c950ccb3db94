import pytest

from analytics.data.label_words import label_words
from protocols import SHIPPED, Scale
from protocols.scales.named import ACR, TYPED_TIE
from tests.cases import each

SCALES = [
    pytest.param(aspect.scale, id=f"{protocol.name}-{aspect.name}")
    for protocol in SHIPPED.values()
    for aspect in protocol.aspects
    if aspect.scale.kind.is_counted
]


@each("scale", SCALES)
def test_every_answer_of_a_shipped_protocol_has_words_of_its_own(scale: Scale) -> None:
    stored = list(scale.kind.stored_values) or ["a", "b", "c"]

    words = [label_words(scale, label) for label in stored]

    assert len(set(words)) == len(stored)
    if scale.kind.has_few_values:  # a number of a slider is its own word
        assert not set(words) & set(stored), "a key is shown as it is stored"
    assert not [it for it in words if "_" in it]


def test_comparison_is_said_of_the_stored_response() -> None:
    ccr = SHIPPED["ccr"].aspects[0].scale
    said = [label_words(ccr, it) for it in ("3", "-1", "0")]
    assert said == ["b much better", "b slightly worse", "About the same"]


def test_labels_that_the_protocol_does_not_have() -> None:
    assert label_words(ACR, "3.67") == "3.67"
    assert label_words(TYPED_TIE, "tie") == "tie"
    assert label_words(SHIPPED["ccr"].aspects[0].scale, "both_good") == "both good"
