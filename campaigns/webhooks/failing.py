"""Webhooks whose events do not arrive, for administrators."""

from collections.abc import Iterator

from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.models import Webhook
from infrastructure.administration.failing_work import MOST, FailingWork


def failing_webhooks() -> Iterator[FailingWork]:
    """Those that fail now, and those that were disabled for it; in one query."""
    failing = Webhook.objects.filter(failing_since__isnull=False).select_related("campaign")
    for hook in failing.order_by(F("disabled_at").asc(nulls_first=True), "-failing_since")[:MOST]:
        yield FailingWork(
            kind=_("Webhook, disabled") if hook.disabled_at else _("Webhook, failing"),
            about=f"{hook.campaign.title} · {hook.url}",
            address=reverse("webhook", args=[hook.campaign.slug, hook.pk]),
            since=hook.failing_since,
            why=hook.disabled_because,
        )
