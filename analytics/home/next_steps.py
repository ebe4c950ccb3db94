"""What somebody who may launch does next: people, data, a campaign, judges; and what of it is done."""

from dataclasses import dataclass

from django.db.models import Exists, Value

from accounts.models import User
from campaigns.access import Right, campaigns_with
from corpus.access import datasets_for
from corpus.models import Dataset
from judges.models import Judge


@dataclass(frozen=True)
class NextSteps:
    """Which of them are done; `people` is None for whom it is no step, since administrators make accounts.

    With `has_demo`, the reader may clear the demo away.
    """

    people: bool | None
    data: bool
    campaign: bool
    judges: bool
    has_demo: bool

    @property
    def is_through(self) -> bool:
        return self.people is not False and self.data and self.campaign and self.judges


def next_steps(user: User) -> NextSteps | None:
    """Until all is there: in the installation for administrators, else of their own. One query."""
    if not user.may_launch:
        return None
    opened = campaigns_with(user, Right.VIEW).filter(opened_at__isnull=False, is_demo=False)
    there = {
        "data": Exists(datasets_for(user).filter(is_demo=False)),
        "campaign": Exists(opened),
        "judges": Exists(Judge.objects.filter(is_demo=False)),
        "people": Exists(User.objects.filter(is_guest=False, is_demo=False).exclude(pk=user.pk)),
        "has_demo": Exists(Dataset.objects.filter(is_demo=True)) if user.is_superuser else Value(value=False),
    }
    found = User.objects.filter(pk=user.pk).annotate(**there).values(*there).get()
    steps = NextSteps(**found | ({} if user.is_superuser else {"people": None}))
    return None if steps.is_through else steps
