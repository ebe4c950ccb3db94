"""A table of answers to fill in for one protocol, with a worked example: one unit, answered by one rater."""

from collections.abc import Iterator
from string import ascii_lowercase

from corpus.tidy.cells import as_json
from infrastructure.files.csv_files import csv_line
from protocols import Aspect, Protocol, digest, to_document

COLUMNS = ("protocol", "protocol_digest", "unit", "kind", "item", "systems", "annotator", "order", "aspect", "slot",
           "value")  # fmt: skip
#: How many responses the example has.
N_RESPONSES = {"pair": 2, "single": 1, "item": 3}
SYSTEMS = ("alpha", "beta", "gamma")


def answers_template(protocol: Protocol) -> str:
    """The table as CSV: a row for each question that is put without a condition."""
    slots = ascii_lowercase[: N_RESPONSES[protocol.unit]]
    systems = as_json(dict(zip(slots, SYSTEMS, strict=False)))
    about = (
        f"{protocol.name} {protocol.version}",
        digest(to_document(protocol)),
        "1",
        protocol.unit,
        "q1",
        systems,
        "rater-1",
    )
    rows = [
        (*about, slots, aspect.name, slot, _example(aspect, slots))
        for aspect in protocol.aspects
        if not (aspect.only_if or aspect.only_for)
        for slot in _slots(aspect, slots)
    ]
    return "".join(csv_line(row) for row in [COLUMNS, *rows])


def _slots(aspect: Aspect, slots: str) -> Iterator[str]:
    yield from slots if aspect.per_response else ("",)


def _example(aspect: Aspect, slots: str) -> str:
    """The first value of the scale, as it is stored; empty where its values cannot be listed."""
    kind = aspect.scale.kind
    values = kind.values or (("1",) if kind.any_response else ())
    return kind.stored(values[0], slots) if values else ""
