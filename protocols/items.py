"""A protocol as it is asked about one item."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from infrastructure.wording.phrases import Phrase
from protocols.declared import Aspect
from protocols.protocol import Protocol
from protocols.scales.named import YES_NO

GROUP = Phrase("About this item")


def for_item(protocol: Protocol, facts: Mapping[str, Any]) -> Protocol:
    """The protocol with the aspects that fit the item, and with the criteria that the item brings.

    `facts` is what is known of the item: `dimension`, `capability`, …, a list `criteria`, and `numbered_criteria`
    by number, which names a criterion for good (`item_4`) wherever it stands. An aspect that hangs on one that does
    not fit is left out with it. Raises ValueError where nothing would be left to ask, or where
    the criteria are not a list of texts.
    """
    fitting: dict[str, Aspect] = {}
    for aspect in protocol.aspects:
        if _fits(aspect, facts) and set(aspect.only_if) <= set(fitting):
            fitting[aspect.name] = _without_absent(aspect, fitting)
    gate = {name: value for name, value in protocol.criteria_only_if.items() if name in fitting}
    criteria = _criteria(facts, gate) if protocol.item_criteria else ()
    return replace(protocol, aspects=(*fitting.values(), *criteria), item_criteria=False, criteria_only_if={})


def _fits(aspect: Aspect, facts: Mapping[str, Any]) -> bool:
    return all(facts.get(name) == value for name, value in aspect.only_for.items())


def _without_absent(aspect: Aspect, present: Mapping[str, Aspect]) -> Aspect:
    """No aspect can wait for, or be answered unlike, one that is not asked."""
    after = tuple(name for name in aspect.after if name in present)
    return replace(aspect, after=after, unlike=aspect.unlike if aspect.unlike in present else "")


def _criteria(facts: Mapping[str, Any], gate: Mapping[str, str]) -> tuple[Aspect, ...]:
    criteria = facts.get("criteria") or ()
    if not isinstance(criteria, list | tuple) or not all(isinstance(text, str) for text in criteria):
        raise ValueError("the criteria of an item are a list of texts")
    numbered = dict(enumerate(criteria, 1)) | dict(facts.get("numbered_criteria") or {})
    return tuple(
        Aspect(f"item_{number}", Phrase("Criterion %(n)s", n=place), text, YES_NO, group=GROUP, only_if=gate)
        for place, (number, text) in enumerate(sorted(numbered.items()), 1)
    )
