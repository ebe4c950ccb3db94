"""Deletions that stopped, above the list of what they are of."""

from typing import Any

from django import template

from infrastructure.deletion.stopped import stopped_deletions

register = template.Library()


@register.inclusion_tag("infrastructure/_stopped_deletions.html", takes_context=True)
def deletions_that_stopped(context: Any, kind: str = "") -> dict[str, Any]:
    """Administrators alone see them, and run them again."""
    user = context["request"].user
    shown = user.is_superuser and not user.is_guest
    return {
        "stopped_deletions": stopped_deletions(kind) if shown else [],
        "csrf_token": context.get("csrf_token"),
    }
