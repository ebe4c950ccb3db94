"""Systems that come after the arena has opened: let in, and their audio made like that of all others."""

from django.db import transaction

from accounts.models import User
from arena.pairing.pool import systems_taking_part, unprepared_clips
from arena.settings.setup import PAGE
from campaigns.audio.delivery import deliver_clips, failure_of
from campaigns.models import Campaign
from corpus.models import System
from infrastructure.background.jobs import latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import ReasonCode

STAY_OUT = ReasonCode(
    "clips_stay_out", "Some clips cannot be prepared, and stay out of the arena. %(where)s: %(why)s"
)

KIND = "prepare-arena"


def newcomers(campaign: Campaign) -> list[System]:
    """Systems of the dataset that do not take part; none where all of the dataset do."""
    return list(System.objects.filter(dataset=campaign.dataset_id).exclude(pk__in=systems_taking_part(campaign)))


@transaction.atomic
def let_in(campaign: Campaign, system: System, *, user: User) -> Job:
    """Let a system take part as soon as its audio is prepared. Raises ValueError for one of another dataset."""
    if system.dataset_id != campaign.dataset_id:
        raise ValueError("a system of another dataset")
    if campaign.systems.exists():
        campaign.systems.add(system)
    return start_job(KIND, subject=campaign.pk, started_by=user)


def prepare_arena_of(subject: str, progress: ShowProgress) -> None:
    """Make every clip that is missing. What cannot be made is named, and stays out of the arena."""
    campaign = Campaign.objects.get(pk=subject)
    missing = list(unprepared_clips(campaign))
    problems = deliver_clips(campaign, missing, progress, total=len(missing))
    if problems:
        raise failure_of(problems, STAY_OUT(where=problems[0]["where"], why=problems[0]["message"]))


def prepare_arenas() -> int:
    """Start the work for every open arena in which clips are missing, once for the clips there are; return how many.

    Failed measurements are retried on request, not automatically.
    """
    started = 0
    for campaign in Campaign.objects.filter(status=Campaign.Status.OPEN, label_page=PAGE).select_related(
        "created_by"
    ):
        last = latest_job(KIND, campaign.pk)
        if (last is None or last.status == Job.Status.SUCCEEDED) and unprepared_clips(campaign).exists():
            start_job(KIND, subject=campaign.pk, started_by=campaign.created_by)
            started += 1
    return started
