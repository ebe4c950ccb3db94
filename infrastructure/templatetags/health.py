"""`{% health_strip %}` on every page of staff; `{% waiting_of job as waiting %}` beside the progress of a job."""

from typing import Any

from django import template

from infrastructure.administration.sections import needing_action
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
    to_do = needing_action() if user.is_superuser else []
    return {"health": found, "failure": found.last_failure(user), "to_do": to_do}


@register.simple_tag
def waiting_of(job: Job) -> Waiting | None:
    return waiting(job)
