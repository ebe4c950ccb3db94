"""Values as scripts read them."""

import json

from django import template

register = template.Library()


@register.filter
def json_of(value: object) -> str:
    """As JSON, to stand in an attribute."""
    return json.dumps(value)
