"""The only way to log in: accounts with a second factor are asked for a code first, whatever the first factor was."""

import time
from dataclasses import dataclass

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.login.known_browsers import remember_browser
from accounts.login.second_factor import has_second_factor
from accounts.models import User

ENTERING = "entering"
LOGGED_IN_AT = "logged_in_at"
#: So long the first factor holds while the second is looked for.
TIMEOUT_S = 600
BACKEND = "django.contrib.auth.backends.ModelBackend"


@dataclass(frozen=True)
class Entering:
    """A user whose first factor was correct."""

    user: User
    next: str


def enter(request: HttpRequest, user: User, *, next_: str = "") -> HttpResponse:
    """Log in and go on; or ask for the code first."""
    if has_second_factor(user):
        request.session[ENTERING] = {
            "user": user.pk, "next": next_, "at": time.time(), "was": user.get_session_auth_hash()
        }  # fmt: skip
        return redirect("login-code")
    return complete(request, user, next_=next_)


def entering(request: HttpRequest) -> Entering | None:
    """Who is between the two factors, if their time is not up and their password is still the same."""
    kept = request.session.get(ENTERING) or {}
    if time.time() - kept.get("at", 0) > TIMEOUT_S:
        return None
    user = User.objects.filter(pk=kept["user"], is_active=True).first()
    if user is None or not constant_time_compare(kept["was"], user.get_session_auth_hash()):
        return None
    return Entering(user, str(kept["next"]))


def complete(request: HttpRequest, user: User, *, next_: str = "") -> HttpResponse:
    request.session.pop(ENTERING, None)
    login(request, user, backend=BACKEND)
    request.session[LOGGED_IN_AT] = time.time()
    safe = url_has_allowed_host_and_scheme(
        next_, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    response = redirect(next_ if safe else resolve_url("home"))
    remember_browser(response, user.username)
    return response


def logged_in_just_now(request: HttpRequest) -> bool:
    """Whether this session was begun by a log-in of the last ten minutes."""
    return bool(time.time() - request.session.get(LOGGED_IN_AT, 0) <= TIMEOUT_S)
