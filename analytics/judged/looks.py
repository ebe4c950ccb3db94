"""How often one may look at a comparison: once, or however often while answers arrive."""

from dataclasses import dataclass

from accounts.models import AuditEntry
from analytics.data.label_arrays import Group
from annotation.assignment.closing import is_complete
from campaigns.launch.later_units import UNITS_ADDED
from campaigns.models import Campaign


@dataclass(frozen=True)
class Looks:
    """Whether intervals hold at `every` look; and whether those for one look at the `planned` size stand beside.

    Labels of people are read while they come, and so were those that were imported from a campaign of another
    installation. Other imported labels do not grow, and published figures are of one look.
    """

    every: bool = False
    planned: bool = False

    @property
    def name(self) -> str:
        """As files have it."""
        return "every look" if self.every else "one look"


ONE_LOOK = Looks()


def looks_of(reference: Group | None, *, planned: bool = False) -> Looks:
    """`planned` says whether the campaign closed at its planned size."""
    return Looks(every=True, planned=planned) if reference is not None and reference.grows else ONE_LOOK


def reached_planned_size(campaign: Campaign) -> bool:
    """Whether it closed with the answers that were fixed when it opened, whatever they said.

    Its units and the answers of each are fixed then. No units came later, no rule of stopping closed it, and nothing
    is missing. An arena has no planned size.
    """
    if campaign.status != Campaign.Status.CLOSED or campaign.is_open_ended or campaign.opened_at is None:
        return False
    if campaign.stop_reached_at is not None or not is_complete(campaign):
        return False
    added = AuditEntry.objects.filter(event=UNITS_ADDED.code, subject_kind=AuditEntry.Subject.CAMPAIGN)
    return not added.filter(subject_number=campaign.pk).exists()
