"""What annotation knows of accounts, for the pages of accounts."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Max

from accounts.models import User
from accounts.people.dependents import Dependent
from annotation.assignment.expiry import put_down
from annotation.models import Assignment


class Annotators(Dependent):
    """Who was shown a unit last; and units that a disabled account holds go back to the others at once."""

    def last_seen(self, users: Iterable[int]) -> Mapping[int, datetime]:
        shown = Assignment.objects.filter(annotator__in=list(users)).exclude(status=Assignment.Status.PLANNED)
        return dict(shown.order_by().values_list("annotator").annotate(at=Max("shown_at")))

    def account_disabled(self, user: User) -> None:
        put_down(Assignment.objects.filter(annotator=user))
