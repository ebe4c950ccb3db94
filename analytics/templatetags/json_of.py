"""Values as scripts and drawings read them, whatever the language of the page."""

import json

from django import template

register = template.Library()


@register.filter
def json_of(value: object) -> str:
    """As JSON, to stand in an attribute."""
    return json.dumps(value)


@register.filter
def unlocalize_number(value: float) -> str:
    """With a point and without grouping."""
    return f"{value:g}"
