"""What annotation knows of accounts, for the pages of accounts."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Max, Q

from accounts.models import User
from accounts.people.dependents import Dependent
from annotation.assignment.expiry import put_down
from annotation.models import Assignment
from infrastructure.deletion.subjects import Rows


def times_at_work(campaigns: Rows) -> list[tuple[int, str]]:
    """Which account was shown a unit of these campaigns last, and when."""
    shown = Assignment.objects.filter(campaign__in=campaigns)
    return [(pk, at.isoformat()) for pk, at in _last_shown(shown).items()]


def keep_times(times: Iterable[tuple[int, str]]) -> None:
    """Keep with each account when it was at work in what is deleted now; a later time stays."""
    for pk, said in times:
        at = datetime.fromisoformat(said)
        User.objects.filter(Q(last_worked_at=None) | Q(last_worked_at__lt=at), pk=pk).update(last_worked_at=at)


def _last_shown(assignments: Rows) -> dict[int, datetime]:
    shown = assignments.exclude(status=Assignment.Status.PLANNED)
    return dict(shown.order_by().values_list("annotator").annotate(at=Max("shown_at")))


class Annotators(Dependent):
    """Who was shown a unit last; and units that a disabled account holds go back to the others at once."""

    def last_seen(self, users: Iterable[int]) -> Mapping[int, datetime]:
        return _last_shown(Assignment.objects.filter(annotator__in=list(users)))

    def account_disabled(self, user: User) -> None:
        put_down(Assignment.objects.filter(annotator=user))
