"""A campaign becomes an arena, and its terms are set."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from analytics.data.votes.table import questions
from arena.models import ArenaSettings
from campaigns.audit_log import record_in
from campaigns.launch.edit import require_written_answers
from campaigns.models import LABEL, Campaign

#: The name of the page on which votes are given.
PAGE = "arena"
REVEALS = AuditEvent("arena_reveals_names", gettext_lazy("Voters are shown the names of the systems after a vote."))
REVEALS_NO_MORE = AuditEvent(
    "arena_reveals_no_names", gettext_lazy("Voters are no longer shown the names of the systems after a vote.")
)


class CannotBeArena(ValueError):
    """The campaign cannot be run like this. The message is for its manager."""


@dataclass(frozen=True)
class Terms:
    """How pairs are drawn, who may vote and how often, and whether names are shown after a vote."""

    rule: str = ArenaSettings.Rule.A_OPTIMAL
    is_public: bool = False
    takes_guests: bool = True
    reveals_names: bool = False
    votes_per_hour: int = 60
    votes_per_address: int = 300
    guests_per_address: int = 20


@transaction.atomic
def set_arena(
    campaign: Campaign, *, terms: Terms, reason_required: bool = False, by: User | None = None
) -> ArenaSettings:
    """Run the campaign as an arena on these terms; they may change later. Raises CannotBeArena.

    `reason_required` says whether a vote needs what the protocol asks for in words; it is fixed with the protocol,
    when the campaign opens. Where names are shown after a vote, votes are final, also those given before and after
    names were shown.
    """
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if row.label_page != PAGE and row.status != Campaign.Status.DRAFT:
        raise CannotBeArena(_("A campaign becomes an arena before it opens. Make a copy of this one."))
    if not questions(row):
        raise CannotBeArena(_("Its protocol does not ask which of two responses is better."))
    if min(terms.votes_per_hour, terms.votes_per_address, terms.guests_per_address) < 1:
        raise CannotBeArena(_("At least one vote has to be possible."))
    did_reveal = ArenaSettings.objects.filter(campaign=row, reveals_names=True).exists()
    arena, _created = ArenaSettings.objects.update_or_create(campaign=row, defaults=asdict(terms))
    if terms.reveals_names != did_reveal:
        event = REVEALS if terms.reveals_names else REVEALS_NO_MORE
        record_in(row, event, by=by)
    was_revealed = row.status != Campaign.Status.DRAFT and row.answers_are_final
    row.label_page, row.answers_are_final = PAGE, terms.reveals_names or was_revealed
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
