"""How long a campaign keeps who its annotators were, and its recordings; seen and set by who manages its people."""

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from analytics.retention.deletion import due_in, set_retention, terms_of
from analytics.retention.forms import RetentionForm
from analytics.retention.overview import campaigns_by_close, terms_of_all
from campaigns.access import Right, campaign_for
from campaigns.models import Retention

PER_PAGE = 50


@require_http_methods(["GET", "POST"])
def retention(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.INVITE)
    kept = Retention.objects.filter(campaign=campaign).values("identity_days", "audio_days").first()
    form = RetentionForm(request.POST if request.method == "POST" else None, initial=dict(kept or {}))
    if request.method == "POST" and form.is_valid():
        set_retention(campaign, **form.cleaned_data, by=request.user)
        messages.success(request, _("Saved."))
        return redirect("retention", slug=slug)
    context = {
        "campaign": campaign,
        "form": form,
        "terms": terms_of(campaign),
        "due": due_in(campaign, timezone.now()) if campaign.closed_at else None,
    }
    return render(request, "analytics/retention/retention.html", context, status=422 if form.errors else 200)


@never_cache
@require_safe
def retention_of_all(request: AccountRequest) -> HttpResponse:
    """Every campaign with its rules and what is deleted when."""
    require_administrator(request.user)
    search = request.GET.get("q", "").strip()
    rows = campaigns_by_close()
    if search:
        rows = rows.filter(title__icontains=search)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    now = timezone.now()
    context = {
        "page": page,
        "rows": [(it, it.is_overdue(now)) for it in terms_of_all(page)],
        "search": search,
        "identity_days": settings.RETAIN_IDENTITY_DAYS,
        "audio_days": settings.RETAIN_AUDIO_DAYS,
    }
    return render(request, "analytics/retention/retention_of_all.html", context)
