"""The password that the demo prints, and which accounts outside the demo still have it."""

import hashlib

from django.contrib.auth.hashers import check_password
from django.core.cache import cache

from accounts.models import User

DEMO_PASSWORD = "listen-closely"  # noqa: S105 - printed at every start, for a server on the loopback alone


def with_demo_password() -> list[str]:
    """The usernames of administrators that the demo's password lets in, once the demo is cleared away.

    Comparing takes a good part of a second for each, as it is meant to; what was found for a stored hash stays true,
    and is kept until the cache is emptied.
    """
    rows = User.objects.filter(is_superuser=True, is_active=True, is_guest=False, is_demo=False)
    return [user.username for user in rows.order_by("username") if _is_demo_password(user.password)]


def _is_demo_password(stored: str) -> bool:
    digest = hashlib.sha256(stored.encode()).hexdigest()
    return bool(
        cache.get_or_set(f"is-demo-password-{digest}", lambda: check_password(DEMO_PASSWORD, stored), timeout=None)
    )
