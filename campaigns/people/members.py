"""Who takes part in a campaign, and as what."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.people.accounts import ACCOUNT_MADE
from campaigns.access import Right, campaigns_with
from campaigns.audit_log import record_in
from campaigns.models import Campaign, Membership, Role

#: Of usernames beside the field of a form; more are found by typing them.
MOST_SUGGESTED = 500
#: By role. Annotators are named by pseudonym: by account, the log would keep the link that a withdrawal deletes.
ROLE_GIVEN = {
    Role.ANNOTATOR: AuditEvent("role_given_annotator", gettext_lazy("The annotator %(annotator)s was added."))
}
ROLE_TAKEN = {
    Role.ANNOTATOR: AuditEvent(
        "role_taken_annotator", gettext_lazy("The role of the annotator %(annotator)s was ended.")
    )
}
for _role in (Role.ADMIN, Role.RESEARCHER, Role.REVIEWER, Role.VIEWER):
    _about = {"role": _role.label, "account": "#%(account)s"}
    ROLE_GIVEN[_role] = AuditEvent(
        f"role_given_{_role}",
        format_lazy(gettext_lazy("The role {role} was given to the account {account}."), **_about),
    )
    ROLE_TAKEN[_role] = AuditEvent(
        f"role_taken_{_role}",
        format_lazy(gettext_lazy("The role {role} was taken from the account {account}."), **_about),
    )


class LastAdmin(ValueError):
    """A campaign keeps at least one admin."""


@dataclass(frozen=True)
class Annotators:
    """How many people there are by what became of them. Guests are among those who label."""

    labelling: int
    guests: int
    left: int
    withdrew: int


def names_to_suggest(campaign: Campaign, *, to: User) -> list[str]:
    """Usernames that may be added here and that this person sees anyway: in a campaign to which they add people.

    For administrators of the installation all accounts. Guests have no name, and disabled accounts cannot come.
    """
    known = User.objects.filter(is_active=True, is_guest=False).exclude(
        pk__in=Membership.objects.filter(campaign=campaign, ended_at=None).values("user")
    )
    if not to.is_superuser:
        seen = Membership.objects.filter(campaign__in=campaigns_with(to, Right.INVITE), ended_at=None)
        known = known.filter(pk__in=seen.values("user"))
    return list(known.order_by("username").values_list("username", flat=True)[:MOST_SUGGESTED])


@transaction.atomic
def add_member(campaign: Campaign, *, user: User, role: str, by: User | None = None) -> Membership:
    """Give `user` the role; one who held it before gets it back, pseudonym included."""
    member, is_new = _entered(campaign, user, role)
    if is_new:
        _record(ROLE_GIVEN, member, by=by)
    return member


@transaction.atomic
def join_campaign(campaign: Campaign, *, user: User, role: str = Role.ANNOTATOR) -> Membership:
    """As `add_member`, for those who need nobody to add them: the maker of a campaign, and who follows a link.

    The audit log has the campaign and the link, and not each person who came.
    """
    return _entered(campaign, user, role)[0]


@transaction.atomic
def end_membership(member: Membership, *, by: User | None = None) -> Membership:
    """Take the role away; what the person answered stays. Raises LastAdmin."""
    left = leave_campaign(member)
    _record(ROLE_TAKEN, left, by=by)
    return left


@transaction.atomic
def leave_campaign(member: Membership) -> Membership:
    """As `end_membership`, as a part of what is recorded as a whole. Raises LastAdmin."""
    Campaign.objects.select_for_update(no_key=True).get(pk=member.campaign_id)
    admins = Membership.objects.filter(campaign=member.campaign_id, role=Role.ADMIN, ended_at=None)
    if member.role == Role.ADMIN and admins.count() == 1:
        raise LastAdmin(_("This is the campaign's last admin. Name another one first."))
    member.ended_at = timezone.now()
    member.save(update_fields=["ended_at"])
    return member


def _entered(campaign: Campaign, user: User, role: str) -> tuple[Membership, bool]:
    """The membership, and whether the role was not held before."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    member, created = Membership.objects.get_or_create(
        campaign=campaign, user=user, role=role, defaults={"pseudonym": _next_pseudonym(campaign, role)}
    )
    had_ended = member.ended_at is not None
    if had_ended:
        member.ended_at = None
        member.save(update_fields=["ended_at"])
    return member, created or had_ended


def _record(events: Mapping[Role, AuditEvent], member: Membership, *, by: User | None) -> None:
    if member.role == Role.ANNOTATOR:
        record_in(member.campaign, events[Role.ANNOTATOR], by=by, annotator=member.pseudonym)
    else:
        record_in(member.campaign, events[Role(member.role)], by=by, account=member.user_id)


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


@transaction.atomic
def create_account(username: str, *, by: User) -> tuple[User, str]:
    """A new account with a random first password, which is returned once and kept nowhere."""
    password = get_random_string(14, "abcdefghjkmnpqrstuvwxyz23456789")
    user = User.objects.create_user(username=username, password=password)
    record(ACCOUNT_MADE, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user, password


def _next_pseudonym(campaign: Campaign, role: str) -> str:
    if role != Role.ANNOTATOR:
        return ""
    return f"A{campaign.memberships.filter(role=Role.ANNOTATOR).count() + 1}"
