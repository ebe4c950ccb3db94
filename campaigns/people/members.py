"""Who takes part in a campaign, and as what."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Campaign, Membership, Role


class LastAdmin(ValueError):
    """A campaign keeps at least one admin."""


@dataclass(frozen=True)
class Annotators:
    """How many people there are by what became of them. Guests are among those who label."""

    labelling: int
    guests: int
    left: int
    withdrew: int


@transaction.atomic
def add_member(campaign: Campaign, *, user: User, role: str) -> Membership:
    """Give `user` the role; one who held it before gets it back, pseudonym included."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    member, created = Membership.objects.get_or_create(
        campaign=campaign, user=user, role=role, defaults={"pseudonym": _next_pseudonym(campaign, role)}
    )
    if not created and member.ended_at:
        member.ended_at = None
        member.save(update_fields=["ended_at"])
    return member


@transaction.atomic
def end_membership(member: Membership) -> Membership:
    """Take the role away; what the person answered stays. Raises LastAdmin."""
    Campaign.objects.select_for_update(no_key=True).get(pk=member.campaign_id)
    admins = Membership.objects.filter(campaign=member.campaign_id, role=Role.ADMIN, ended_at=None)
    if member.role == Role.ADMIN and admins.count() == 1:
        raise LastAdmin(_("This is the campaign's last admin. Name another one first."))
    member.ended_at = timezone.now()
    member.save(update_fields=["ended_at"])
    return member


def annotators_by_state(campaign: Campaign) -> Annotators:
    here, withdrew = Q(ended_at=None), Q(answers_withdrawn_at__isnull=False)
    counts = campaign.memberships.filter(role=Role.ANNOTATOR).aggregate(
        labelling=Count("pk", here),
        guests=Count("pk", here & Q(user__is_guest=True)),
        left=Count("pk", ~here),
        withdrew=Count("pk", withdrew),
    )
    return Annotators(**counts)


def withdrawn_memberships() -> QuerySet[Membership]:
    """Of annotators, of any campaign, who do not want their answers there to be used."""
    return Membership.objects.filter(role=Role.ANNOTATOR, answers_withdrawn_at__isnull=False)


def withdrawals_in(campaign: Campaign) -> int:
    """How many of its annotators have withdrawn their answers; it only grows."""
    return withdrawn_memberships().filter(campaign=campaign).count()


def create_account(username: str) -> tuple[User, str]:
    """A new account with a random first password, which is returned once and kept nowhere."""
    password = get_random_string(14, "abcdefghjkmnpqrstuvwxyz23456789")
    return User.objects.create_user(username=username, password=password), password


def _next_pseudonym(campaign: Campaign, role: str) -> str:
    if role != Role.ANNOTATOR:
        return ""
    return f"A{campaign.memberships.filter(role=Role.ANNOTATOR).count() + 1}"
