"""The two rights that an account may have in an installation: researcher and administrator."""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import Identity, User

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class InstallationRight(StrEnum):
    RESEARCHER = "researcher"
    ADMINISTRATOR = "administrator"


COLUMNS = {InstallationRight.RESEARCHER: "is_researcher", InstallationRight.ADMINISTRATOR: "is_superuser"}
GIVEN = {
    InstallationRight.RESEARCHER: AuditEvent("researcher_given", gettext_lazy("The account was made a researcher.")),
    InstallationRight.ADMINISTRATOR: AuditEvent(
        "administrator_given", gettext_lazy("The account was made an administrator.")
    ),
}
TAKEN = {
    InstallationRight.RESEARCHER: AuditEvent(
        "researcher_taken", gettext_lazy("The account is no longer a researcher.")
    ),
    InstallationRight.ADMINISTRATOR: AuditEvent(
        "administrator_taken", gettext_lazy("The account is no longer an administrator.")
    ),
}

#: What users may do outside campaigns, and which: for the page that shows it.
PERMITTED: list[tuple["StrOrPromise", Callable[[User], bool]]] = [
    (gettext_lazy("Import datasets; make protocols, models and judges; launch campaigns"), lambda it: it.may_launch),
    (
        gettext_lazy("Everything in every campaign and dataset, as its admin"),
        lambda it: it.is_superuser and not it.is_guest,
    ),
    (
        gettext_lazy("Make, change and disable accounts, give these rights, read the audit log"),
        lambda it: it.is_superuser and not it.is_guest,
    ),
]


class CannotChange(ValueError):
    """The message is for the administrator who asked."""


@transaction.atomic
def give_right(user: User, right: InstallationRight, *, by: User) -> User:
    """Raises CannotChange for guests, who may only label."""
    require_administrator(by)
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_guest or not user.is_active:
        raise CannotChange(_("This account cannot be given a right: it has no name, or is not in use."))
    return _set(user, right, held=True, by=by)


@transaction.atomic
def take_right(user: User, right: InstallationRight, *, by: User) -> User:
    """Raises CannotChange for the last administrator."""
    require_administrator(by)
    if right == InstallationRight.ADMINISTRATOR:
        require_another_administrator(user)
    return _set(User.objects.select_for_update().get(pk=user.pk), right, held=False, by=by)


def administrators() -> QuerySet[User]:
    """Those who can log in: with a password, or by the single sign-on that is set up."""
    by_password = ~Q(password="") & ~Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    linked = Identity.objects.filter(user=OuterRef("pk"), issuer=settings.OIDC_ISSUER)
    by_sign_on = Exists(linked) if settings.OIDC_ISSUER else Q(pk=None)
    return User.objects.filter(by_password | by_sign_on, is_superuser=True, is_active=True, is_guest=False)


def require_another_administrator(user: User) -> None:
    """Lock the administrators, and raise CannotChange if `user` is the last of them."""
    held = list(administrators().select_for_update().order_by("pk"))
    if not [row for row in held if row.pk != user.pk]:
        raise CannotChange(_("This is the last administrator. Make another user an administrator first."))


def require_administrator(user: User) -> None:
    """Raise PermissionDenied unless `user` administers the installation."""
    if not user.is_superuser or user.is_guest:
        raise NotAdministrator(_("Only an administrator of this installation may do this."))


def _set(user: User, right: InstallationRight, *, held: bool, by: User) -> User:
    column = COLUMNS[right]
    if getattr(user, column) != held:
        setattr(user, column, held)
        user.save(update_fields=[column])
        record((GIVEN if held else TAKEN)[right], by=by, kind=Subject.ACCOUNT, number=user.pk)
    return user


def require_account(user: User) -> None:
    """Raise PermissionDenied for guests, who may only label."""
    if user.is_guest:
        raise PermissionDenied(_("Guests only label. Keep your account under a name first."))


class RefusedToAll(PermissionDenied):
    """Nobody can have this now, whatever their role: the page's title says why, and its advice what to do."""

    title: "StrOrPromise" = ""
    advice: "StrOrPromise" = ""


class NotAdministrator(PermissionDenied):
    """The right of an administrator of the installation is missing: no admin of a campaign can help."""


class NotResearcher(PermissionDenied):
    """The right of a researcher of the installation is missing; an administrator gives it."""


def require_launcher(user: User) -> None:
    """Raise NotResearcher unless `user` may import datasets and launch campaigns."""
    if not user.may_launch:
        raise NotResearcher(_("Only researchers may do this. Ask an administrator of this installation."))
