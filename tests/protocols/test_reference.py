"""docs/reference/protocols.md is written from the declarations: `python -m tests.protocols.test_reference`."""

from protocols import SHIPPED, Protocol
from tests.paths import PROJECT

PAGE = PROJECT / "docs" / "reference" / "protocols.md"
UNITS = {"pair": "two responses", "single": "one response", "item": "all the responses to an item"}
HEAD = """# Protocols

Every protocol that ships, as its declaration in `protocols/shipped/` says. Agreement names the
statistic that suits the scale.
"""


def reference() -> str:
    return "\n".join([HEAD, *(section(protocol) for protocol in SHIPPED.values())])


def section(protocol: Protocol) -> str:
    heard = {"full": "every clip in full", "none": "not checked"}.get(
        protocol.listening.rule, f"{protocol.listening.seconds:g} s of every clip"
    )
    switched = "; responses switch at the same place" if protocol.playback == "synchronised" else ""
    about = f"About {UNITS[protocol.unit]}; listening: {heard}{switched}; after {protocol.source}."
    rows = [
        f"| `{a.name}` | {a.question} | {a.scale.name} | {a.scale.kind.agreement or 'none'} |"
        for a in protocol.aspects
    ]
    table = ["| aspect | question | scale | agreement |", "|---|---|---|---|", *rows]
    return "\n".join([f"## `{protocol.name}`: {protocol.title}", "", about, "", *table, ""])


def test_reference_page_says_what_the_declarations_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference()


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
