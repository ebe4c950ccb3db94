"""Accounts of an installation, and the two rights that an account may have there: researcher and administrator."""

from enum import StrEnum

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User


class InstallationRight(StrEnum):
    RESEARCHER = "researcher"
    ADMINISTRATOR = "administrator"


COLUMNS = {InstallationRight.RESEARCHER: "is_researcher", InstallationRight.ADMINISTRATOR: "is_superuser"}


class CannotChange(ValueError):
    """The message is for the administrator who asked."""


def accounts_of_installation(search: str = "") -> QuerySet[User]:
    """Those with a name, by name; guests and accounts that were deleted have none."""
    rows = User.objects.filter(is_guest=False).order_by("username")
    return rows.filter(username__icontains=search) if search else rows


def make_account(*, username: str, email: str, is_researcher: bool, by: User) -> User:
    """An account without a password: its owner chooses one by a link. Raises CannotChange."""
    require_administrator(by)
    try:
        with transaction.atomic():
            user: User = User.objects.create_user(username=username, email=email, is_researcher=is_researcher)
    except IntegrityError as error:
        raise CannotChange(_("Somebody else has this username.")) from error
    return user


@transaction.atomic
def give_right(user: User, right: InstallationRight, *, by: User) -> User:
    """Raises CannotChange for guests, who may only label."""
    require_administrator(by)
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_guest or not user.is_active:
        raise CannotChange(_("This account cannot be given a right: it has no name, or is not in use."))
    return _set(user, right, held=True)


@transaction.atomic
def take_right(user: User, right: InstallationRight, *, by: User) -> User:
    """Raises CannotChange for the last administrator."""
    require_administrator(by)
    administrators = User.objects.select_for_update().filter(is_superuser=True, is_active=True, is_guest=False)
    others = [row for row in administrators.order_by("pk") if row.pk != user.pk]
    if right == InstallationRight.ADMINISTRATOR and not others:
        raise CannotChange(_("This is the last administrator. Make somebody else one first."))
    return _set(User.objects.select_for_update().get(pk=user.pk), right, held=False)


def require_administrator(user: User) -> None:
    """Raise PermissionDenied unless `user` administers the installation."""
    if not user.is_superuser or user.is_guest:
        raise PermissionDenied(_("Only an administrator of this installation may do this."))


def _set(user: User, right: InstallationRight, *, held: bool) -> User:
    column = COLUMNS[right]
    setattr(user, column, held)
    user.save(update_fields=[column])
    return user
