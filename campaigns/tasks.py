"""The background work of campaigns."""

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from campaigns.access import CAMPAIGNS, may_view_campaign, page_of_campaign
from campaigns.audio.delivery import audio_problems_of, prepare_audio_of
from campaigns.control_units.attention_checks.making import KIND as MAKE_TRAPS
from campaigns.control_units.attention_checks.making import make_traps_of
from campaigns.launch.later_units import KIND as ADD_UNITS
from campaigns.launch.later_units import add_later_units
from campaigns.launch.lifecycle import close_due_campaigns
from campaigns.launch.stopping import close_settled_campaigns
from infrastructure.background.kinds import JobKind, register

register(
    JobKind(
        "prepare-audio",
        _("Preparation of audio"),
        prepare_audio_of,
        may_view=may_view_campaign,
        page=page_of_campaign,
        problems=audio_problems_of,
        subjects=CAMPAIGNS,
        repeatable=True,
        cancellable=True,
    ),
    JobKind(
        ADD_UNITS,
        _("New units"),
        add_later_units,
        may_view=may_view_campaign,
        page=page_of_campaign,
        subjects=CAMPAIGNS,
        repeatable=True,
        cancellable=True,
    ),
    JobKind(
        MAKE_TRAPS,
        _("Spoken traps"),
        make_traps_of,
        may_view=may_view_campaign,
        page=page_of_campaign,
        subjects=CAMPAIGNS,
        repeatable=True,
    ),
)


@shared_task
def close_due_campaigns_task() -> int:
    return close_due_campaigns()


@shared_task
def close_settled_campaigns_task() -> int:
    return len(close_settled_campaigns())
