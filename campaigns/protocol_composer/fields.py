"""Form fields for what a protocol is made of."""

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from campaigns.protocol_composer.lines import (
    LineFault,
    read_options,
    read_pairs,
    read_words,
    write_options,
    write_pairs,
    write_words,
)


class Text(forms.CharField):
    """Text that may be left empty: what must be there is said by the protocol itself."""

    def __init__(self, *, rows: int = 0, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput()
        super().__init__(**{"required": False, "widget": widget} | kwargs)

    def to_python(self, value: Any) -> Any:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")
        if "\x00" in text:
            raise ValidationError(_("The text holds characters that cannot be kept."))
        return text


class Choice(forms.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False} | kwargs)


class Flag(forms.BooleanField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False} | kwargs)


class Number(forms.FloatField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False} | kwargs)


class Options(Text):
    """Choices, one per line."""

    def to_python(self, value: Any) -> Any:
        try:
            return read_options(super().to_python(value))
        except LineFault as fault:
            raise ValidationError(
                _("Line %(line)s: a choice is written “value | label | anchor”."), params={"line": fault.line}
            ) from fault

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else write_options(value)


class Pairs(Text):
    """Names, each with a value, one per line."""

    def to_python(self, value: Any) -> Any:
        try:
            return read_pairs(super().to_python(value))
        except LineFault as fault:
            raise ValidationError(
                _("Line %(line)s: write “name = value”, and every name once."), params={"line": fault.line}
            ) from fault

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else write_pairs(value)


class Words(Text):
    """Names with commas between them."""

    def to_python(self, value: Any) -> Any:
        return read_words(super().to_python(value))

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else write_words(value)


def plain_field(kind: Any, **kwargs: Any) -> forms.Field:
    """A field for a value of this type, for what no form declares by hand."""
    origin = get_origin(kind)
    if origin is Literal:
        return Choice(choices=[(value, value) for value in get_args(kind)], **kwargs)
    if origin is tuple:
        return Words(**kwargs)
    if origin is Mapping:
        return Pairs(rows=2, **kwargs)
    return {str: Text, bool: Flag, float: Number}[kind](**kwargs)  # type: ignore[no-any-return]
