"""JSON that can be stored: text and numbers that no database or file accepts are refused first."""

import re
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.utils.mediatypes import media_type_matches

#: No database keeps a NUL, and half of a surrogate pair is no character.
UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
LARGEST = 2**63 - 1


class StrictJSON(JSONParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
            _require_keepable(found)
        except RecursionError as error:
            raise ParseError("This is nested too deeply.") from error
        return found


def _require_keepable(value: Any) -> None:
    if isinstance(value, dict):
        for name, one in value.items():
            _require_keepable(name)
            _require_keepable(one)
    elif isinstance(value, list):
        for one in value:
            _require_keepable(one)
    elif isinstance(value, str) and UNKEEPABLE.search(value):
        raise ParseError("There is a character in it that cannot be kept.")
    elif isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise ParseError("There is a number in it that cannot be kept.")


class OneForm(BaseContentNegotiation):
    """Replies are JSON, or the file that was asked for, whatever the request would rather have."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((one for one in parsers if media_type_matches(one.media_type, request.content_type)), None)

    def select_renderer(self, _request: Request, renderers: Any, _format_suffix: Any = None) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type
