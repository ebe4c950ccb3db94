"""Every shipped protocol as it is asked of some item, for tests that run over all of them."""

from protocols import SHIPPED, Protocol, for_item

CRITERIA = ["Does it name the day?", "Does it keep to the list that was asked for?", "Does it call her Ada?"]
DIMENSIONS = ("semantic", "paralinguistic", "ambient")


def as_asked() -> dict[str, Protocol]:
    """By name; the rubric once for each dimension, with three criteria of the item."""
    plain = {name: protocol for name, protocol in SHIPPED.items() if not protocol.item_criteria}
    rubrics = {
        f"{name} {dimension}": for_item(protocol, {"dimension": dimension, "criteria": CRITERIA})
        for name, protocol in SHIPPED.items()
        if protocol.item_criteria
        for dimension in DIMENSIONS
    }
    return plain | rubrics


def counts(protocol: Protocol) -> tuple[int, ...]:
    """How many responses a unit of the protocol may have."""
    return {"pair": (2,), "single": (1,), "item": (1, 2, 4)}[protocol.unit]
