"""A protocol as its author sees it while writing: whatever is there already, asked of nothing in particular."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from protocols.documents.plain import InvalidDocument, document_faults, from_document
from protocols.items import for_item
from protocols.protocol import Protocol

#: How many responses a preview speaks of.
N_SHOWN = {"pair": 2, "single": 1, "item": 3}
SAMPLE_CRITERION = "Whatever the item brings as a criterion of its own."
#: What stands in for a text that is not written yet.
UNWRITTEN = "…"


def showable(document: Mapping[str, Any]) -> Protocol | None:
    """The protocol without the aspects that are at fault, or None where nothing is left to show.

    What is missing or wrong beside the aspects is filled in, so that a form can be looked at before it is finished.
    """
    texts = {
        name: str(document.get(name, "")).strip() or UNWRITTEN
        for name in ("name", "version", "title", "instructions")
    }
    aspects = document.get("aspects")
    draft = {**document, **texts, "aspects": aspects if isinstance(aspects, list) else []}
    while found := document_faults(draft):
        mended = _without(draft, found)
        if mended == draft or not mended.get("aspects"):
            return None
        draft = mended
    return from_document(draft)


def sample(protocol: Protocol) -> Protocol:
    """The protocol as it would be asked of an item that fits every aspect and brings a criterion, where items do."""
    aspects = tuple(replace(aspect, only_for={}) for aspect in protocol.aspects)
    return for_item(replace(protocol, aspects=aspects), {"criteria": [SAMPLE_CRITERION]})


def _without(draft: Mapping[str, Any], found: Iterable[InvalidDocument]) -> dict[str, Any]:
    """Faults of the whole go first: an aspect may be at fault only because of them."""
    of_the_whole = {fault.path[0] for fault in found if fault.path and fault.path[0] != "aspects"}
    if of_the_whole:
        return {name: value for name, value in draft.items() if name not in of_the_whole}
    places = {fault.path[1] for fault in found if len(fault.path) > 1}
    aspects = [aspect for place, aspect in enumerate(draft["aspects"]) if place not in places]
    return {**draft, "aspects": aspects}
