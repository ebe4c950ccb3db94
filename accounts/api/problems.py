"""The one shape of an error: RFC 9457, with a list of what is wrong with which field."""

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import set_rollback

CONTENT_TYPE = "application/problem+json"


class Refused(exceptions.APIException):
    """What a deed refused, in its own words. `errors` says what is wrong, by field (empty for the whole)."""

    def __init__(self, detail: object, errors: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__(str(detail))
        self.errors = [(field, str(message)) for field, message in errors]


class Conflict(Refused):
    """What is asked for does not go with how things stand."""

    status_code = 409
    default_code = "conflict"


class Unprocessable(Refused):
    """What was sent can be read, and cannot be taken."""

    status_code = 422
    default_code = "unprocessable"


def cleaned(form: BaseForm) -> dict[str, Any]:
    """What a form of the pages makes of it. Raises ValidationError with what it finds wrong."""
    if not form.is_valid():
        raise exceptions.ValidationError(
            {"" if name == "__all__" else name: list(map(str, said)) for name, said in form.errors.items()}
        )
    return form.cleaned_data


class ProblemRenderer(JSONRenderer):
    media_type = CONTENT_TYPE
    charset = None


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="of the body, with dots between its parts; empty for the whole of it")
    message = serializers.CharField()
    code = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField(help_text="`about:blank`: the status says it, and `code` more exactly")
    title = serializers.CharField(help_text="of the status")
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="a word for programs")
    detail = serializers.CharField(help_text="a sentence for people")
    errors = FieldErrorSerializer(many=True)


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """What DRF replies to an exception of a view; None for one that is a fault of ours."""
    if isinstance(error, Http404):
        error = exceptions.NotFound(*error.args)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(*error.args)
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    response = Response(document(error), status=error.status_code, headers=_headers(error))
    request = context["request"]
    request.accepted_renderer = ProblemRenderer()
    request.accepted_media_type = CONTENT_TYPE
    return response


def document(error: exceptions.APIException) -> dict[str, Any]:
    fields = list(_field_errors(error))
    codes = error.get_codes()
    return {
        "type": "about:blank",
        "title": HTTPStatus(error.status_code).phrase,
        "status": error.status_code,
        "code": codes if isinstance(codes, str) else error.default_code,
        "detail": str(error.detail) if isinstance(error.detail, str) else "What was sent is not valid.",
        "errors": fields,
    }


def _field_errors(error: exceptions.APIException) -> Iterator[dict[str, str]]:
    if isinstance(error, Refused):
        yield from ({"field": name, "message": said, "code": error.default_code} for name, said in error.errors)
    elif isinstance(error, exceptions.ValidationError):
        yield from _flat(error.get_full_details(), "")


def _flat(details: Any, path: str) -> Iterator[dict[str, str]]:
    if isinstance(details, list):
        for place, one in enumerate(details):
            nested = isinstance(one, Mapping) and not {"message", "code"} >= set(one)
            yield from _flat(one, f"{path}.{place}" if nested else path)
    elif set(details) == {"message", "code"} and isinstance(details["message"], str):
        yield {"field": path, "message": str(details["message"]), "code": str(details["code"])}
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
