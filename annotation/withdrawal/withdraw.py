"""Somebody leaves a study, and with them, if they ask, their name or their answers.

What was answered stays under the pseudonym; whether it is used, and whether anybody can tell whose it was, are two
questions.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.login.guests import delete_identity, make_guest
from accounts.models import User
from annotation.answers.vote_log import note_again
from annotation.assignment.expiry import expire
from annotation.models import AnnotatorDecision, Assignment, Reason
from annotation.review.exclusions import Decider, exclude_answers
from campaigns.models import Arrival, Campaign, Consent, GateTry, Membership, Role
from campaigns.people.members import end_membership

#: Under this name the decisions are kept that nobody made but the person.
RULE = "withdrawal"


class NothingToWithdraw(ValueError):
    """This person has never been an annotator here."""


@dataclass(frozen=True)
class Withdrawal:
    """What became of the person: `account_deleted` if nobody can log in to their account any more."""

    membership: Membership
    account_deleted: bool


@transaction.atomic
def withdraw(campaign: Campaign, user: User, *, identity: bool, answers: bool) -> Withdrawal:
    """End `user`'s part in the campaign; forget their `identity`, and do not use their `answers`, if they ask.

    It may be asked for again by somebody who has left. Raises NothingToWithdraw.
    """
    # Not the campaign's key: whoever has a unit locked writes an assignment, which refers to the campaign.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    member = own_membership(campaign, user)
    if member.ended_at is None:
        member = end_membership(member)
    mine = Assignment.objects.filter(campaign=campaign, annotator=user)
    # Assignments are locked before the units whose seats they free, as everybody does.
    list(mine.select_for_update().order_by("pk").values_list("pk"))
    _put_down(mine)
    if answers:
        exclude_answers(mine, reason=Reason.WITHDRAWN, decider=Decider(rule=RULE))
        member.answers_withdrawn_at = member.answers_withdrawn_at or timezone.now()
        member.save(update_fields=["answers_withdrawn_at"])
        note_again(list(mine.values_list("pk", flat=True)))
    return Withdrawal(member, account_deleted=identity and forget_identity(campaign, user))


@transaction.atomic
def forget_identity(campaign: Campaign, user: User) -> bool:
    """Nobody can tell any more who `user` was in the campaign. Returns whether the account went with it."""
    if account_is_needed(user, beside=campaign):
        _hand_over(campaign, user)
        return False
    _forget_numbers(Arrival.objects.filter(user=user))
    delete_identity(user)
    return True


def own_membership(campaign: Campaign, user: User) -> Membership:
    """As an annotator, now or before. Raises NothingToWithdraw."""
    found = Membership.objects.filter(campaign=campaign, user=user, role=Role.ANNOTATOR).first()
    if found is None:
        raise NothingToWithdraw("You have no part in this study.")
    return found


def account_is_needed(user: User, *, beside: Campaign) -> bool:
    """Whether the account is for more than annotating in this campaign."""
    elsewhere = user.memberships.filter(ended_at=None).exclude(campaign=beside, role=Role.ANNOTATOR)
    return user.may_launch or elsewhere.exists()


def _put_down(mine: QuerySet[Assignment]) -> None:
    """Whatever is in hand goes back, so that others get it at once."""
    mine.filter(status=Assignment.Status.PLANNED).delete()
    expire(mine)
    mine.filter(reopened_at__isnull=False).update(reopened_at=None)


def _hand_over(campaign: Campaign, user: User) -> None:
    """Cut the account from the campaign: everything of it here is a stand-in's from now on, whom nobody knows."""
    stand_in = delete_identity(make_guest())
    arrivals = Arrival.objects.filter(invitation__campaign=campaign, user=user)
    _forget_numbers(arrivals)
    arrivals.update(user=stand_in)
    Membership.objects.filter(campaign=campaign, user=user, role=Role.ANNOTATOR).update(user=stand_in)
    Consent.objects.filter(text__campaign=campaign, user=user).update(user=stand_in)
    Assignment.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)
    AnnotatorDecision.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)
    GateTry.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)


def _forget_numbers(arrivals: QuerySet[Arrival]) -> None:
    arrivals.update(participant="", study="", session="", click="")
