"""Deleting an account: no identity stays, and what it did stays under its number, or is no longer used."""

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.login.guests import delete_identity
from accounts.models import User
from accounts.people.dependents import account_deleted, owned_by, parts_to_hand_over, remove_texts
from accounts.people.rights import (
    CannotChange,
    administrators,
    require_administrator,
    require_another_administrator,
)

DELETED = AuditEvent("account_deleted", gettext_lazy("The account was deleted; its answers stay under its number."))
WITHDRAWN = AuditEvent(
    "account_deleted_with_answers", gettext_lazy("The account was deleted; its answers are no longer used.")
)


@transaction.atomic
def delete_account(user: User, *, typed: str, with_answers: bool, with_texts: bool = False, by: User) -> User:
    """Delete name, e-mail address, password, second factor, sign-on, tokens and sessions for good.

    Its roles end; what it owned belongs to `by` now. With `with_answers` its answers are left out of everything, and
    with `with_texts` its comments and reasons about the work of others are removed.
    Raises CannotChange: `by` cannot delete themselves, and an account that is in use is disabled first.
    """
    require_administrator(by)
    user = User.objects.select_for_update().get(pk=user.pk)
    _require_deletable(user, by=by)
    return _delete(user, typed=typed, with_answers=with_answers, with_texts=with_texts, by=by)


@transaction.atomic
def delete_own_account(user: User, *, typed: str, with_answers: bool, with_texts: bool = False) -> User:
    """The same, by its owner, who hands over first what nobody else is in charge of. The view has asked for a proof.

    Raises CannotChange for guests, for the last administrator, and while something is to be handed over.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if why := why_not_deleted_by_owner(user):
        raise CannotChange(why)
    return _delete(user, typed=typed, with_answers=with_answers, with_texts=with_texts, by=user)


def why_not_deleted_by_owner(user: User) -> str:
    """Why the owner cannot delete the account now; empty where they can."""
    if user.is_guest:
        return _("Guests have no name and no password. Leave the study on its own page instead.")
    if user.is_superuser and not administrators().exclude(pk=user.pk).exists():
        return _("You are the last administrator. Make another user an administrator first.")
    if parts := parts_to_hand_over(user) + owned_by(user):
        said = _("Hand over first: %(names)s.")
        return said % {"names": ", ".join(part.title for part in parts)}
    return ""


def _delete(user: User, *, typed: str, with_answers: bool, with_texts: bool, by: User) -> User:
    if user.is_superuser:
        require_another_administrator(user)
    if typed.strip() != user.username:
        raise CannotChange(_("Type its name exactly as it stands there: nothing was deleted."))
    if with_texts:
        remove_texts(user)
    account_deleted(user, with_answers=with_answers, by=by)
    user.is_researcher = user.is_superuser = user.is_staff = False
    user = delete_identity(user)
    record(WITHDRAWN if with_answers else DELETED, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


def _require_deletable(user: User, *, by: User) -> None:
    if user.pk == by.pk:
        raise CannotChange(_("Your own account is deleted on the page “Your account”."))
    if user.is_guest:
        raise CannotChange(_("Guests have no name and no password. End their role on the campaign's page People."))
    if user.is_superuser:
        require_another_administrator(user)
    if user.is_active:
        raise CannotChange(_("Disable the account first; that can be undone."))
    if parts := parts_to_hand_over(user):
        said = _("Only this account is admin of %(campaigns)s. Name another admin on the page People there first.")
        raise CannotChange(said % {"campaigns": ", ".join(part.title for part in parts)})
