"""What every step of a launch has in common: the draft, and where one goes from here."""

from django.contrib import messages
from django.http import HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, rights_in
from campaigns.launch.steps import progress_line
from campaigns.models import Campaign


def draft_of(request: AccountRequest, slug: str) -> Campaign:
    return campaign_for(request.user, slug, Right.MANAGE)


def is_fixed(campaign: Campaign) -> bool:
    return campaign.status != Campaign.Status.DRAFT


def to_campaign(request: AccountRequest, campaign: Campaign) -> HttpResponseRedirect:
    """Away from a step that is no longer to be taken."""
    messages.warning(request, _("This is fixed once a campaign has opened. Clone the campaign to change it."))
    return redirect(campaign)


def to_next(request: AccountRequest, campaign: Campaign, step: str) -> HttpResponseRedirect:
    after = progress_line(campaign, rights_in(campaign, request.user), step).after
    return redirect(after.url if after else campaign)
