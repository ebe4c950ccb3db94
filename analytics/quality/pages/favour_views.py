from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.quality import decisions
from analytics.quality.evidence import ENOUGH
from analytics.quality.pages.favour import FavourPage, favour_page
from analytics.quality.pages.forms import ACTIONS, DecisionForm
from annotation.models import Reason
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign, Role
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import row_id

#: What can be decided about several people at once.
DECISIONS = ("pause", "resume", "exclude", "include")


@require_safe
def campaign_favour(request: AccountRequest, slug: str) -> HttpResponse:
    """`without` names the memberships that the second board does not have; without `chosen`, those flagged."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    return _page(request, campaign, favour_page(campaign, without=_chosen(request)))


@require_POST
def favour_decide(request: AccountRequest, slug: str) -> HttpResponse:
    """One decision about each of the selected annotators."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    form, decision = DecisionForm(request.POST), request.POST.get("decision", "")
    ids = [row_id(pk) for pk in request.POST.getlist("without")]
    members = list(
        campaign.memberships.filter(pk__in=ids, role=Role.ANNOTATOR, answers_withdrawn_at=None).select_related(
            "user", "campaign"
        )
    )
    if form.is_valid() and not members:
        form.add_error(None, _("Select at least one person."))
    if decision not in DECISIONS or not form.is_valid():
        return _page(request, campaign, favour_page(campaign, without=ids), form=form, status=422)
    try:
        for member in members:
            decisions.DECISIONS[decision](member, by=request.user, **form.cleaned_data)
    except ValueError as refusal:
        form.add_error("comment", refusal_text(refusal))
        return _page(request, campaign, favour_page(campaign, without=ids), form=form, status=422)
    messages.success(
        request,
        ngettext("Decided about %(n)s person.", "Decided about %(n)s people.", len(members)) % {"n": len(members)},
    )
    return redirect(reverse("quality-favour", args=[slug]))


def _chosen(request: AccountRequest) -> list[int] | None:
    if "chosen" not in request.GET and "without" not in request.GET:
        return None
    return [row_id(pk) for pk in request.GET.getlist("without")]


def _page(
    request: AccountRequest,
    campaign: Campaign,
    page: FavourPage,
    *,
    form: DecisionForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "page": page,
        "form": form or DecisionForm(initial={"reason": Reason.FAVOUR}),
        "enough": int(ENOUGH),
        "action": dict(ACTIONS)[page.rule.action],
        "may_manage": Right.MANAGE in rights_in(campaign, request.user),
    }
    return render(request, "analytics/quality/favour.html", context, status=status)
