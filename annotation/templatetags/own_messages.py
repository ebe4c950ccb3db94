"""`{% own_messages campaign %}`: a link to what was written to this annotator, where there is something."""

from typing import Any

from django import template

from annotation.review import comments
from campaigns.models import Campaign

register = template.Library()


@register.inclusion_tag("annotation/review/_messages_link.html", takes_context=True)
def own_messages(context: dict[str, Any], campaign: Campaign) -> dict[str, object]:
    return {"campaign": campaign, "n_messages": comments.own_messages(campaign, context["request"].user).count()}
