from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.forms import KeepForm
from accounts.guests import CannotKeep, keep_account
from accounts.requests import AccountRequest


class PasswordView(PasswordChangeView):
    template_name = "accounts/password.html"
    success_url = "/"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and request.user.is_guest:
            raise PermissionDenied(_("You have no password yet. Keep this account first."))
        return super().dispatch(request, *args, **kwargs)


@require_http_methods(["GET", "POST"])
def keep(request: AccountRequest) -> HttpResponse:
    """A guest chooses a username and a password, so as to come back from anywhere."""
    if not request.user.is_guest:
        raise Http404("This account has a name and a password already.")
    form = KeepForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = keep_account(
                request.user, username=form.cleaned_data["username"], password=form.cleaned_data["password1"]
            )
        except CannotKeep as refusal:
            form.add_error("username", str(refusal))
        else:
            update_session_auth_hash(request, user)
            return redirect("home")
    return render(request, "accounts/keep.html", {"form": form})
