"""`{% health_strip %}` on every page of staff; `{% waiting_of job as waiting %}` beside the progress of a job."""

from typing import Any

from django import template

from infrastructure.administration.sections import Card, kept_needing_action, sections_needing_action
from infrastructure.background.health import health
from infrastructure.background.workers import Waiting, waiting
from infrastructure.models import Job

register = template.Library()


@register.inclusion_tag("infrastructure/_health.html", takes_context=True)
def health_strip(context: dict[str, Any]) -> dict[str, object]:
    """Nothing for those who only label."""
    user = context.get("user")
    if user is None or not user.is_authenticated or not user.may_launch:
        return {}
    found = health()
    to_do = _to_do(context) if user.is_superuser else []
    strip = {"health": found, "failure": found.last_failure(user)}
    return strip | {"to_do": to_do or [], "is_asked_for": to_do is None}


def _to_do(context: dict[str, Any]) -> list[Card] | None:
    """Of the page's own list where it has one. Pages do not ask sections: the line fetches itself at once."""
    shown: list[Card] | None = context.get("needing_action")
    if shown is not None:
        return shown
    return sections_needing_action() if context.get("asks_sections") else kept_needing_action()


@register.simple_tag
def waiting_of(job: Job) -> Waiting | None:
    return waiting(job)
