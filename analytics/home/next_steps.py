"""What an administrator of a new installation does next: people, data, a campaign, judges; and what is done."""

from dataclasses import dataclass

from django.db.models import Exists

from accounts.models import User
from campaigns.models import Campaign
from corpus.models import Dataset
from judges.models import Judge


@dataclass(frozen=True)
class NextSteps:
    """Which of them are done."""

    people: bool
    data: bool
    campaign: bool
    judges: bool

    @property
    def done(self) -> int:
        return sum((self.people, self.data, self.campaign, self.judges))

    @property
    def is_through(self) -> bool:
        return self.done == 4


def next_steps(user: User) -> NextSteps | None:
    """For administrators, until all is there. One query."""
    if not user.is_superuser:
        return None
    there = {
        "people": Exists(User.objects.filter(is_guest=False).exclude(pk=user.pk)),
        "data": Exists(Dataset.objects.all()),
        "campaign": Exists(Campaign.objects.filter(opened_at__isnull=False)),
        "judges": Exists(Judge.objects.all()),
    }
    steps = NextSteps(**User.objects.filter(pk=user.pk).annotate(**there).values(*there).get())
    return None if steps.is_through else steps
