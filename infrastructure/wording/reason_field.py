"""Columns for reasons."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from infrastructure.wording.reasons import Reason, read_reasons, without_details

if TYPE_CHECKING:
    _JSONField = models.JSONField[Any, Any]
    _ReasonField = models.JSONField[Reason | None, Reason | None]
else:
    _JSONField = models.JSONField


class ReasonsField(_JSONField):
    """Data with reasons in them; the column holds each as its code and parameters."""

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        return read_reasons(super().from_db_value(value, expression, connection))

    def to_python(self, value: Any) -> Any:
        return read_reasons(value)

    def get_prep_value(self, value: Any) -> Any:
        return without_details(value)

    def value_to_string(self, obj: models.Model) -> Any:
        return self.get_prep_value(self.value_from_object(obj))


if not TYPE_CHECKING:
    _ReasonField = ReasonsField


class ReasonField(_ReasonField):
    """A Reason, or None where there is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**({"null": True, "blank": True} | options))

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Raises TypeError for a sentence without a code."""
        if isinstance(value, str) and not isinstance(value, Reason):
            raise TypeError(f"{self.name}: a reason has a code.")
        return super().get_db_prep_save(value, connection)
