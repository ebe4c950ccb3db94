"""Browsers with an earlier login to an account: a signed cookie that names the account by a keyed hash.

With it the limit of failed log-ins by account over all addresses does not apply, which others could otherwise use to
lock the owner out. It opens nothing, and the limits by address still apply.
"""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

COOKIE = "known_browser"
SALT = "earshot.known_browser"
KEPT = timedelta(days=180)


def is_known_browser(request: HttpRequest | None, username: str) -> bool:
    """Whether this browser has a recent login to the account of this name."""
    if request is None or not (given := request.COOKIES.get(COOKIE)):
        return False
    try:
        account = signing.loads(given, salt=SALT, max_age=KEPT)
    except signing.BadSignature:
        return False
    return isinstance(account, str) and constant_time_compare(account, _hidden(username))


def remember_browser(response: HttpResponse, username: str) -> None:
    """Give the browser the cookie with this response."""
    response.set_cookie(
        COOKIE,
        signing.dumps(_hidden(username), salt=SALT),
        max_age=KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _hidden(username: str) -> str:
    return salted_hmac(SALT, username.casefold(), algorithm="sha256").hexdigest()
