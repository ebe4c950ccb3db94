"""Accounts of guests go with the last campaign that they came to."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from campaigns.models import Membership
from infrastructure.deletion.subjects import Rows

#: Accounts that go in one transaction.
AT_ONCE = 500
#: Of memberships: of a guest who came to no other campaign.
ONLY_HERE = Q(user__is_guest=True, user__is_active=True) & Q(
    ~Exists(Membership.objects.filter(user=OuterRef("user")).exclude(campaign=OuterRef("campaign")))
)


def guests_in(campaigns: Rows) -> list[int]:
    """The accounts of guests who came to any of these campaigns; deleted accounts are none."""
    guests = User.objects.filter(is_guest=True, is_active=True, memberships__campaign__in=campaigns)
    return list(guests.order_by("pk").values_list("pk", flat=True).distinct())


def drop_guests(accounts: Sequence[int]) -> None:
    """Delete those of these guests that no campaign has any more."""
    for start in range(0, len(accounts), AT_ONCE):
        with transaction.atomic():
            locked = User.objects.filter(
                pk__in=accounts[start : start + AT_ONCE], is_guest=True, is_active=True
            ).select_for_update()
            ids = list(locked.order_by("pk").values_list("pk", flat=True))
            User.objects.filter(pk__in=ids, memberships=None, arrivals=None, consents=None, assignments=None).delete()
