"""The accounts of the installation, for its administrators."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import emails
from accounts.login.password_links import password_link
from accounts.models import User
from accounts.people.forms import AccountForm
from accounts.people.rights import (
    CannotChange,
    InstallationRight,
    accounts_of_installation,
    give_right,
    make_account,
    require_administrator,
    take_right,
)
from accounts.requests import AccountRequest

PER_PAGE = 100


@never_cache
@require_http_methods(["GET", "POST"])
def people(request: AccountRequest) -> HttpResponse:
    """All accounts with a name, and a form to make one."""
    require_administrator(request.user)
    form = AccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = make_account(by=request.user, **form.cleaned_data)
        except CannotChange as refusal:
            form.add_error("username", str(refusal))
        else:
            _hand_over(request, made)
            return redirect("people")
    search = request.GET.get("q", "").strip()
    page = Paginator(accounts_of_installation(search), PER_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "search": search, "can_send": emails.can_send()}
    return render(request, "accounts/people.html", context, status=422 if form.errors else 200)


@require_POST
def person_right(request: AccountRequest, pk: int, right: str) -> HttpResponse:
    """Give or take (`held` is yes or no) a right of the installation."""
    require_administrator(request.user)
    person = _person(pk)
    if right not in set(InstallationRight):
        raise Http404("There is no such right.")
    held = request.POST.get("held") == "yes"
    try:
        changed = (give_right if held else take_right)(person, InstallationRight(right), by=request.user)
    except CannotChange as refusal:
        messages.error(request, str(refusal))
        return redirect("people")
    messages.success(request, _said_of(InstallationRight(right), held=held) % {"name": person.username})
    steps_down = request.user.pk == person.pk and not changed.is_superuser
    return redirect("home" if steps_down else "people")


@require_POST
def person_password(request: AccountRequest, pk: int) -> HttpResponse:
    """A link by which this person chooses a password: sent to their address, or shown once to be handed over."""
    require_administrator(request.user)
    _hand_over(request, _person(pk))
    return redirect("people")


def _person(pk: int) -> User:
    return get_object_or_404(User, pk=pk, is_guest=False)


def _said_of(right: InstallationRight, *, held: bool) -> str:
    """What is told once a right was given or taken."""
    if right == InstallationRight.RESEARCHER:
        return (
            _("%(name)s is a researcher now: may import datasets and launch campaigns.")
            if held
            else _("%(name)s is no longer a researcher.")
        )
    return _("%(name)s is an administrator now.") if held else _("%(name)s is no longer an administrator.")


def _hand_over(request: AccountRequest, person: User) -> None:
    link = request.build_absolute_uri(password_link(person, by=request.user))
    about = {"name": person.username, "link": link, "email": person.email}
    if emails.can_send() and person.email:
        emails.send_password_link(person, link)
        messages.success(request, _("A link to choose a password was sent to %(email)s, for %(name)s.") % about)
    else:
        told = _("Give %(name)s this link to choose a password. It works once, within three days: %(link)s")
        messages.success(request, told % about)
