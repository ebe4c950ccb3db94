"""The one shape of an error: RFC 9457, with a list of what is wrong with which field."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.forms import BaseForm
from rest_framework import exceptions, serializers
from rest_framework.renderers import JSONRenderer

CONTENT_TYPE = "application/problem+json"


class Refused(exceptions.APIException):
    """What an action refused: its exception, a reason, or words; `errors` says what is wrong with which field."""

    def __init__(self, refused: object, errors: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__(str(refused))
        self.refused, self.errors = refused, list(errors)


class Conflict(Refused):
    """What is asked for does not go with how things stand."""

    status_code = 409
    default_code = "conflict"


class NotYet(Conflict):
    """The same request may succeed in `wait` seconds, which the response says in `Retry-After`."""

    default_code = "not_yet"
    wait = 2


class Unprocessable(Refused):
    """What was sent can be read, and cannot be taken."""

    status_code = 422
    default_code = "unprocessable"


def cleaned(form: BaseForm) -> dict[str, Any]:
    """What a form of the pages makes of it. Raises ValidationError with what it finds wrong.

    That is also JSON which is no object, such as a list: a form reads fields.
    """
    if not isinstance(form.data, Mapping):
        raise exceptions.ValidationError({"": ["An object with fields is expected here."]})
    if not form.is_valid():
        raise exceptions.ValidationError(
            {
                "" if name == "__all__" else name: [
                    exceptions.ErrorDetail(it["message"], it["code"] or "invalid") for it in said
                ]
                for name, said in form.errors.get_json_data().items()
            }
        )
    return form.cleaned_data


class ProblemRenderer(JSONRenderer):
    media_type = CONTENT_TYPE
    charset = None


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="of the body, with dots between its parts; empty for the whole of it")
    message = serializers.CharField()
    code = serializers.CharField(help_text="a word for programs")
    params = serializers.DictField(help_text="what the message names, where docs/reference/reasons.md has its code")


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField(help_text="`about:blank`: the status says it, and `code` more exactly")
    title = serializers.CharField(help_text="of the status")
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="a word for programs")
    params = serializers.DictField(help_text="what the sentence names, where docs/reference/reasons.md has its code")
    detail = serializers.CharField(help_text="a sentence for people")
    errors = FieldErrorSerializer(many=True)
