"""What the server of a language model says, well or ill."""

import json
import time
from collections.abc import Mapping
from typing import Any

from tests.judges.server import Step, completion, fault, hang


def well(body: dict[str, Any]) -> Any:
    """Some choice for every question, after 0.4 s."""
    time.sleep(0.4)
    return completion(_choices(body))(body)


def _choices(body: dict[str, Any]) -> str:
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps({name: it.get("enum", ["I read it."])[0] for name, it in properties.items()})


def ill(ways: Mapping[str, str], body: dict[str, Any]) -> Any:
    """In the way that is named for the campaign of which the question tells."""
    asked = json.dumps(body["messages"])
    way = next((way for slug, way in ways.items() if f" {slug}." in asked), None)
    return WAYS[way](body) if way else well(body)


def _garbage(_body: dict[str, Any]) -> Any:
    return 200, {"Content-Type": "application/json"}, bytes(range(256))


def _half_a_body(body: dict[str, Any]) -> Any:
    status, headers, whole = completion(_choices(body))(body) or (200, {}, b"")
    return status, headers, whole[: len(whole) // 2]


def _half_an_answer(body: dict[str, Any]) -> Any:
    said = _choices(body)
    return completion(said[: len(said) // 2], finish="length")(body)


#: As many as there are campaigns for them, see sizes.
WAYS: Mapping[str, Step] = {
    "hangs": hang,
    "says 429": fault(429, "slow down", Retry_After="1"),
    "says 500": fault(500, "out of memory"),
    "says garbage": _garbage,
    "sends half a body": _half_a_body,
    "gives half an answer": _half_an_answer,
}
