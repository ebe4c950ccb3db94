"""The page of one account, and what its administrator may do there."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.login.forms import SureForm
from accounts.login.second_factor import has_second_factor, take_away
from accounts.models import ApiToken, User
from accounts.people.accounts import change_account, disable_account, enable_account, log_out_everywhere
from accounts.people.deletion import delete_account
from accounts.people.dependents import n_texts_of, parts_of, parts_to_hand_over
from accounts.people.forms import DeleteAccountForm, PersonForm
from accounts.people.handing_over import hand_over
from accounts.people.listing import last_seen
from accounts.people.rights import (
    CannotChange,
    InstallationRight,
    give_right,
    require_administrator,
    take_right,
)
from accounts.people.views import say_handed_over
from accounts.requests import AccountRequest
from accounts.tokens.tokens import SCOPES, revoke_token


@never_cache
@require_http_methods(["GET", "POST"])
def person(request: AccountRequest, pk: int) -> HttpResponse:
    """Everything about an account on one page, and the form for its name and e-mail address."""
    require_administrator(request.user)
    found = _account(pk)
    form = PersonForm(request.POST if request.method == "POST" else None, instance=_account(pk))
    if request.method == "POST" and form.is_valid():
        try:
            change_account(found, by=request.user, **form.cleaned_data)
        except CannotChange as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved."))
            return redirect("person", pk)
    context = {
        "person": found,
        "form": form,
        "last_seen": last_seen([found]).get(pk),
        "has_second_factor": has_second_factor(found),
        "parts": parts_of(found),
        "tokens": [(row, [SCOPES[scope] for scope in row.scopes]) for row in found.api_tokens.all()],
        "identities": found.identities.all(),
    }
    return render(request, "accounts/people/person.html", context, status=422 if form.errors else 200)


@require_POST
def person_right(request: AccountRequest, pk: int, right: str) -> HttpResponse:
    """Give or take (`held` is yes or no) a right of the installation."""
    require_administrator(request.user)
    found = _person(pk)
    if right not in set(InstallationRight):
        raise Http404("There is no such right.")
    held = request.POST.get("held") == "yes"
    try:
        changed = (give_right if held else take_right)(found, InstallationRight(right), by=request.user)
    except CannotChange as refusal:
        messages.error(request, str(refusal))
        return redirect("person", pk)
    messages.success(request, _said_of(InstallationRight(right), held=held) % {"name": found.username})
    steps_down = request.user.pk == found.pk and not changed.is_superuser
    return redirect("home") if steps_down else redirect("person", pk)


@require_POST
def person_password(request: AccountRequest, pk: int) -> HttpResponse:
    """A link by which this person chooses a password: sent to their address, or shown once to be handed over."""
    require_administrator(request.user)
    say_handed_over(request, hand_over(request, _person(pk), by=request.user))
    return redirect("person", pk)


@require_POST
def person_disable(request: AccountRequest, pk: int) -> HttpResponse:
    said = _("%(name)s is logged out everywhere and cannot log in.")
    return _change(request, pk, disable_account, said)


@require_http_methods(["GET", "POST"])
def person_delete(request: AccountRequest, pk: int) -> HttpResponse:
    """What goes and what stays; the name is to be typed."""
    require_administrator(request.user)
    person = _account(pk)
    form = DeleteAccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            delete_account(person, by=request.user, **form.cleaned_data)
        except CannotChange as refusal:
            form.add_error("typed", str(refusal))
        else:
            messages.success(request, _("The account was deleted. Its number, without a name, is %(n)s.") % {"n": pk})
            return redirect("people")
    context = {"person": person, "form": form, "parts": parts_to_hand_over(person), "n_texts": n_texts_of(person)}
    return render(request, "accounts/people/person_delete.html", context, status=422 if form.errors else 200)


@require_POST
def person_enable(request: AccountRequest, pk: int) -> HttpResponse:
    return _change(request, pk, enable_account, _("%(name)s can log in again."))


@require_POST
def person_log_out(request: AccountRequest, pk: int) -> HttpResponse:
    return _change(request, pk, log_out_everywhere, _("%(name)s is logged out everywhere."))


@require_POST
def person_token_revoke(request: AccountRequest, pk: int, token: int) -> HttpResponse:
    """A token of theirs, which they may have lost."""
    require_administrator(request.user)
    revoke_token(get_object_or_404(ApiToken, pk=token, user=_person(pk)), by=request.user)
    messages.success(request, _("The token no longer works."))
    return redirect("person", pk)


@require_http_methods(["GET", "POST"])
def person_second_factor(request: AccountRequest, pk: int) -> HttpResponse:
    """Remove the second factor of a person who has lost it. The administrator's own password confirms it."""
    require_administrator(request.user)
    found = _person(pk)
    form = SureForm(request.POST or None, user=request.user, address=request.META.get("REMOTE_ADDR", ""))
    if request.method == "POST" and form.is_valid():
        take_away(found, by=request.user)
        text = _("%(name)s logs in with the password alone now, and can add a second factor again.")
        messages.success(request, text % {"name": found.username})
        return redirect("person", pk)
    context = {"person": found, "form": form, "has_one": has_second_factor(found)}
    return render(request, "accounts/people/person_second_factor.html", context, status=422 if form.errors else 200)


def _change(request: AccountRequest, pk: int, action: Callable[..., User], said: str) -> HttpResponse:
    require_administrator(request.user)
    found = _person(pk)
    try:
        action(found, by=request.user)
    except CannotChange as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, said % {"name": found.username})
    logged_out = request.user.pk == pk and action is log_out_everywhere
    return redirect("login") if logged_out else redirect("person", pk)


def _account(pk: int) -> User:
    """An account with a name, or a guest's; a deleted one is nobody's."""
    found = get_object_or_404(User, pk=pk)
    if found.is_guest and not found.is_active:
        raise Http404("This account was deleted.")
    return found


def _person(pk: int) -> User:
    return get_object_or_404(User, pk=pk, is_guest=False)


def _said_of(right: InstallationRight, *, held: bool) -> str:
    """The message after a permission was granted or revoked."""
    if right == InstallationRight.RESEARCHER:
        return (
            _("%(name)s is a researcher now: may import datasets and launch campaigns.")
            if held
            else _("%(name)s is no longer a researcher.")
        )
    return _("%(name)s is an administrator now.") if held else _("%(name)s is no longer an administrator.")
