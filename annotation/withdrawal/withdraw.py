"""An annotator leaves a study, with the choice to have name or answers withdrawn.

What was answered stays under the pseudonym; whether it is used, and whether it can be traced to a person, are two
questions.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.login.guests import delete_identity, make_guest
from accounts.models import User
from accounts.old_pages import drop_old_pages_after_commit
from annotation.answers.vote_log import note_again
from annotation.assignment.expiry import put_down
from annotation.models import AnnotatorDecision, Assignment, BulkDecision, Reason
from annotation.review.exclusions import Decider, exclude_answers
from campaigns.audit_log import record_in
from campaigns.models import Arrival, Campaign, Consent, GateTry, Membership, Role
from campaigns.people.members import leave_campaign

#: Decisions made by the annotator's withdrawal are stored under this name.
RULE = "withdrawal"
LEFT = AuditEvent("annotator_left", gettext_lazy("An annotator left the study."))
ANSWERS_WITHDRAWN = AuditEvent(
    "answers_withdrawn", gettext_lazy("An annotator left the study; their answers are not used any more.")
)


class NothingToWithdraw(ValueError):
    """This person has never been an annotator here."""


@dataclass(frozen=True)
class Withdrawal:
    """The result for the person: `account_deleted` if their account can no longer log in."""

    membership: Membership
    account_deleted: bool


@transaction.atomic
def withdraw(campaign: Campaign, user: User, *, identity: bool, answers: bool) -> Withdrawal:
    """End `user`'s part in the campaign; forget their `identity`, and do not use their `answers`, if they ask.

    An annotator who has left may request more. Raises NothingToWithdraw.
    """
    # Not the campaign's key: a transaction that has a unit locked writes an assignment, which refers to the campaign.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    member = own_membership(campaign, user)
    if member.ended_at is None:
        member = leave_campaign(member)
    mine = Assignment.objects.filter(campaign=campaign, annotator=user)
    # Assignments are locked before the units whose seats they free, as in all transactions.
    list(mine.select_for_update().order_by("pk").values_list("pk"))
    put_down(mine)
    if answers:
        exclude_answers(mine, reason=Reason.WITHDRAWN, decider=Decider(rule=RULE))
        member.answers_withdrawn_at = member.answers_withdrawn_at or timezone.now()
        member.save(update_fields=["answers_withdrawn_at"])
        note_again(list(mine.values_list("pk", flat=True)))
    # Without the account: the log would keep the link that is deleted with an identity, now or by retention.
    event = ANSWERS_WITHDRAWN if answers else LEFT
    record_in(campaign, event, by=None)
    drop_old_pages_after_commit()
    return Withdrawal(member, account_deleted=identity and forget_identity(campaign, user))


@transaction.atomic
def forget_identity(campaign: Campaign, user: User) -> bool:
    """Delete the link between `user` and the campaign's data. Returns whether the account was deleted as well."""
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


def _hand_over(campaign: Campaign, user: User) -> None:
    """Separate the account from the campaign: all of its data here belong to a new, unnamed stand-in account."""
    stand_in = delete_identity(make_guest())
    arrivals = Arrival.objects.filter(invitation__campaign=campaign, user=user)
    _forget_numbers(arrivals)
    arrivals.update(user=stand_in)
    Membership.objects.filter(campaign=campaign, user=user, role=Role.ANNOTATOR).update(user=stand_in)
    Consent.objects.filter(text__campaign=campaign, user=user).update(user=stand_in)
    Assignment.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)
    AnnotatorDecision.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)
    BulkDecision.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)
    GateTry.objects.filter(campaign=campaign, annotator=user).update(annotator=stand_in)


def _forget_numbers(arrivals: QuerySet[Arrival]) -> None:
    arrivals.update(participant="", study="", session="", click="")
