"""To the provider of the single sign-on and back. There is no such page where none is set up."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.entering import enter
from accounts.models import User
from accounts.sign_on import Refused, account_of, claims_from, is_on, link, to_provider

NEXT = "sign-on-next"


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
    """Where the provider sends people: in, or, if they are in already, back to their account, linked."""
    _require_on()
    next_ = str(request.session.pop(NEXT, ""))
    try:
        claims = claims_from(request)
        if isinstance(request.user, User):
            link(request.user, claims)
            messages.success(request, _("Your account is linked. You can log in either way."))
            return redirect("account")
        return enter(request, account_of(claims), next_=next_)
    except Refused as refusal:
        return _refused(request, refusal)


def _refused(request: HttpRequest, refusal: Refused) -> HttpResponse:
    messages.error(request, str(refusal))
    return redirect("account" if isinstance(request.user, User) and not request.user.is_guest else "login")


def _require_on() -> None:
    if not is_on():
        raise Http404("There is no single sign-on here.")
