import logging

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from analytics.data.votes.counts import campaigns_with_answers, faults
from arena.pairing.snapshots import fold_open_arenas
from arena.staff.newcomers import KIND as PREPARE_ARENA
from arena.staff.newcomers import prepare_arena_of, prepare_arenas
from arena.standings.refresh import check_latest, refresh_all, refresh_watched
from arena.standings.thinning import thin_standings
from campaigns.access import CAMPAIGNS, may_view_campaign, page_of_campaign
from infrastructure.background.kinds import JobKind, register

logger = logging.getLogger(__name__)
register(
    JobKind(
        PREPARE_ARENA,
        _("Preparation of an arena’s audio"),
        prepare_arena_of,
        may_view=may_view_campaign,
        page=page_of_campaign,
        subjects=CAMPAIGNS,
        repeatable=True,
    )
)


@shared_task
def refresh_watched_task() -> int:
    return refresh_watched()


@shared_task
def check_standings_task() -> int:
    """Once a night: bring every board up to date, then compute each again; return how many are not the same.

    What is kept beside the answers is held against them first, since standings are made of it. At the end old
    standings are thinned.
    """
    for campaign in campaigns_with_answers():
        if found := faults(campaign):
            logger.critical(
                "The counts of %s are not those of its answers (votes: %s, counts: %s). Run `rebuild_standings`.",
                campaign, found.votes, found.counts,
            )  # fmt: skip
    refresh_all()
    wrong = [found.standing for found in check_latest() if not found.equal and not found.behind]
    for standing in wrong:
        logger.critical(
            "Standing %s (%s) is not what its votes give. Run `rebuild_standings`.", standing.pk, standing
        )
    thin_standings()
    return len(wrong)


@shared_task
def fold_open_arenas_task() -> int:
    return fold_open_arenas()


@shared_task
def prepare_arenas_task() -> int:
    return prepare_arenas()
