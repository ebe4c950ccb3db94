"""A campaign becomes an arena, and its terms are set."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from analytics.data.votes.table import questions
from arena.models import ArenaSettings
from campaigns.launch.edit import require_written_answers
from campaigns.models import LABEL, Campaign

#: The name of the page on which votes are given.
PAGE = "arena"


class CannotBeArena(ValueError):
    """The campaign cannot be run like this. The message is for whoever runs it."""


@dataclass(frozen=True)
class Terms:
    """How pairs are drawn, who may vote and how often, and whether names are told after a vote."""

    rule: str = ArenaSettings.Rule.A_OPTIMAL
    is_public: bool = False
    takes_guests: bool = True
    reveals_names: bool = False
    votes_per_hour: int = 60
    votes_per_address: int = 300
    guests_per_address: int = 20


@transaction.atomic
def set_arena(campaign: Campaign, *, terms: Terms, reason_required: bool = False) -> ArenaSettings:
    """Run the campaign as an arena on these terms; they may change later. Raises CannotBeArena.

    `reason_required` says whether a vote needs what the protocol asks for in words; it is fixed with the protocol,
    when the campaign opens. Where names are told after a vote, votes are final, also those given before and after
    names were told no more.
    """
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if row.label_page != PAGE and row.status != Campaign.Status.DRAFT:
        raise CannotBeArena(_("A campaign becomes an arena before it opens. Make a copy of this one."))
    if not questions(row):
        raise CannotBeArena(_("Its protocol does not ask which of two responses is better."))
    if min(terms.votes_per_hour, terms.votes_per_address, terms.guests_per_address) < 1:
        raise CannotBeArena(_("At least one vote has to be possible."))
    arena, _created = ArenaSettings.objects.update_or_create(campaign=row, defaults=asdict(terms))
    was_told = row.status != Campaign.Status.DRAFT and row.answers_are_final
    row.label_page, row.answers_are_final = PAGE, terms.reveals_names or was_told
    row.save(update_fields=["label_page", "answers_are_final"])
    if row.status == Campaign.Status.DRAFT:
        require_written_answers(row, required=reason_required)
    campaign.refresh_from_db()
    campaign.__dict__.pop("protocol", None)
    return arena


@transaction.atomic
def end_arena(campaign: Campaign) -> None:
    """Hand out units from the list again. Raises CannotBeArena once the campaign has opened."""
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if row.status != Campaign.Status.DRAFT:
        raise CannotBeArena(_("An arena that has opened stays one."))
    ArenaSettings.objects.filter(campaign=row).delete()
    row.label_page, row.answers_are_final = LABEL, False
    row.save(update_fields=["label_page", "answers_are_final"])
    campaign.refresh_from_db()


def arena_of(campaign: Campaign) -> ArenaSettings | None:
    """Its terms; without a query where they were read along with the campaign."""
    if campaign.label_page != PAGE:
        return None
    try:
        return campaign.arena
    except ArenaSettings.DoesNotExist:
        return None
