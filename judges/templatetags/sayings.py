"""What runs and calls have kept, in the language of the page."""

from django import template

from infrastructure.phrases import Phrase
from infrastructure.templatetags.wording import worded
from judges import sayings

register = template.Library()


@register.filter
def told(text: str) -> str:
    return worded(text) if isinstance(text, Phrase) else sayings.told(text)
