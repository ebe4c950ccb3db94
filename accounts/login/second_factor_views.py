"""Codes of an authenticator: asked for at the log-in, switched on and off on the account's page."""

import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.login.attempts import TooMany, begin_attempt, forgive
from accounts.login.entering import complete, entering
from accounts.login.forms import CodeForm, SureForm
from accounts.login.known_browsers import is_known_browser
from accounts.login.second_factor import (
    begin,
    confirm,
    has_second_factor,
    is_right,
    seconds_to_wait,
    switch_off,
    typed_key,
)
from accounts.models import User
from accounts.requests import AccountRequest, require_own_account


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def login_code(request: HttpRequest) -> HttpResponse:
    """The second of two factors."""
    if (found := entering(request)) is None:
        return redirect("login")
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if refusal := _refusal(request, found.user, form.cleaned_data["code"]):
            form.add_error("code", refusal)
        else:
            return complete(request, found.user, next_=found.next)
    return render(request, "accounts/login/login_code.html", {"form": form})


@never_cache
@require_http_methods(["GET", "POST"])
def second_factor(request: AccountRequest) -> HttpResponse:
    """Switch it on: scan, type the first code, keep the recovery codes."""
    require_own_account(request)
    if has_second_factor(request.user):
        return redirect("second-factor-off")
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        code = form.cleaned_data["code"]
        wait = seconds_to_wait(request.user, code)
        if codes := confirm(request.user, code):
            return render(request, "accounts/login/recovery_codes.html", {"codes": codes})
        wrong = _("This is not the code of this moment. Look at the clock of your phone.")
        form.add_error("code", _wait(wait) if wait else wrong)
    device = begin(request.user)
    image = segno.make(device.config_url, error="m").svg_data_uri(scale=5, border=4, light="white")
    context = {"form": form, "image": image, "key": typed_key(device)}
    return render(request, "accounts/login/second_factor.html", context)


@require_http_methods(["GET", "POST"])
def second_factor_off(request: AccountRequest) -> HttpResponse:
    require_own_account(request)
    form = SureForm(request.POST or None, user=request.user, address=request.META.get("REMOTE_ADDR", ""))
    if request.method == "POST" and form.is_valid():
        switch_off(request.user, by=request.user)
        messages.success(request, _("Only your password is asked for from now on."))
        return redirect("account")
    return render(request, "accounts/login/second_factor_off.html", {"form": form})


def _refusal(request: HttpRequest, user: User, code: str) -> str:
    try:
        attempt = begin_attempt(
            f"code of {user.pk}",
            request.META.get("REMOTE_ADDR", ""),
            is_known=is_known_browser(request, user.username),
        )
    except TooMany as refusal:
        return str(refusal)
    wait = seconds_to_wait(user, code)
    if not is_right(user, code):
        return _wait(wait) if wait else _("This code is not right, or was used before.")
    forgive(attempt)
    return ""


def _wait(seconds: int) -> str:
    return ngettext(
        "A code was wrong just now, so this one was not looked at. Type it again in %(n)s second.",
        "A code was wrong just now, so this one was not looked at. Type it again in %(n)s seconds.",
        seconds,
    ) % {"n": seconds}
