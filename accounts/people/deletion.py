"""Deleting an account: no identity stays, and what it did stays under its number, or is no longer used."""

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.login.guests import delete_identity
from accounts.models import User
from accounts.people.dependents import account_deleted, parts_to_hand_over
from accounts.people.rights import CannotChange, require_administrator, require_another_administrator

DELETED = AuditEvent("account_deleted", gettext_lazy("The account was deleted; its answers stay under its number."))
WITHDRAWN = AuditEvent(
    "account_deleted_with_answers", gettext_lazy("The account was deleted; its answers are no longer used.")
)


@transaction.atomic
def delete_account(user: User, *, typed: str, with_answers: bool, by: User) -> User:
    """Delete name, e-mail address, password, second factor, sign-on, tokens and sessions for good.

    Its roles end; what it owned belongs to `by` now. With `with_answers` its answers are left out of everything.
    Raises CannotChange: `by` cannot delete themselves, and an account that is in use is disabled first.
    """
    require_administrator(by)
    user = User.objects.select_for_update().get(pk=user.pk)
    _require_deletable(user, by=by)
    if typed.strip() != user.username:
        raise CannotChange(_("Type its name exactly as it stands there: nothing was deleted."))
    account_deleted(user, with_answers=with_answers, by=by)
    user.is_researcher = user.is_superuser = user.is_staff = False
    user = delete_identity(user)
    record(WITHDRAWN if with_answers else DELETED, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


def _require_deletable(user: User, *, by: User) -> None:
    if user.pk == by.pk:
        raise CannotChange(_("You cannot delete your own account. Ask another administrator."))
    if user.is_guest:
        raise CannotChange(_("Guests have no name and no password. End their role on the campaign's page People."))
    if user.is_superuser:
        require_another_administrator(user)
    if user.is_active:
        raise CannotChange(_("Disable the account first; that can be undone."))
    if parts := parts_to_hand_over(user):
        said = _("Only this account is admin of %(campaigns)s. Name another admin on the page People there first.")
        raise CannotChange(said % {"campaigns": ", ".join(part.title for part in parts)})
