"""Guessing of passwords and codes is slowed down: by account and address together, by address, and by account.

Accounts and addresses are stored as keyed hashes, for as long as they count. Behind a proxy the address is the one
that the proxy names (TRUSTED_PROXIES). The limit by account alone holds over all addresses. So that it cannot be used
to lock others out, it is generous and slow, a browser that logged in before (`accounts/login/known_browsers.py`)
passes it, and a new password by a link clears it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import FailedAttempt, folded

WINDOW = timedelta(minutes=15)
#: Failures within the window at one account from one address; and from one address at all accounts together, which
#: may be a whole laboratory's.
MOST_AT_ACCOUNT, MOST_FROM_ADDRESS = 5, 60
SLOW_WINDOW = timedelta(hours=1)
#: Failures within the slow window at one account from all addresses together; and mails to one address.
MOST_ANYWHERE, MOST_MAILS_ANYWHERE = 30, 10


class TooMany(ValueError):
    """Too many attempts failed lately. The message is for the person who tries."""

    def __init__(self, window: timedelta = WINDOW, *, hint: str = "") -> None:
        n = window // timedelta(minutes=1)
        sentence = ngettext(
            "Too many attempts failed. Try again in %(n)s minute.",
            "Too many attempts failed. Try again in %(n)s minutes.",
            n,
        )
        super().__init__(f"{sentence % {'n': n}} {hint}".strip())


@dataclass(frozen=True)
class _Recent:
    """Attempts that count, the one just begun among them."""

    at_account_from_address: int
    from_address: int
    at_account: int


def begin_attempt(
    account: str, address: str, *, is_known: bool = False, most_anywhere: int = MOST_ANYWHERE
) -> FailedAttempt:
    """Note an attempt as failed before it is looked at, so that many at once are counted. Raises TooMany.

    `is_known`: the browser logged in to this account before, so that only the limits by address hold for it.
    """
    row = FailedAttempt.objects.create(account=_hidden(folded(account)), address=_hidden(_network(address)))
    recent = _recent(row, timezone.now())
    if recent.at_account_from_address > MOST_AT_ACCOUNT or recent.from_address > MOST_FROM_ADDRESS:
        row.delete()
        raise TooMany
    if recent.at_account > most_anywhere and not is_known:
        row.delete()
        raise TooMany(
            SLOW_WINDOW,
            hint=_("A browser in which you logged in before does not have to wait, nor does a new password."),
        )
    return row


def forgive(row: FailedAttempt) -> None:
    """It was the right one: what failed before at this account from this address is forgotten."""
    FailedAttempt.objects.filter(account=row.account, address=row.address).delete()


def forgive_account(account: str) -> None:
    """Forget what failed at this account, wherever from: its owner has a new password."""
    FailedAttempt.objects.filter(account=_hidden(folded(account))).delete()


def forget_attempts() -> int:
    """Delete what no longer counts; return how many."""
    return FailedAttempt.objects.filter(failed_at__lte=timezone.now() - SLOW_WINDOW).delete()[0]


def _recent(row: FailedAttempt, now: datetime) -> _Recent:
    lately = Q(failed_at__gt=now - WINDOW)
    here, there = Q(address=row.address), Q(account=row.account)
    counted = FailedAttempt.objects.filter(here | there, failed_at__gt=now - SLOW_WINDOW).aggregate(
        at_account_from_address=Count("pk", filter=here & there & lately),
        from_address=Count("pk", filter=here & lately),
        at_account=Count("pk", filter=there),
    )
    return _Recent(**counted)


def _network(address: str) -> str:
    """Of IPv6 a household's 64 bits count."""
    try:
        ip = ip_address(address)
    except ValueError:
        return ""
    if not isinstance(ip, IPv6Address):
        return str(ip)
    return str(ip.ipv4_mapped or ip.packed[:8].hex())


def _hidden(value: str) -> str:
    return salted_hmac("earshot.attempts", value, algorithm="sha256").hexdigest()
