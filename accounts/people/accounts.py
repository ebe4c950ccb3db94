"""Accounts of an installation: made, changed, disabled and enabled by its administrators."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.emails import EMAIL_CHANGED
from accounts.models import User
from accounts.people.dependents import account_disabled
from accounts.people.rights import (
    CannotChange,
    InstallationRight,
    give_right,
    require_administrator,
    require_another_administrator,
    take_right,
)

ACCOUNT_MADE = AuditEvent("account_made", gettext_lazy("The account was made."))
RESEARCHER_MADE = AuditEvent("account_made_researcher", gettext_lazy("The account was made, as a researcher."))
RENAMED = AuditEvent("account_renamed", gettext_lazy("The account got another username."))
DISABLED = AuditEvent("account_disabled", gettext_lazy("The account was disabled."))
ENABLED = AuditEvent("account_enabled", gettext_lazy("The account was enabled again."))
LOGGED_OUT = AuditEvent("account_logged_out", gettext_lazy("The account was logged out everywhere."))


@transaction.atomic
def make_account(*, username: str, email: str, is_researcher: bool, by: User) -> User:
    """An account without a password: its owner chooses one by a link. Raises CannotChange."""
    require_administrator(by)
    with _free_username():
        user: User = User.objects.create_user(username=username, email=email, is_researcher=is_researcher)
    record(RESEARCHER_MADE if is_researcher else ACCOUNT_MADE, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


@transaction.atomic
def change_account(user: User, *, username: str, email: str, by: User) -> User:
    """Another username, e-mail address or both. Raises CannotChange."""
    require_administrator(by)
    user = _named(user)
    before = {RENAMED: user.username, EMAIL_CHANGED: user.email}
    user.username, user.email = username, email
    with _free_username():
        user.save(update_fields=["username", "username_folded", "email"])
    for event, now in ((RENAMED, username), (EMAIL_CHANGED, email)):
        if now != before[event]:
            record(event, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


@transaction.atomic
def change_person(
    user: User, *, username: str, email: str, rights: Mapping[InstallationRight, bool], by: User
) -> User:
    """Name, e-mail address and rights, all or nothing; rights that are not named stay. Raises CannotChange."""
    user = change_account(user, username=username, email=email, by=by)
    for right, held in rights.items():
        user = (give_right if held else take_right)(user, right, by=by)
    return user


@transaction.atomic
def disable_account(user: User, *, by: User) -> User:
    """Log the account out everywhere and keep it out: its password and its tokens are refused until it is enabled.

    Units in hand go back to the others at once; what was answered stays. Raises CannotChange for the last
    administrator, for the one who asks, and for guests.
    """
    require_administrator(by)
    if user.pk == by.pk:
        raise CannotChange(_("You cannot disable your own account. Ask another administrator."))
    if user.is_superuser:
        require_another_administrator(user)
    user = _named(user)
    if user.is_active:
        user.is_active, user.times_logged_out = False, user.times_logged_out + 1
        user.save(update_fields=["is_active", "times_logged_out"])
        account_disabled(user)
        record(DISABLED, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


@transaction.atomic
def enable_account(user: User, *, by: User) -> User:
    """Undo `disable_account`: the same password, rights and tokens count again. Sessions stay ended."""
    require_administrator(by)
    user = _named(user)
    if not user.is_active:
        user.is_active = True
        user.save(update_fields=["is_active"])
        record(ENABLED, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


@transaction.atomic
def log_out_everywhere(user: User, *, by: User) -> User:
    """End every session of the account. Raises CannotChange for guests, who could not log in again."""
    require_administrator(by)
    user = _named(user)
    user.times_logged_out += 1
    user.save(update_fields=["times_logged_out"])
    record(LOGGED_OUT, by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


def _named(user: User) -> User:
    """The row, locked. Raises CannotChange for guests and deleted accounts, which have no name."""
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_guest:
        raise CannotChange(_("Guests have no name and no password. End their role on the campaign's page People."))
    return user


@contextmanager
def _free_username() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise CannotChange(_("This username is taken.")) from error
