"""A campaign from draft to closed, and what stands in the way of opening it."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from campaigns import reasons
from campaigns.access import why_no_new_work
from campaigns.audit_log import record_in
from campaigns.launch.checklist import Obstacle, obstacles
from campaigns.launch.edit import add_units
from campaigns.models import Campaign, CampaignUnit, EventKind, NameLock, Role
from campaigns.people.members import join_campaign
from campaigns.rubrics.progress import freeze_rubric
from campaigns.webhooks.events import announce_event
from corpus.models import Dataset, Unit
from infrastructure.background.debounce import has_lasted
from infrastructure.background.jobs import latest_job, start_job
from infrastructure.live.announcements import announce, campaign_topic
from infrastructure.models import Job
from infrastructure.slugs import unique_slug
from infrastructure.wording.reasons import Reasoned
from protocols import Protocol, digest, to_document

CREATED = AuditEvent("campaign_created", gettext_lazy("The campaign was created."))
OPENED = AuditEvent("campaign_opened", gettext_lazy("The campaign was opened."))
PAUSED = AuditEvent("campaign_paused", gettext_lazy("The campaign was paused."))
CLOSED = AuditEvent("campaign_closed", gettext_lazy("The campaign was closed."))
NAMES_UNLOCKED = AuditEvent(
    "names_unlocked", gettext_lazy("The campaign closed, and the hidden names of the systems are shown again.")
)


class CannotOpen(ValueError):
    def __init__(self, obstacles: list[Obstacle]) -> None:
        super().__init__("; ".join(obstacle.message for obstacle in obstacles))
        self.obstacles = obstacles


class WrongStatus(Reasoned, ValueError):
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
    """A draft with its units in a random order that is drawn once. Its creator becomes its admin.

    Without units it is a draft at the first step of its launch: all the rest is still to be chosen.
    Raises WrongStatus for an archived dataset.
    """
    if dataset.archived_at is not None:
        raise WrongStatus(reasons.DATASET_ARCHIVED())
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
        launch_steps=["launch-protocol", "launch-answers"] if units else [],
        created_by=user,
    )
    add_units(campaign, units)
    join_campaign(campaign, user=user, role=Role.ADMIN)
    record_in(campaign, CREATED, by=user)
    return campaign


@transaction.atomic
def restore_campaign(
    dataset: Dataset, *, title: str, protocol: Protocol, units: list[Unit], user: User, target_lufs: float | None
) -> Campaign:
    """A campaign that took place elsewhere: closed, with its units in the order that they had there."""
    campaign = create_campaign(dataset, title=title, protocol=protocol, units=[], user=user, target_lufs=target_lufs)
    CampaignUnit.objects.bulk_create(
        [CampaignUnit(campaign=campaign, unit=unit, position=n) for n, unit in enumerate(units)], 500
    )
    freeze_rubric(campaign)
    campaign.status, campaign.launch_steps = Campaign.Status.CLOSED, []
    campaign.save(update_fields=["status", "launch_steps"])
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
        raise WrongStatus(reasons.LOUDNESS_FIXED())
    campaign.target_lufs = target_lufs
    campaign.audio_problems = []
    campaign.save(update_fields=["target_lufs", "audio_problems"])
    return prepare_audio(campaign, user=user)


@transaction.atomic
def open_campaign(campaign: Campaign, *, by: User | None = None) -> Campaign:
    """Let annotators in. Raises CannotOpen with every obstacle, WrongStatus where it is closed."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status == Campaign.Status.CLOSED:
        raise WrongStatus(reasons.STAYS_CLOSED())
    _require_unarchived(campaign)
    if found := obstacles(campaign):
        raise CannotOpen(found)
    freeze_rubric(campaign)
    if campaign.status != Campaign.Status.OPEN:
        record_in(campaign, OPENED, by=by)
    campaign.status = Campaign.Status.OPEN
    campaign.opened_at = campaign.opened_at or timezone.now()
    campaign.save(update_fields=["status", "opened_at"])
    announce(campaign_topic(campaign.slug))
    return campaign


def _require_unarchived(campaign: Campaign) -> None:
    if archived := why_no_new_work(campaign):
        raise WrongStatus(archived)


@transaction.atomic
def pause_campaign(campaign: Campaign, *, by: User | None = None) -> Campaign:
    """Keep annotators out for now. What they are answering at this moment is refused."""
    was_open = Campaign.objects.filter(pk=campaign.pk, status=Campaign.Status.OPEN).exists()
    row = _leave_open(campaign, Campaign.Status.PAUSED)
    if was_open:
        record_in(row, PAUSED, by=by)
    return row


@transaction.atomic
def close_campaign(campaign: Campaign, *, by: User | None = None) -> Campaign:
    """End the campaign for good. Hidden names are shown from now on."""
    row = _leave_open(campaign, Campaign.Status.CLOSED)
    record_in(row, CLOSED, by=by)
    if NameLock.objects.filter(campaign=row).exists():
        record_in(row, NAMES_UNLOCKED, by=by)
    return row


def close_due_campaigns() -> int:
    """Close every campaign whose day came a while ago; return how many. Answers were refused from that moment on."""
    due = Campaign.objects.filter(
        status__in=[Campaign.Status.OPEN, Campaign.Status.PAUSED], closes_at__lte=timezone.now()
    )
    return sum(_close_if_due(campaign) for campaign in due if has_lasted(f"due-{campaign.pk}", campaign.closes_at))


def _close_if_due(campaign: Campaign) -> bool:
    try:
        close_campaign(campaign)
    except WrongStatus:
        return False  # another process closed it at this moment
    return True


@transaction.atomic
def _leave_open(campaign: Campaign, status: Campaign.Status) -> Campaign:
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.status not in {Campaign.Status.OPEN, Campaign.Status.PAUSED}:
        raise WrongStatus(reasons.NOT_OPEN_OR_PAUSED())
    campaign.status = status
    campaign.closed_at = timezone.now() if status == Campaign.Status.CLOSED else None
    campaign.save(update_fields=["status", "closed_at"])
    if status == Campaign.Status.CLOSED:
        announce_event(campaign, EventKind.CLOSED, {})
    announce(campaign_topic(campaign.slug))
    return campaign
