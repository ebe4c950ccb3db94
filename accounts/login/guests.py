"""Accounts of guests: created on arrival, made permanent if they choose a name, emptied on request."""

from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.api.repetition import empty_replies
from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.login.second_factor import remove_factors
from accounts.models import KeptReply, User
from accounts.old_pages import drop_old_pages_after_commit

ACCOUNT_KEPT = AuditEvent("account_kept", gettext_lazy("A guest's account got a name and a password."))


class CannotKeep(ValueError):
    """The account cannot have this name. The message is for its owner."""


def make_guest() -> User:
    """An account under a random name that says nothing, and with no password."""
    return User.objects.create_user(username=_random_name(), is_guest=True)


@transaction.atomic
def keep_account(guest: User, *, username: str, password: str) -> User:
    """Make a guest's account one with a name and a password, to log in with later. Raises CannotKeep."""
    user = User.objects.select_for_update().get(pk=guest.pk)
    if not user.is_guest:
        raise CannotKeep(_("This account has a name and a password already."))
    user.username, user.is_guest = username, False
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(update_fields=["username", "username_folded", "is_guest", "password"])
    except IntegrityError as error:
        raise CannotKeep(_("This username is taken.")) from error
    record(ACCOUNT_KEPT, by=user, kind=Subject.ACCOUNT, number=user.pk)
    return user


@transaction.atomic
def delete_identity(user: User) -> User:
    """Delete name, e-mail address, password, links and tokens for good. The account can no longer log in."""
    user.identities.all().delete()
    user.api_tokens.all().delete()
    KeptReply.objects.filter(user=user).delete()
    empty_replies()
    remove_factors(user)
    user.username, user.is_guest, user.is_active = _random_name(), True, False
    user.email = user.first_name = user.last_name = ""
    user.last_login = user.last_worked_at = None
    user.set_unusable_password()
    user.save()
    drop_old_pages_after_commit()
    return user


def _random_name() -> str:
    return get_random_string(20, "abcdefghijkmnpqrstuvwxyz23456789")
