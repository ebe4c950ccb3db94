"""Coming in by an invitation link, and agreeing to what a campaign asks one to agree to."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import get_random_string
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.models import CampaignUnit, Invitation, Outcome
from campaigns.people.consent import ConsentNeeded, consent_needed, give_consent, newest_text
from campaigns.people.invitation_forms import JoinForm
from campaigns.people.invitations import InvitationRefused, LogInFirst, Visit, accept_invitation, visit
from campaigns.people.panels import NO_PARTICIPANT, PanelIds, panel_ids, way_back_of

#: Where the session keeps a panel's numbers from the first look at the link until the person joins or declines.
ARRIVING = "arriving"
ARRIVING_SECONDS = 3600


@login_not_required
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What one is asked to do, and the button to begin."""
    invitation = Invitation.objects.select_related("campaign").filter(token=token).first()
    if invitation is None:
        raise Http404("There is no such link.")
    if request.method == "POST":
        return _decline(request, invitation) if "decline" in request.POST else _join(request, invitation)
    if (sent := panel_ids(invitation.panel, request.GET)) != NO_PARTICIPANT:
        # The numbers leave the address at once: otherwise loaded resources and logs would receive it.
        _keep(request, invitation, sent)
        return redirect(invitation)
    found = visit(invitation, user=_visitor(request), ids=_kept(request, invitation))
    if found.joined:
        return redirect("label", slug=invitation.campaign.slug)
    return _page(request, invitation, found)


@require_http_methods(["GET", "POST"])
def consent(request: AccountRequest, slug: str) -> HttpResponse:
    """The newest text, for current annotators."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    if request.method == "POST":
        form = JoinForm(request.POST)
        form.is_valid()
        try:
            give_consent(campaign, user=request.user, version=form.cleaned_data.get("agree"))
        except ConsentNeeded as needed:
            return render(
                request, "campaigns/people/consent.html", {"campaign": campaign, "text": needed.text, "unread": True}
            )
        return redirect("label", slug=slug)
    text = newest_text(campaign)
    if text is None:
        return redirect("label", slug=slug)
    context = {"campaign": campaign, "text": text, "agreed": consent_needed(campaign, request.user) is None}
    return render(request, "campaigns/people/consent.html", context)


def _join(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    visitor, ids = _visitor(request), _kept(request, invitation)
    form = JoinForm(request.POST, asks_number=bool(invitation.panel) and not ids.participant)
    if not form.is_valid():
        return _page(request, invitation, visit(invitation, user=visitor, ids=ids), form=form)
    if typed := form.cleaned_data["participant"]:
        ids = PanelIds(participant=typed) if ids == NO_PARTICIPANT else ids
    try:
        person = accept_invitation(
            invitation.token,
            user=visitor,
            ids=ids,
            click=form.cleaned_data["click"],
            agreed=form.cleaned_data["agree"],
        )
    except ConsentNeeded as needed:
        return _page(request, invitation, Visit(consent=needed.text), form=form, notice=str(needed))
    except InvitationRefused as refusal:
        return _page(request, invitation, Visit(reason=str(refusal), must_log_in=isinstance(refusal, LogInFirst)))
    if person != visitor:
        login(request, person)
    _forget(request)
    return redirect("label", slug=invitation.campaign.slug)


def _decline(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """No data are stored of a person who does not agree."""
    back = way_back_of(invitation, _kept(request, invitation).participant, Outcome.NO_CONSENT)
    _forget(request)
    return render(request, "campaigns/people/declined.html", {"campaign": invitation.campaign, "back": back})


def _page(
    request: HttpRequest, invitation: Invitation, found: Visit, *, form: JoinForm | None = None, notice: str = ""
) -> HttpResponse:
    campaign = invitation.campaign
    context: dict[str, Any] = {"invitation": invitation, "campaign": campaign, "visit": found, "notice": notice}
    context |= {
        "form": form,
        "asks_number": bool(invitation.panel) and not _kept(request, invitation).participant,
        "click": get_random_string(32),
        "n_units": campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count(),
        "protocol": campaign.protocol,
    }
    return render(request, "campaigns/people/join.html", context, status=409 if found.reason else 200)


def _visitor(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def _keep(request: HttpRequest, invitation: Invitation, ids: PanelIds) -> None:
    request.session[ARRIVING] = {"token": invitation.token, **ids.as_dict()}
    if not request.user.is_authenticated:
        request.session.set_expiry(ARRIVING_SECONDS)


def _kept(request: HttpRequest, invitation: Invitation) -> PanelIds:
    kept = dict(request.session.get(ARRIVING, {}))
    return PanelIds(**kept) if kept.pop("token", "") == invitation.token else NO_PARTICIPANT


def _forget(request: HttpRequest) -> None:
    request.session.pop(ARRIVING, None)
    request.session.set_expiry(None)
