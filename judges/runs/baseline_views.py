"""Baselines by one button: all judges that need no key, how far they are, and a stop."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, rights_in
from infrastructure.templatetags.wording import refusal_text
from judges.runs.baselines import baseline_progress, cancel_baselines, start_baselines
from judges.runs.lifecycle import CannotRun
from protocols import Protocol


@require_http_methods(["GET", "HEAD", "POST"])
def baselines(request: AccountRequest, slug: str) -> HttpResponse:
    """How far the baselines are; a POST starts those that have not run."""
    if request.method == "POST":
        return _started(request, slug)
    campaign = campaign_for(request.user, slug, Right.VIEW)
    context = {
        "campaign": campaign,
        "progress": baseline_progress(campaign),
        "may_manage": Right.MANAGE in rights_in(campaign, request.user),
        "rates_each": _rates_each(campaign.protocol),
        "is_draft": campaign.status == campaign.Status.DRAFT,
    }
    return render(request, "judges/runs/_baselines.html" if request.htmx else "judges/runs/baselines.html", context)


def _rates_each(protocol: Protocol) -> bool:
    """Whether people give numbers to responses, of which most baselines can give none: they prefer one of two."""
    return protocol.unit != "pair" and any(it.scale.kind.is_ordered for it in protocol.aspects)


@require_POST
def baselines_cancel(request: AccountRequest, slug: str) -> HttpResponse:
    """Stop those under way. They can be started again from the same page."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    n = cancel_baselines(campaign)
    stopped = ngettext(
        "%(n)s run was stopped. Its verdicts stay.", "%(n)s runs were stopped. Their verdicts stay.", n
    )
    messages.success(request, stopped % {"n": n} if n else _("Nothing was under way."))
    return redirect("baselines", slug)


def _started(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    try:
        started = start_baselines(campaign, user=request.user)
    except CannotRun as refusal:
        messages.error(request, refusal_text(refusal))
        return redirect("runs", slug)
    if not started:
        messages.info(request, _("Every baseline that fits this campaign has a run already."))
    return redirect("baselines", slug)
