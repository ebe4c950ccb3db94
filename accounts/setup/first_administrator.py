"""The first administrator of an installation: made at an address with a one-time code that the server prints.

Codes are random, stored as hashes, and invalid after a day or as soon as there is an administrator. Several web
processes may each print one.
"""

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

from django.core.cache import cache
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import SetupCode, User

VALID = timedelta(days=1)
ACCOUNTS = "installation-has-accounts"
FIRST_ADMINISTRATOR = AuditEvent(
    "first_administrator", gettext_lazy("The first administrator was made, by a code that the server printed.")
)


class WrongCode(ValueError):
    """The code was never given out, is too old, or was used."""


class AdministratorExists(ValueError):
    """Only the first administrator is made by a code."""

    def __init__(self) -> None:
        super().__init__(_("This installation has an administrator already."))


class NameTaken(ValueError):
    """Another account has this username."""


def has_administrator() -> bool:
    return User.objects.filter(is_superuser=True, is_active=True, is_guest=False).exists()


def no_account_can_log_in() -> bool:
    """Whether the installation is so empty that its log-in page is no use. Asked once, when it no longer is."""
    if cache.get(ACCOUNTS):
        return False
    try:
        has_accounts = User.objects.filter(is_active=True, is_guest=False).exists()
    except DatabaseError:
        return False  # the log-in page is shown without a database, too, and says nothing of it
    if has_accounts:
        cache.set(ACCOUNTS, True, timeout=None)
    return not has_accounts


@transaction.atomic
def new_setup_code() -> str:
    """A new code, which is returned once; those given out before stay good. Raises AdministratorExists."""
    if has_administrator():
        raise AdministratorExists
    SetupCode.objects.filter(made_at__lte=timezone.now() - VALID).delete()
    code = token_urlsafe(24)
    SetupCode.objects.create(digest=_digest(code))
    return code


def is_setup_code(code: str) -> bool:
    """Whether an administrator may be made with it now."""
    return not has_administrator() and _is_known(code)


@transaction.atomic
def make_first_administrator(code: str, *, username: str, password: str) -> User:
    """Make the administrator, and all codes worthless. Raises WrongCode, AdministratorExists or NameTaken."""
    known = _is_known(code, lock=True)
    if has_administrator():
        raise AdministratorExists
    if not known:
        raise WrongCode(_("This address does not work any more."))
    try:
        with transaction.atomic():
            user: User = User.objects.create_superuser(username=username, password=password)
    except IntegrityError as error:
        raise NameTaken(_("This username is taken.")) from error
    SetupCode.objects.all().delete()
    record(FIRST_ADMINISTRATOR, by=user, kind=Subject.ACCOUNT, number=user.pk)
    return user


def _is_known(code: str, *, lock: bool = False) -> bool:
    """Every code is compared, in the same time for each. Locked, two who come at once are one after the other."""
    rows = SetupCode.objects.order_by("pk")
    if lock:
        rows = rows.select_for_update()
    oldest, digest, known = timezone.now() - VALID, _digest(code), False
    for row in rows:
        known |= constant_time_compare(row.digest, digest) and row.made_at > oldest
    return known


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()
