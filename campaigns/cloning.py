"""A new draft like a campaign that was there before."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.consent import new_version, newest_text
from campaigns.drafting import pass_step
from campaigns.launch import create_campaign
from campaigns.models import Campaign, CampaignUnit

Purpose = CampaignUnit.Purpose


@transaction.atomic
def clone_campaign(campaign: Campaign, *, user: User) -> Campaign:
    """A draft with the same dataset, systems, protocol, settings, units, checks and consent text.

    People, invitations and the day on which it closes are not taken along. The units come in an order of their own.
    """
    rows = list(campaign.campaign_units.select_related("unit"))
    clone = create_campaign(
        campaign.dataset,
        title=_("%(title)s (copy)") % {"title": campaign.title[:100]},
        protocol=campaign.protocol,
        units=[row.unit for row in rows if row.purpose == Purpose.STUDY],
        user=user,
        target_lufs=campaign.target_lufs,
        answers_per_unit=campaign.answers_per_unit,
        show_waveform=campaign.show_waveform,
    )
    clone.systems.set(campaign.systems.all())
    checks = [row for row in rows if row.purpose != Purpose.STUDY]
    CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=clone, unit=row.unit, position=n, purpose=row.purpose, expected=row.expected)
        for n, row in enumerate(checks, start=len(rows) - len(checks))
    )
    for name in SETTINGS:
        setattr(clone, name, getattr(campaign, name))
    clone.save(update_fields=SETTINGS)
    for step in campaign.launch_steps:
        pass_step(clone, step)
    if text := newest_text(campaign):
        new_version(clone, text=text.text, user=user)
    return clone


#: What is copied as it is.
SETTINGS = ["check_every", "closes_when_complete", "delivery_rate", "audio_problems", "units_choice"]
