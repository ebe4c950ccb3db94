"""A protocol as it is asked about one item."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from campaigns.protocols.protocol import Aspect, Protocol
from campaigns.protocols.scales import YES_NO

GROUP = "About this item"


def for_item(protocol: Protocol, facts: Mapping[str, Any]) -> Protocol:
    """The protocol with the aspects that fit the item, and with the criteria that the item brings.

    `facts` is what is known of the item: `dimension`, `capability`, … and a list `criteria`. Raises ValueError
    where nothing would be left to ask.
    """
    fitting = tuple(aspect for aspect in protocol.aspects if _fits(aspect, facts))
    criteria = facts.get("criteria", ()) if protocol.item_criteria else ()
    return replace(protocol, aspects=fitting + tuple(_criterion(n, text) for n, text in enumerate(criteria, 1)))


def _fits(aspect: Aspect, facts: Mapping[str, Any]) -> bool:
    return all(facts.get(name) == value for name, value in aspect.only_for.items())


def _criterion(number: int, text: str) -> Aspect:
    return Aspect(f"item_{number}", f"Criterion {number}", text, YES_NO, group=GROUP)
