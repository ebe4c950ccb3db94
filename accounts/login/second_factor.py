"""A second factor: codes of an authenticator (TOTP, RFC 6238) and recovery codes, checked by django-otp.

Keys are stored encrypted, and recovery codes as hashes: a copy of the database contains no usable factor.
"""

import hashlib
import logging
import math
import secrets
from base64 import b32encode
from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import Authenticator, User
from accounts.sealing import KeyLost, is_readable

logger = logging.getLogger(__name__)

RECOVERY_CODES = 10
#: As RFC 4226 recommends.
KEY_BYTES = 20
FACTOR_ADDED = AuditEvent("second_factor_added", gettext_lazy("A second factor was added."))
FACTOR_REMOVED = AuditEvent("second_factor_removed", gettext_lazy("The second factor was removed."))


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, confirmed=True).exists())


def who_have_one(users: Iterable[int]) -> set[int]:
    """Those of these accounts (their ids) that have a second factor."""
    return set(Authenticator.objects.filter(user__in=list(users), confirmed=True).values_list("user", flat=True))


@transaction.atomic
def begin(user: User) -> Authenticator:
    """The key that is to be scanned: a new one, unless one waits for its first code already."""
    waiting: Authenticator | None = Authenticator.objects.filter(user=user, confirmed=False).first()
    if waiting and is_readable(waiting.sealed_key):
        return waiting
    Authenticator.objects.filter(user=user, confirmed=False).delete()
    new = Authenticator(user=user, name="TOTP", confirmed=False)
    new.bin_key = secrets.token_bytes(KEY_BYTES)
    new.save()
    return new


def typed_key(device: Authenticator) -> str:
    """The key for those who type it, in fours."""
    letters = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(letters[n : n + 4] for n in range(0, len(letters), 4))


@transaction.atomic
def confirm(user: User, code: str) -> list[str] | None:
    """Switch it on with its first code; ten recovery codes, shown once. None where the code is wrong."""
    device = Authenticator.objects.select_for_update().filter(user=user, confirmed=False).first()
    if device is None or not device.verify_token(code):
        return None
    Authenticator.objects.filter(user=user, confirmed=True).delete()
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    record(FACTOR_ADDED, by=user, kind=Subject.ACCOUNT, number=user.pk)
    return new_recovery_codes(user)


@transaction.atomic
def new_recovery_codes(user: User) -> list[str]:
    """Ten new ones; those before are of no use any more."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery")
    codes = [StaticToken.random_token() + StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=_hashed(code)) for code in codes)
    return codes


@transaction.atomic
def is_right(user: User, code: str) -> bool:
    """Whether it is the code of this moment, or a recovery code, which is used up by it. Each works once.

    Wrong ones slow down the next (django-otp), recovery codes and those of the authenticator each for themselves.
    """
    if not code.isdecimal():
        return any(
            it.verify_token(_hashed(code)) for it in StaticDevice.objects.filter(user=user).select_for_update()
        )
    try:
        devices = Authenticator.objects.filter(user=user, confirmed=True)
        return any(it.verify_token(code) for it in devices.select_for_update())
    except KeyLost:
        logger.warning("The authenticator of account %s cannot be read under this SECRET_KEY.", user.pk)
        return False


def seconds_to_wait(user: User, code: str) -> int:
    """For how long no code of this kind is looked at, since one was wrong just now (django-otp); 0 where it is."""
    kind = Authenticator if code.isdecimal() else StaticDevice
    looked_at = [it.verify_is_allowed() for it in kind.objects.filter(user=user)]
    ends = [why["locked_until"] for is_allowed, why in looked_at if not is_allowed]
    return max((math.ceil((end - timezone.now()).total_seconds()) for end in ends), default=0)


@transaction.atomic
def switch_off(user: User, *, by: User | None) -> None:
    """`by` is None on the command line. Nothing happens where there is none."""
    if not has_second_factor(user):
        remove_factors(user)  # one that was begun and never confirmed
        return
    record(FACTOR_REMOVED, by=by, kind=Subject.ACCOUNT, number=user.pk)
    remove_factors(user)


def remove_factors(user: User) -> None:
    """Part of what removes more than this, and says so in the audit log."""
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def take_away(user: User, *, by: User) -> None:
    """For a user who has lost it and the recovery codes; the audit log records who removed it.

    Raises PermissionDenied unless an administrator of the installation does it: the password alone lets in from then.
    """
    require_may_take_away(by)
    switch_off(user, by=by)
    logger.warning("Account %s took the second factor of account %s away.", by.pk, user.pk)


def require_may_take_away(by: User) -> None:
    if not by.is_superuser or by.is_guest:
        raise PermissionDenied(_("Only an administrator of this installation may do this."))


def _hashed(code: str) -> str:
    """Codes have 80 random bits, so that their hash wants no salt; as many of it fit into django-otp's column."""
    return b32encode(hashlib.sha256(code.encode()).digest()[:10]).decode().lower()
