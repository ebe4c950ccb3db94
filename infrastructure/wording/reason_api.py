"""A reason in the API: its code and parameters, and a sentence in the language that was asked for."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from infrastructure.templatetags.wording import worded
from infrastructure.wording.reasons import Reason, with_details


class ReasonSerializer(serializers.Serializer):
    code = serializers.CharField(help_text="one of docs/reference/reasons.md")
    params = serializers.DictField(help_text="what the sentence names; a reason among them has the same shape")
    detail = serializers.CharField(help_text="the sentence")


class ReasonsSerializerField(serializers.JSONField):
    """Data with reasons in them, each as above."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, value: Any) -> Any:
        return with_details(value, worded)


@extend_schema_field(ReasonSerializer(allow_null=True))
class ReasonSerializerField(serializers.Field):
    """Null where there is no reason."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, value: Reason) -> dict[str, Any]:
        return dict(with_details(value, worded))
