"""A campaign from draft to closed, and what stands in the way of opening it."""

import random
from dataclasses import dataclass

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.gates import unready_gates
from campaigns.jobs import latest_job, start_job
from campaigns.live import announce, campaign_topic
from campaigns.members import add_member
from campaigns.models import Campaign, CampaignUnit, Dataset, Job, Role, Unit
from campaigns.naming import systems_named
from campaigns.preparing import undelivered_clips, units_without_audio
from campaigns.protocols import Protocol, digest, to_document
from campaigns.rubrics.progress import freeze_rubric, must_be_reviewed, reviewed
from campaigns.slugs import unique_slug


@dataclass(frozen=True)
class Obstacle:
    """Something that keeps a campaign from opening, and what to do about it."""

    message: str
    fix: str
    url: str = ""


class CannotOpen(ValueError):
    def __init__(self, obstacles: list[Obstacle]) -> None:
        super().__init__("; ".join(obstacle.message for obstacle in obstacles))
        self.obstacles = obstacles


class WrongStatus(ValueError):
    """The campaign is not in a state in which this can be done."""


@transaction.atomic
def create_campaign(
    dataset: Dataset,
    *,
    title: str,
    protocol: Protocol,
    units: list[Unit],
    user: User,
    target_lufs: float | None = -23.0,
    answers_per_unit: int = 1,
    show_waveform: bool = True,
) -> Campaign:
    """A draft with its units in a random order that is drawn once. Its creator becomes its admin."""
    document = to_document(protocol)
    if any(unit.kind != protocol.unit for unit in units):
        raise ValueError(f"the protocol {protocol.name} is about another kind of unit")
    campaign = Campaign.objects.create(
        dataset=dataset,
        title=title,
        slug=unique_slug(Campaign, title),
        protocol_document=document,
        protocol_digest=digest(document),
        target_lufs=target_lufs,
        answers_per_unit=answers_per_unit,
        show_waveform=show_waveform,
        created_by=user,
    )
    shuffled = random.sample(units, len(units))
    CampaignUnit.objects.bulk_create(
        [CampaignUnit(campaign=campaign, unit=unit, position=n) for n, unit in enumerate(shuffled)], 500
    )
    add_member(campaign, user=user, role=Role.ADMIN)
    return campaign


def prepare_audio(campaign: Campaign, *, user: User) -> Job:
    """Queue the making of every clip's delivered form."""
    return start_job("prepare-audio", subject=campaign.pk, started_by=user)


def preparation(campaign: Campaign) -> Job | None:
    return latest_job("prepare-audio", campaign.pk)


@transaction.atomic
def set_loudness_target(campaign: Campaign, target_lufs: float | None, *, user: User) -> Job:
    """Choose another target (None: no matching) and prepare the audio again. Only while it is a draft."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status != Campaign.Status.DRAFT:
        raise WrongStatus(_("The loudness is fixed once a campaign has opened; make a new campaign."))
    campaign.target_lufs = target_lufs
    campaign.audio_problems = []
    campaign.save(update_fields=["target_lufs", "audio_problems"])
    return prepare_audio(campaign, user=user)


def obstacles(campaign: Campaign) -> list[Obstacle]:
    """Everything that is wrong, in the order in which one would mend it."""
    found = []
    if not campaign.campaign_units.exists():
        found.append(Obstacle(_("The campaign has no units."), _("Make a new one from a dataset that has pairs.")))
    if silent := units_without_audio(campaign):
        found.append(
            Obstacle(
                _("Units without audio: %(n)s, first %(first)s.") % {"n": len(silent), "first": silent[0]},
                _("Import the dataset again with its audio: rows that are there keep their labels."),
            )
        )
    if campaign.audio_problems:
        message = _("Clips that cannot be delivered: %(n)s, first %(first)s. %(reason)s")
        first = campaign.audio_problems[0]
        told = {"n": len(campaign.audio_problems), "first": first["where"], "reason": first["message"]}
        found.append(Obstacle(message % told, _("Choose another loudness target below.")))
    elif missing := undelivered_clips(campaign).count():
        message = _("Clips whose audio is not prepared: %(n)s.") % {"n": missing}
        found.append(Obstacle(message, _("Prepare the audio below.")))
    found += [Obstacle(message, fix) for message, fix in unready_gates(campaign)]
    if must_be_reviewed(campaign) and (waiting := reviewed(campaign)).left:
        message = _("Criteria are reviewed for %(done)s of %(total)s items.")
        found.append(
            Obstacle(
                message % {"done": waiting.done, "total": waiting.total},
                _("Review the others under Rubric."),
                url=reverse("rubric", args=[campaign.slug]),
            )
        )
    if names := systems_named(campaign, campaign.title)[0]:
        found.append(
            Obstacle(
                _("The title names %(systems)s, and annotators read it.") % {"systems": ", ".join(names)},
                _("Blind means blind: make a campaign with a title that names no system."),
            )
        )
    return found


@transaction.atomic
def open_campaign(campaign: Campaign) -> Campaign:
    """Let annotators in. Raises CannotOpen with every obstacle, WrongStatus where it is closed."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status == Campaign.Status.CLOSED:
        raise WrongStatus(_("A closed campaign stays closed, so that its results stay what they were."))
    if found := obstacles(campaign):
        raise CannotOpen(found)
    freeze_rubric(campaign)
    campaign.status = Campaign.Status.OPEN
    campaign.opened_at = campaign.opened_at or timezone.now()
    campaign.save(update_fields=["status", "opened_at"])
    announce(campaign_topic(campaign.slug))
    return campaign


def pause_campaign(campaign: Campaign) -> Campaign:
    """Keep annotators out for now. What they are answering at this moment is refused."""
    return _leave_open(campaign, Campaign.Status.PAUSED)


def close_campaign(campaign: Campaign) -> Campaign:
    """End the campaign for good."""
    return _leave_open(campaign, Campaign.Status.CLOSED)


@transaction.atomic
def _leave_open(campaign: Campaign, status: Campaign.Status) -> Campaign:
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status not in {Campaign.Status.OPEN, Campaign.Status.PAUSED}:
        raise WrongStatus(_("Only a campaign that is open or paused can be paused or closed."))
    campaign.status = status
    campaign.save(update_fields=["status"])
    announce(campaign_topic(campaign.slug))
    return campaign
