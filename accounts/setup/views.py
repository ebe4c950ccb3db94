"""The page of an installation that has no administrator yet."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.login.entering import enter
from accounts.login.forms import KeepForm
from accounts.setup.first_administrator import (
    AdministratorExists,
    NameTaken,
    WrongCode,
    has_administrator,
    is_setup_code,
    make_first_administrator,
)


@sensitive_post_parameters()
@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Create the first administrator with the code that the server printed; explain the steps to others."""
    if has_administrator():
        return redirect("home")
    code = request.POST.get("code", request.GET.get("code", ""))
    if not is_setup_code(code):
        return render(request, "accounts/setup/setup.html", {"was_wrong": bool(code)}, status=403 if code else 200)
    form = KeepForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        name, password = form.cleaned_data["username"], form.cleaned_data["password1"]
        try:
            return enter(request, make_first_administrator(code, username=name, password=password))
        except NameTaken as refusal:
            form.add_error("username", str(refusal))
        except (AdministratorExists, WrongCode):
            return redirect("setup")  # another request was faster
    context = {"form": form, "code": code}
    return render(request, "accounts/setup/setup.html", context, status=422 if form.errors else 200)
