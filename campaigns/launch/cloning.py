"""A new draft like a campaign that was there before."""

from typing import TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.entry_gates.guidelines import new_guidelines, newest_guidelines
from campaigns.launch.edit import pass_step
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, CampaignUnit, Gate, SpokenTraps, TrapClip, TrapRecording
from campaigns.people.consent import new_version, newest_text
from campaigns.quality.rules import declared_rules, set_rules

Purpose = CampaignUnit.Purpose
Row = TypeVar("Row", Gate, SpokenTraps, TrapRecording, TrapClip)
#: What is copied as it is.
SETTINGS = [
    "check_every",
    "closes_when_complete",
    "stops_when",
    "delivery_rate",
    "audio_problems",
    "units_choice",
    "dataset_version",
]


@transaction.atomic
def clone_campaign(campaign: Campaign, *, user: User) -> Campaign:
    """A draft with the same dataset, systems, protocol, settings, units, checks, gates, rules and texts.

    People, invitations and the day on which it closes are not taken along. The units come in an order of their own.
    """
    study = campaign.campaign_units.filter(purpose=Purpose.STUDY).select_related("unit")
    clone = create_campaign(
        campaign.dataset,
        title=_("%(title)s (copy)") % {"title": campaign.title[:100]},
        protocol=campaign.protocol,
        units=[row.unit for row in study],
        user=user,
        target_lufs=campaign.target_lufs,
        answers_per_unit=campaign.answers_per_unit,
        show_waveform=campaign.show_waveform,
    )
    clone.systems.set(campaign.systems.all())
    for name in SETTINGS:
        setattr(clone, name, getattr(campaign, name))
    clone.save(update_fields=SETTINGS)
    for step in campaign.launch_steps:
        pass_step(clone, step)
    _copy_other_units(campaign, clone)
    _copy_rows(campaign, clone)
    _copy_texts(campaign, clone, user)
    return clone


def _copy_other_units(campaign: Campaign, clone: Campaign) -> None:
    """Checks, and the units of training and qualification; what is heard in a spoken trap is the same sound."""
    others = campaign.campaign_units.exclude(purpose=Purpose.STUDY).prefetch_related("trap_clips")
    for place, row in enumerate(others, start=clone.campaign_units.count()):
        copy = CampaignUnit.objects.create(
            campaign=clone,
            unit_id=row.unit_id,
            position=place,
            purpose=row.purpose,
            expected=row.expected,
            explanation=row.explanation,
        )
        TrapClip.objects.bulk_create(_copied(clip, campaign_unit=copy) for clip in row.trap_clips.all())


def _copy_rows(campaign: Campaign, clone: Campaign) -> None:
    Gate.objects.bulk_create(_copied(row, campaign=clone) for row in campaign.gates.all())
    SpokenTraps.objects.bulk_create(
        _copied(row, campaign=clone) for row in SpokenTraps.objects.filter(campaign=campaign)
    )
    TrapRecording.objects.bulk_create(_copied(row, campaign=clone) for row in campaign.trap_recordings.all())


def _copied(row: Row, **others: object) -> Row:
    """The row as a new one, still to be inserted."""
    row.pk = None
    for name, value in others.items():
        setattr(row, name, value)
    return row


def _copy_texts(campaign: Campaign, clone: Campaign, user: User) -> None:
    if consent := newest_text(campaign):
        new_version(clone, text=consent.text, user=user)
    if guidelines := newest_guidelines(campaign):
        new_guidelines(clone, text=guidelines.text, user=user)
    if rules := declared_rules(campaign):
        set_rules(clone, rules=rules, user=user)
