"""The names of two systems, for a voter whose vote on them is stored; voters learn them nowhere else."""

from uuid import UUID

from accounts.models import User
from analytics.data.hidden_names import names_are_hidden
from annotation.listening.clips import responses_by_place
from annotation.models import Assignment
from arena.models import ArenaSettings
from campaigns.models import BEFORE_FIRST_UNIT
from corpus.models import Response


def revealed_names(arena: ArenaSettings, assignment_id: UUID, *, voter: User) -> list[str]:
    """The systems heard as 1 and as 2; empty unless this arena reveals names, and this voter's vote is final."""
    if not arena.reveals_names or not arena.campaign.answers_are_final or names_are_hidden(arena.campaign):
        return []
    answered = Assignment.objects.filter(
        pk=assignment_id, campaign=arena.campaign, annotator=voter,
        status=Assignment.Status.ANSWERED, reopened_at=None, annotations__isnull=False,
    )  # fmt: skip
    row = answered.exclude(campaign_unit__purpose__in=BEFORE_FIRST_UNIT).select_related("campaign_unit__unit").first()
    if row is None:
        return []
    heard = responses_by_place(row)
    names = dict(Response.objects.filter(pk__in=heard).values_list("pk", "system__name"))
    return [names[response] for response in heard]
