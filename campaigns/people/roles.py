"""What campaigns know of accounts, for the pages of accounts."""

from collections.abc import Iterable, Mapping

from django.db.models import Count, Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from accounts.people.dependents import Dependent, Part
from campaigns.models import Arrival, Membership, Role


class Roles(Dependent):
    """The roles of accounts in campaigns."""

    def campaigns_of(self, users: Iterable[int]) -> Mapping[int, int]:
        held = Membership.objects.filter(user__in=list(users), ended_at=None).order_by().values_list("user")
        return dict(held.annotate(n=Count("campaign", distinct=True)))

    def parts_to_hand_over(self, user: User) -> Iterable[Part]:
        """Campaigns of which the account is the only admin."""
        others = Membership.objects.filter(campaign=OuterRef("campaign"), role=Role.ADMIN, ended_at=None)
        alone = Membership.objects.filter(user=user, role=Role.ADMIN, ended_at=None, campaign__deleting_since=None)
        for it in alone.exclude(Exists(others.exclude(user=user))).select_related("campaign").order_by("pk"):
            yield Part(it.campaign.title, it.campaign.get_absolute_url(), it.get_role_display(), has_ended=False)

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        """Its roles end, and no participant number says who it was."""
        del with_answers, by
        Membership.objects.filter(user=user, ended_at=None).update(ended_at=timezone.now())
        Arrival.objects.filter(user=user).update(participant="", study="", session="", click="")

    def parts_of(self, user: User) -> Iterable[Part]:
        held = Membership.objects.filter(user=user).select_related("campaign").order_by("-campaign__pk", "pk")
        for it in held:
            ended = it.ended_at is not None
            yield Part(it.campaign.title, it.campaign.get_absolute_url(), it.get_role_display(), ended)
