"""To the provider of the single sign-on and back. There is no such page where none is set up."""

import time

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.login.entering import enter
from accounts.models import User
from accounts.requests import AccountRequest, require_own_account
from accounts.sign_on.openid import Refused, account_of, claims_from, is_on, link, to_provider, unlink

NEXT = "sign-on-next"
#: In the session: the subject that the provider named to a person who was logged in, until they confirm the link.
TO_LINK = "sign-on-to-link"
#: For so long they may think about it.
TO_LINK_S = 600


@login_not_required
@require_safe
def sign_on(request: HttpRequest) -> HttpResponse:
    _require_on()
    request.session[NEXT] = request.GET.get("next", "")
    try:
        return to_provider(request)
    except Refused as refusal:
        return _refused(request, refusal)


@login_not_required
@require_safe
def sign_on_back(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people: in, or, if they are in already, on to the question whether to link."""
    _require_on()
    next_ = str(request.session.pop(NEXT, ""))
    try:
        claims = claims_from(request)
        if isinstance(request.user, User):
            known_as = claims.get("email") or claims.get("preferred_username") or claims["sub"]
            request.session[TO_LINK] = {"subject": str(claims["sub"]), "known_as": str(known_as), "at": time.time()}
            return redirect("sign-on-link")
        return enter(request, account_of(claims), next_=next_)
    except Refused as refusal:
        return _refused(request, refusal)


@require_http_methods(["GET", "POST"])
def sign_on_link(request: AccountRequest) -> HttpResponse:
    """Ask whether to link the account to the identity that was just proved, and do it by POST."""
    _require_on()
    require_own_account(request)
    found = request.session.get(TO_LINK) or {}
    if time.time() - found.get("at", 0) > TO_LINK_S:
        return _refused(request, Refused(_("This took too long. Link your account once more from its page.")))
    if request.method == "GET":
        context = {"known_as": found["known_as"], "sign_on": settings.OIDC_NAME}
        return render(request, "accounts/sign_on/sign_on_link.html", context)
    del request.session[TO_LINK]
    try:
        link(request.user, found["subject"])
    except Refused as refusal:
        return _refused(request, refusal)
    messages.success(request, _("Your account is linked. You can log in either way."))
    return redirect("account")


@require_POST
def sign_on_unlink(request: AccountRequest) -> HttpResponse:
    _require_on()
    require_own_account(request)
    try:
        unlink(request.user)
    except Refused as refusal:
        return _refused(request, refusal)
    messages.success(request, _("Your account is not linked any more. Log in with your password."))
    return redirect("account")


def _refused(request: HttpRequest, refusal: Refused) -> HttpResponse:
    messages.error(request, str(refusal))
    return redirect("account" if isinstance(request.user, User) and not request.user.is_guest else "login")


def _require_on() -> None:
    if not is_on():
        raise Http404("There is no single sign-on here.")
