from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.comparing import CannotQualify, comparison_of, qualify_judge
from analytics.comparison_page import csv_lines, json_text, matrix, shown_rows, zero
from analytics.judge_comparison import Comparison
from analytics.label_arrays import PEOPLE
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign
from judges.models import Run


@require_safe
def comparison(request: AccountRequest, slug: str) -> HttpResponse:
    """Every judge, annotator and imported label set beside one reference."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    found = comparison_of(campaign, request.GET.get("reference", ""))
    aspect = request.GET.get("aspect", "")
    aspect = aspect if aspect in found.aspects else next(iter(found.aspects), "")
    rights = rights_in(campaign, request.user)
    titles = {it.name: it.title for it in campaign.protocol.aspects}
    context = {
        "campaign": campaign,
        "comparison": found,
        "aspect": aspect,
        "aspects": [(name, titles[name]) for name in found.aspects],
        "references": [(key, _reference_title(key, title)) for key, title in found.references],
        "rows": shown_rows(found, aspect) if found.rows else [],
        "baselines": found.baselines.get(aspect),
        "matrix": matrix(found),
        "zero": zero(),
        "may_manage": Right.MANAGE in rights,
        "may_review": Right.REVIEW in rights,
        "files": {form: _file_address(campaign, found, form) for form in ("csv", "json")},
    }
    return render(request, "analytics/comparison.html", context)


@require_safe
def comparison_file(request: AccountRequest, slug: str, form: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.VIEW)
    if form not in ("csv", "json"):
        raise Http404("A comparison can be had as CSV and as JSON.")
    found = comparison_of(campaign, request.GET.get("reference", ""))
    if form == "csv":
        text, content_type = "".join(csv_lines(found)), "text/csv"
    else:
        text, content_type = json_text(found, campaign=slug, reference=found.reference), "application/json"
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="comparison-{slug}.{form}"'
    return response


@require_POST
def qualify(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if (run := Run.objects.filter(campaign=campaign, pk=pk).select_related("judge").first()) is None:
        raise Http404("There is no such run of this campaign.")
    reference = request.POST.get("reference", "")
    try:
        row = qualify_judge(campaign, run, reference=reference, user=request.user)
    except CannotQualify as refusal:
        messages.error(request, str(refusal))
    else:
        if row.qualified:
            messages.success(request, _("%(judge)s qualified.") % {"judge": run.judge})
        else:
            told = {"judge": run.judge, "reason": row.reason}
            messages.warning(request, _("%(judge)s did not qualify: %(reason)s.") % told)
    return redirect(f"{reverse('comparison', args=[slug])}?{urlencode({'reference': reference})}")


def _reference_title(key: str, title: str) -> str:
    return _("the campaign’s people") if key == PEOPLE else title


def _file_address(campaign: Campaign, found: Comparison, form: str) -> str:
    address = reverse("comparison-file", args=[campaign.slug, form])
    return f"{address}?{urlencode({'reference': found.reference})}"
