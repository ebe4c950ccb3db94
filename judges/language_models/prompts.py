"""The prompts that are written here, each with a version; a changed text is a new version."""

from collections.abc import Mapping, Sequence
from typing import Any

from protocols import Protocol, fact_title, for_item

CRITERIA_VERSION = "1"
MAX_CRITERION = 200

_CRITERIA = """\
You help to evaluate spoken answers of voice assistants. For one recorded request, write {n} yes/no criteria by \
which a listener can check any answer to it, whichever system gave it.

Each criterion
- is one question about one thing, which a listener answers by yes or no from what can be heard;
- is about this very request: it would make no sense for another one;
- is put so that yes is good;
- keeps to the goal of the evaluation, if one is named;
- is a single sentence of at most {most} characters, in the language of the request;
- does not ask how long the answer is, and names no system.

Do not repeat what is asked about every answer anyway:
{asked}

{facts}The request, turn by turn:
{turns}

Reply with one JSON object and nothing else: `criteria`, a list of {n} texts."""


def criteria_prompt(protocol: Protocol, facts: Mapping[str, Any], turns: Sequence[str], *, n: int) -> str:
    """The prompt for criteria of one item (MTalk-Bench App. C.2.2, level 3), as it is sent."""
    aspects = for_item(
        protocol, {name: value for name, value in facts.items() if name != "numbered_criteria"}
    ).aspects
    facts_shown = [f"{fact_title(name)}: {facts[name]}" for name in protocol.shows if facts.get(name)]
    return _CRITERIA.format(
        n=n,
        most=MAX_CRITERION,
        asked="\n".join(f"- {aspect.question}" for aspect in aspects),
        facts="The goal of the evaluation. " + "; ".join(facts_shown) + "\n\n" if facts_shown else "",
        turns="\n".join(f"{number}. {text}" for number, text in enumerate(turns, 1)),
    )


def criteria_schema(n: int) -> dict[str, Any]:
    """The JSON Schema of the reply; the count is checked again when it is read, since not all servers hold to it."""
    texts = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": n}
    return {
        "type": "object",
        "properties": {"criteria": texts},
        "required": ["criteria"],
        "additionalProperties": False,
    }
