from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import reswap

from accounts.requests import AccountRequest
from analytics.data.votes.table import questions
from analytics.quality import decisions
from analytics.quality.pages.forms import ACTIONS, DecisionForm, RulesForm
from analytics.quality.pages.history import rule_changes
from analytics.quality.pages.overview import overview
from analytics.quality.pages.person import PersonPage, person_page
from analytics.quality.rules import differing, rules_of
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign, Membership, Role
from campaigns.quality.rules import set_rules
from charts.marks import KEYS
from infrastructure.templatetags.wording import refusal_text

DONE = {
    "pause": gettext_lazy("No more units are given to this annotator."),
    "resume": gettext_lazy("This annotator gets units again."),
    "exclude": gettext_lazy("All answers of this annotator are left out."),
    "include": gettext_lazy("All answers of this annotator are used again."),
    "accept": gettext_lazy("The work is accepted."),
    "decline": gettext_lazy("The work is declined."),
}


@require_safe
def campaign_quality(request: AccountRequest, slug: str) -> HttpResponse:
    """Everybody × every signal; htmx asks for the fragment again every few seconds."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    sort = request.GET.get("sort", "")
    quality = overview(campaign, sort=sort)
    if request.htmx and request.GET.get("seen") == quality.mark:
        return reswap(HttpResponse(status=204), "none")
    context = {
        "campaign": campaign,
        "quality": quality,
        "keys": KEYS | {"used": KEYS["part-1"], "unused": KEYS["part-3"]},
        "sort": sort,
        "again": urlencode({"sort": sort, "seen": quality.mark}),
        "may_manage": Right.MANAGE in rights_in(campaign, request.user),
        "compares": bool(questions(campaign)),
    }
    return render(
        request, "analytics/quality/_quality.html" if request.htmx else "analytics/quality/quality.html", context
    )


@require_http_methods(["GET", "POST"])
def quality_rules(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if request.method == "POST" and "reset" in request.POST:
        return _rules_set(request, campaign, {})
    form = RulesForm(request.POST or None, rules=rules_of(campaign))
    if request.method == "POST" and form.is_valid():
        return _rules_set(request, campaign, differing(campaign, form.rules))
    context = {
        "campaign": campaign,
        "form": form,
        "actions": dict(ACTIONS),
        "changes": rule_changes(campaign),
    }
    return render(request, "analytics/quality/quality_rules.html", context, status=422 if form.errors else 200)


@require_safe
def annotator_quality(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    return _annotator_page(request, _member(campaign, pk))


@require_POST
def decide(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """Pause, resume, leave out, use again, accept or decline."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    member, form = _member(campaign, pk), DecisionForm(request.POST)
    decision = request.POST.get("decision", "")
    if decision not in decisions.DECISIONS or not form.is_valid():
        return _annotator_page(request, member, form=form, decision=decision, status=422)
    try:
        decisions.DECISIONS[decision](member, by=request.user, **form.cleaned_data)
    except ValueError as refusal:
        form.add_error("comment", refusal_text(refusal))
        return _annotator_page(request, member, form=form, decision=decision, status=422)
    messages.success(request, DONE[decision])
    return redirect("quality-annotator", slug=slug, pk=pk)


def _rules_set(request: AccountRequest, campaign: Campaign, rules: dict[str, Any]) -> HttpResponse:
    changed = set_rules(campaign, rules=rules, user=request.user)
    messages.success(request, _("The rules apply from now on.") if changed else _("The rules are unchanged."))
    return redirect("quality-rules", slug=campaign.slug)


def _member(campaign: Campaign, pk: int) -> Membership:
    members = campaign.memberships.filter(role=Role.ANNOTATOR, answers_withdrawn_at=None)
    member = members.filter(pk=pk).select_related("user", "campaign").first()
    if member is None:
        raise Http404("There is no such annotator in this campaign.")
    return member


def _annotator_page(
    request: AccountRequest,
    member: Membership,
    *,
    form: DecisionForm | None = None,
    decision: str = "",
    status: int = 200,
) -> HttpResponse:
    page: PersonPage = person_page(member.campaign, member)
    context = {
        "campaign": member.campaign,
        "member": member,
        "page": page,
        "form": form or DecisionForm(),
        "decision": decision,
        "least": decisions.FEWEST_LETTERS,
    }
    return render(request, "analytics/quality/quality_annotator.html", context, status=status)
