from django import forms
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from annotation.withdrawal.withdraw import NothingToWithdraw, account_is_needed, own_membership
from annotation.withdrawal.withdraw import withdraw as withdraw_from
from campaigns.models import Campaign, Outcome
from campaigns.people.panels import way_back


class WithdrawalForm(forms.Form):
    """Leaving is what the button does; these come on top of it."""

    identity = forms.BooleanField(
        label=gettext_lazy("Delete my identity"),
        required=False,
        help_text=gettext_lazy("Username, e-mail address and participant number. This cannot be undone."),
    )
    answers = forms.BooleanField(
        label=gettext_lazy("Do not use my answers"),
        required=False,
        help_text=gettext_lazy("They are left out of everything that is computed from now on."),
    )


@require_http_methods(["GET", "POST"])
def withdraw(request: AccountRequest, slug: str) -> HttpResponse:
    """What leaving means, and the choice. An annotator who has left may return here to request more."""
    campaign = Campaign.objects.filter(slug=slug).first()
    try:
        member = own_membership(campaign, request.user) if campaign else None
    except NothingToWithdraw:
        member = None
    if campaign is None or member is None:
        raise Http404("There is no such campaign among yours.")
    form = WithdrawalForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _leave(request, campaign, **form.cleaned_data)
    context = {
        "campaign": campaign,
        "member": member,
        "form": form,
        "account_stays": account_is_needed(request.user, beside=campaign),
    }
    return render(request, "annotation/withdrawal/withdraw.html", context)


def _leave(request: AccountRequest, campaign: Campaign, *, identity: bool, answers: bool) -> HttpResponse:
    back = way_back(request.user, campaign, Outcome.NO_CONSENT)
    left = withdraw_from(campaign, request.user, identity=identity, answers=answers)
    if left.account_deleted:
        logout(request)
    context = {"campaign": campaign, "left": left, "identity": identity, "answers": answers, "back": back}
    return render(request, "annotation/withdrawal/withdrawn.html", context)
