"""What the API replies to a refusal: a problem (RFC 9457) with a code, its parameters and a sentence, field by field.

The code is that of the reason that was raised; where an exception has none, it is the name of its class.
"""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from accounts.api.problems import CONTENT_TYPE, ProblemRenderer, Refused
from infrastructure.templatetags.wording import worded
from infrastructure.wording.reasons import Reason, Reasoned


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """What DRF replies to an exception of a view; None for one that is a fault of ours."""
    cause = error.__cause__
    if isinstance(error, Http404):
        error = exceptions.NotFound(*error.args)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(*error.args)
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    response = Response(document(error, cause), status=error.status_code, headers=_headers(error))
    request = context["request"]
    request.accepted_renderer = ProblemRenderer()
    request.accepted_media_type = CONTENT_TYPE
    return response


def document(error: exceptions.APIException, cause: BaseException | None = None) -> dict[str, Any]:
    """The problem; `cause` is the refusal of ours that became this error, if there was one."""
    codes, detail = error.get_codes(), error.detail
    if isinstance(error, Refused):
        said = _said(error.refused, error.default_code)
    elif isinstance(cause, Reasoned):
        said = _said(cause, error.default_code)
    else:
        sentence = detail if isinstance(detail, str) else "What was sent is not valid."
        said = _said(sentence, codes if isinstance(codes, str) else error.default_code)
    return {
        "type": "about:blank",
        "title": HTTPStatus(error.status_code).phrase,
        "status": error.status_code,
        **said,
        "errors": list(_field_errors(error)),
    }


def _said(what: object, code: str) -> dict[str, Any]:
    if isinstance(what, Reasoned):
        what = what.reason
    if isinstance(what, Reason):
        return what.as_json() | {"detail": worded(what)}
    if isinstance(what, Exception):
        code = re.sub(r"(?<!^)(?=[A-Z])", "_", type(what).__name__).lower()
    return {"code": code, "params": {}, "detail": str(what)}


def _field_errors(error: exceptions.APIException) -> Iterator[dict[str, Any]]:
    if isinstance(error, Refused):
        for name, what in error.errors:
            said = _said(what, error.default_code)
            yield {"field": name, "message": said.pop("detail")} | said
    elif isinstance(error, exceptions.ValidationError):
        yield from _flat(error.get_full_details(), "")


def _flat(details: Any, path: str) -> Iterator[dict[str, Any]]:
    if isinstance(details, list):
        for place, one in enumerate(details):
            nested = isinstance(one, Mapping) and not {"message", "code"} >= set(one)
            yield from _flat(one, f"{path}.{place}" if nested else path)
    elif set(details) == {"message", "code"} and isinstance(details["message"], str):
        yield {"field": path, "message": str(details["message"]), "code": str(details["code"]), "params": {}}
    else:
        for name, one in details.items():
            inner = "" if name == "non_field_errors" else name
            yield from _flat(one, ".".join(filter(None, (path, str(inner)))))


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if scheme := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = scheme
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = f"{wait:.0f}"
    return headers
