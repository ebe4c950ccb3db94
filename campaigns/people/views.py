"""Who takes part in a campaign: people by name, invitation links, and what all agree to."""

from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.login.forms import SureForm
from accounts.login.password_links import password_link
from accounts.login.second_factor import has_second_factor, require_may_take_away, take_away, who_have_one
from accounts.models import User
from accounts.people.rights import require_account
from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, Invitation, Membership
from campaigns.people.consent import new_version, newest_text
from campaigns.people.forms import MemberForm
from campaigns.people.invitation_forms import ConsentForm, InvitationForm
from campaigns.people.invitations import InvalidInvitation, make_invitations, revoke_invitation
from campaigns.people.members import (
    LastAdmin,
    add_member,
    annotators_by_state,
    create_account,
    end_membership,
    names_to_suggest,
)
from campaigns.people.panels import PLACEHOLDERS
from campaigns.people.rights_table import rights_in_campaigns, rights_in_installation
from infrastructure.templatetags.wording import refusal_text


@dataclass(frozen=True)
class ShownInvitation:
    """A link as its maker sees it, with what the panel fills in."""

    row: Invitation
    link: str
    used: int


@require_safe
def rights(request: AccountRequest) -> HttpResponse:
    """What may be done by whom."""
    require_account(request.user)
    context = {"campaign": rights_in_campaigns(), "installation": rights_in_installation()}
    return render(request, "campaigns/people/rights.html", context)


@require_http_methods(["GET", "POST"])
def members(request: AccountRequest, slug: str) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.INVITE)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _add(request, row, **form.cleaned_data)
        return redirect("members", slug=slug)
    return _people(request, row, form=form)


@require_POST
def member_end(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.INVITE)
    member = Membership.objects.filter(campaign=row, pk=pk).first()
    if member is None:
        raise Http404("There is no such member.")
    try:
        end_membership(member, by=request.user)
    except LastAdmin as refusal:
        messages.error(request, refusal_text(refusal))
    return redirect("members", slug=slug)


@require_POST
def member_password(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """A link by which this person chooses a new password, shown once to an administrator of the installation."""
    row = campaign_for(request.user, slug, Right.INVITE)
    member = Membership.objects.filter(campaign=row, pk=pk).select_related("user").first()
    if member is None:
        raise Http404("There is no such member.")
    link = request.build_absolute_uri(password_link(member.user, by=request.user))
    text = _("Give %(name)s this link. It works once, within three days: %(link)s")
    messages.success(request, text % {"name": member.user.username, "link": link})
    return redirect("members", slug=slug)


@require_http_methods(["GET", "POST"])
def member_second_factor(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """Remove the second factor of a user who has lost it. The administrator's own password confirms it."""
    row = campaign_for(request.user, slug, Right.INVITE)
    member = Membership.objects.filter(campaign=row, pk=pk).select_related("user").first()
    if member is None:
        raise Http404("There is no such member.")
    require_may_take_away(request.user)
    form = SureForm(request.POST or None, user=request.user, address=request.META.get("REMOTE_ADDR", ""))
    if request.method == "POST" and form.is_valid():
        take_away(member.user, by=request.user)
        text = _("%(name)s logs in with the password alone now, and can add a second factor again.")
        messages.success(request, text % {"name": member.user.username})
        return redirect("members", slug=slug)
    context = {"campaign": row, "member": member, "form": form, "has_one": has_second_factor(member.user)}
    return render(request, "campaigns/people/member_second_factor.html", context, status=422 if form.errors else 200)


@require_POST
def invitation_new(request: AccountRequest, slug: str) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.INVITE)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _people(request, row, invitation_form=form)
    try:
        made = make_invitations(row, terms=form.terms, user=request.user, how_many=form.how_many_links)
    except InvalidInvitation as invalid:
        for field, message in invalid.errors.items():
            form.add_error(field, message)
        return _people(request, row, invitation_form=form)
    messages.success(
        request, ngettext("%(n)s link was made.", "%(n)s links were made.", len(made)) % {"n": len(made)}
    )
    return redirect("members", slug=slug)


@require_POST
def invitation_revoke(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.INVITE)
    invitation = Invitation.objects.filter(campaign=row, pk=pk).first()
    if invitation is None:
        raise Http404("There is no such link.")
    revoke_invitation(invitation, by=request.user)
    return redirect("members", slug=slug)


@require_POST
def consent_text(request: AccountRequest, slug: str) -> HttpResponse:
    """A new version of what annotators agree to."""
    row = campaign_for(request.user, slug, Right.INVITE)
    form = ConsentForm(request.POST)
    if form.is_valid():
        try:
            new_version(row, text=form.cleaned_data["text"], user=request.user)
        except ValueError as refusal:
            form.add_error("text", refusal_text(refusal))
        else:
            return redirect("members", slug=slug)
    return _people(request, row, consent_form=form)


def _people(
    request: AccountRequest,
    row: Campaign,
    *,
    form: MemberForm | None = None,
    invitation_form: InvitationForm | None = None,
    consent_form: ConsentForm | None = None,
) -> HttpResponse:
    """The page, with the one form that was sent and is faulty."""
    newest = newest_text(row)
    rows = list(row.memberships.filter(ended_at=None).select_related("user"))
    context = {
        "campaign": row,
        "members": rows,
        "with_second_factor": who_have_one(it.user_id for it in rows) if request.user.is_superuser else set(),
        "state": annotators_by_state(row),
        "form": form or MemberForm(),
        "suggested": names_to_suggest(row, to=request.user),
        "invitations": _invitations(request, row),
        "invitation_form": invitation_form or InvitationForm(),
        "consent_texts": row.consent_texts.annotate(agreed=Count("consents")).order_by("-version"),
        "consent_form": consent_form or ConsentForm(initial={"text": newest.text if newest else ""}),
    }
    return render(request, "campaigns/people/members.html", context)


def _invitations(request: AccountRequest, row: Campaign) -> list[ShownInvitation]:
    rows = row.invitations.annotate(used=Count("arrivals")).order_by("-pk")
    return [
        ShownInvitation(
            invitation,
            request.build_absolute_uri(invitation.get_absolute_url()) + PLACEHOLDERS.get(invitation.panel, ""),
            invitation.used,
        )
        for invitation in rows
    ]


def _add(request: AccountRequest, row: Campaign, *, username: str, role: str, is_new: bool) -> None:
    if is_new:
        user, password = create_account(username, by=request.user)
        messages.success(
            request,
            _("Account %(name)s was made. Its password, shown once: %(password)s")
            % {"name": username, "password": password},
        )
    else:
        user = User.objects.named(username).get()
    add_member(row, user=user, role=role, by=request.user)
