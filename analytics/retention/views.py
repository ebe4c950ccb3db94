"""How long a campaign keeps who its annotators were, and its recordings; seen and set by who manages its people."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from analytics.retention.deletion import due_in, set_retention, terms_of
from analytics.retention.forms import RetentionForm
from campaigns.access import Right, campaign_for
from campaigns.models import Retention


@require_http_methods(["GET", "POST"])
def retention(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.INVITE)
    kept = Retention.objects.filter(campaign=campaign).values("identity_days", "audio_days").first()
    form = RetentionForm(request.POST if request.method == "POST" else None, initial=dict(kept or {}))
    if request.method == "POST" and form.is_valid():
        set_retention(campaign, **form.cleaned_data)
        messages.success(request, _("This is how long it is kept from now on."))
        return redirect("retention", slug=slug)
    context = {
        "campaign": campaign,
        "form": form,
        "terms": terms_of(campaign),
        "due": due_in(campaign, timezone.now()) if campaign.closed_at else None,
    }
    return render(request, "analytics/retention.html", context, status=422 if form.errors else 200)
