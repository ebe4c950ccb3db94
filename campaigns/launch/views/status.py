"""What the pages of a campaign say about its state."""

from django.urls import reverse

from accounts.models import User
from campaigns.access import Right, rights_in
from campaigns.audio.delivery import highest_target_for_all
from campaigns.launch.checklist import obstacles, warnings
from campaigns.launch.later_units import adding, news_for
from campaigns.launch.lifecycle import preparation
from campaigns.launch.steps import progress_line
from campaigns.models import Campaign


def status_of(campaign: Campaign, user: User, *, page: str = "campaign") -> dict[str, object]:
    """The context of the fragment with the state, the check-list and the buttons; `page` is the one it is on."""
    rights, is_draft = rights_in(campaign, user), campaign.status == Campaign.Status.DRAFT
    return {
        "campaign": campaign,
        "page": page,
        "here": reverse(page, args=[campaign.slug]),
        "job": preparation(campaign) if is_draft else adding(campaign) or preparation(campaign),
        "news": news_for(campaign) if Right.MANAGE in rights else None,
        "obstacles": obstacles(campaign) if is_draft else [],
        "warnings": warnings(campaign) if is_draft else [],
        "highest_target": highest_target_for_all(campaign),
        "launch": progress_line(campaign, rights) if is_draft and Right.MANAGE in rights else None,
        "may_manage": Right.MANAGE in rights,
        "may_export": Right.EXPORT in rights,
        "may_clone": Right.MANAGE in rights and user.may_launch,
    }
