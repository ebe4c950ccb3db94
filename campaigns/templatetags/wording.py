"""Wording that is data, in the language of the page."""

from django import template
from django.utils.translation import gettext

from campaigns.phrases import Phrase

register = template.Library()


@register.filter
def worded(text: str) -> str:
    """A protocol's wording, a refusal or a job's note in the language of the page.

    What no catalogue knows stays as it is: the protocols that people write themselves, say.
    """
    if isinstance(text, Phrase):
        parts = {name: worded(part) if isinstance(part, str) else part for name, part in text.parts.items()}
        return gettext(text.template) % parts
    return gettext(text)
