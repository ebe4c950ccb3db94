"""Answers to many units are left out at once, or taken in again; and that is undone."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.requests import AccountRequest
from analytics.review.forms import BulkUseForm
from analytics.review.queue import review_units
from analytics.review.views import selected_units
from analytics.review.wanted import annotator_in, read_wanted, wanted_units
from annotation.models import BulkDecision, Reason
from annotation.review.adjudication import NotForReview
from annotation.review.bulk import decide_in_bulk, last_bulk, stop_bulk, undo_bulk
from campaigns.access import Right, campaign_for
from infrastructure.templatetags.wording import refusal_text


@require_POST
def use_many(request: AccountRequest, slug: str) -> HttpResponse:
    """Leave out the answers to the selected units or to all that match, or take them in again."""
    campaign, wanted = campaign_for(request.user, slug, Right.REVIEW), read_wanted(request.GET)
    form = BulkUseForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return _back(request, slug)
    said = form.cleaned_data
    annotator = annotator_in(campaign, said["annotator"])
    if said["which"] == "all":
        units = [unit.pk for unit in wanted_units(campaign, review_units(campaign), wanted, request.user)]
    else:
        units = selected_units(request)
    if not units or (said["annotator"] and annotator is None):
        messages.warning(request, _("Nothing is selected."))
        return _back(request, slug)
    reason = said["reason"] or Reason.OTHER
    decided = decide_in_bulk(
        campaign, units, reviewer=request.user, use=said["use"], reason=reason, comment=said["comment"],
        annotator=annotator,
    )  # fmt: skip
    _say(request, decided)
    return _back(request, slug)


@require_POST
def undo_many(request: AccountRequest, slug: str) -> HttpResponse:
    """Turn round this reviewer's last decision about many answers, if it is the one that the page showed."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    row = last_bulk(campaign, request.user)
    if row is None or str(row.pk) != request.POST.get("decision"):
        messages.warning(request, _("Nothing changed."))
        return _back(request, slug)
    try:
        _say(request, undo_bulk(row, reviewer=request.user))
    except NotForReview as refusal:
        messages.error(request, refusal_text(refusal))
    return _back(request, slug)


@require_POST
def stop_many(request: AccountRequest, slug: str) -> HttpResponse:
    """End this reviewer's last decision about many answers while it is being done."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    row = last_bulk(campaign, request.user)
    if row is None or str(row.pk) != request.POST.get("decision") or row.n_answers is not None:
        messages.warning(request, _("Nothing changed."))
    else:
        _say(request, stop_bulk(row, reviewer=request.user))
    return _back(request, slug)


def _say(request: AccountRequest, decided: BulkDecision) -> None:
    """What was done; of what is being done the page itself says how far it is."""
    if (n := decided.n_answers) is None:
        return
    if n == 0:
        messages.warning(request, _("Nothing changed."))
    elif decided.use:
        said = ngettext("%(n)s answer is used again.", "%(n)s answers are used again.", n)
        messages.success(request, said % {"n": n})
    else:
        said = ngettext("%(n)s answer is left out.", "%(n)s answers are left out.", n)
        messages.success(request, said % {"n": n})


def _back(request: AccountRequest, slug: str) -> HttpResponse:
    return redirect(f"{reverse('review', args=[slug])}?{read_wanted(request.GET).query}")
