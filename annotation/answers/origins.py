"""Where answers come from, so that many from one place are noticed, without revealing the place.

An origin is a hash of a network address under a random key of the day. The key is deleted when the day is over; from
then on an origin says only which answers of that day came from the same address.
"""

import hashlib
import hmac
import secrets
from datetime import date
from ipaddress import IPv6Address, ip_address

from django.db import transaction
from django.db.models import DateField
from django.utils import timezone

from annotation.models import DayKey
from infrastructure.compiled_queries import Given, Prepared

LENGTH = 16
_kept_key = Prepared(lambda: DayKey.objects.filter(day=Given("day", DateField())).order_by().values_list("key"))


def origin_of(address: str) -> str:
    """The origin of an address today; empty where there is none. Of IPv6 a household's 64 bits count."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    packed = mapped.packed if mapped else parsed.packed[:8]
    return hmac.new(_key_of(timezone.localdate()), packed, hashlib.sha256).hexdigest()[:LENGTH]


def forget_keys() -> int:
    """Delete the keys of days that are over; return how many."""
    return DayKey.objects.filter(day__lt=timezone.localdate()).delete()[0]


def _key_of(day: date) -> bytes:
    if kept := _kept_key.rows(day=day):
        return bytes(kept[0][0])
    with transaction.atomic():
        row, _ = DayKey.objects.get_or_create(day=day, defaults={"key": secrets.token_bytes(32)})
    return bytes(row.key)
