"""Guessing of passwords and codes is slowed down: by account and address together, so that nobody locks out others.

Accounts and addresses are kept as keyed hashes, for as long as they count. Behind a proxy the address is the one that
the server takes from it (FORWARDED_ALLOW_IPS).
"""

from datetime import timedelta
from ipaddress import IPv6Address, ip_address

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from accounts.models import FailedAttempt

WINDOW = timedelta(minutes=15)
#: Failures within the window at one account from one address; and from one address at all accounts together, which
#: may be a whole laboratory's.
MOST_AT_ACCOUNT, MOST_FROM_ADDRESS = 5, 60


class TooMany(ValueError):
    """Too many attempts failed lately. The message is for whoever tries."""

    def __init__(self) -> None:
        n = WINDOW // timedelta(minutes=1)
        told = ngettext(
            "Too many attempts failed. Try again in %(n)s minute.",
            "Too many attempts failed. Try again in %(n)s minutes.",
            n,
        )
        super().__init__(told % {"n": n})


def begin_attempt(account: str, address: str) -> FailedAttempt:
    """Note an attempt as failed before it is looked at, so that many at once are counted. Raises TooMany."""
    row = FailedAttempt.objects.create(account=_hidden(account.casefold()), address=_hidden(_network(address)))
    since = FailedAttempt.objects.filter(address=row.address, failed_at__gt=timezone.now() - WINDOW)
    if since.filter(account=row.account).count() > MOST_AT_ACCOUNT or since.count() > MOST_FROM_ADDRESS:
        row.delete()
        raise TooMany
    return row


def forgive(row: FailedAttempt) -> None:
    """It was the right one: what failed before at this account from this address is forgotten."""
    FailedAttempt.objects.filter(account=row.account, address=row.address).delete()


def forget_attempts() -> int:
    """Delete what no longer counts; return how many."""
    return FailedAttempt.objects.filter(failed_at__lte=timezone.now() - WINDOW).delete()[0]


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
