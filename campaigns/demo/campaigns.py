"""Campaigns of the demo: with protocols that ship, opened as soon as they are drafted."""

from accounts.models import User
from campaigns.audio.delivery import highest_target_for_all, prepare_audio_of
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.models import Campaign
from campaigns.people.members import join_campaign
from corpus.models import Dataset, Unit
from infrastructure.background.jobs import JobFailed
from protocols import SHIPPED


def draft_demo(
    dataset: Dataset, *, title: str, protocol: str, units: list[Unit], user: User, answers_per_unit: int = 1
) -> Campaign:
    """A draft with the protocol of this name, marked as the demo's."""
    campaign = create_campaign(
        dataset, title=title, protocol=SHIPPED[protocol], units=units, user=user, answers_per_unit=answers_per_unit
    )
    campaign.is_demo = True
    campaign.save(update_fields=["is_demo"])
    return campaign


def launch_demo(campaign: Campaign, *, annotator: User) -> None:
    """Let the annotator in, prepare the audio at once, at the loudest target that every clip allows, and open."""
    join_campaign(campaign, user=annotator)
    if campaign.status != Campaign.Status.DRAFT:
        return
    try:
        prepare_audio_of(str(campaign.pk), _quiet)
    except JobFailed:
        campaign.refresh_from_db()
        Campaign.objects.filter(pk=campaign.pk).update(target_lufs=highest_target_for_all(campaign))
        prepare_audio_of(str(campaign.pk), _quiet)
    open_campaign(campaign, by=campaign.created_by)


def _quiet(done: int, total: int, note: str) -> None:
    """The demo is made in seconds; nobody needs to watch."""
