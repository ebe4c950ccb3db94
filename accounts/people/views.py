"""The accounts of the installation, for its administrators."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import emails
from accounts.people.accounts import make_account
from accounts.people.dependents import campaigns_of
from accounts.people.forms import AccountForm, InviteForm, ListForm
from accounts.people.handing_over import HandedOver, hand_over, invite
from accounts.people.listing import COLUMNS, Show, Wanted, accounts_of_installation, guests_of_installation, last_seen
from accounts.people.rights import CannotChange, require_administrator
from accounts.requests import AccountRequest

PER_PAGE = 50


@never_cache
@require_http_methods(["GET", "POST"])
def people(request: AccountRequest) -> HttpResponse:
    """All accounts, searched, filtered and sorted; and a form to make one."""
    require_administrator(request.user)
    form = AccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = make_account(by=request.user, **form.cleaned_data)
        except CannotChange as refusal:
            form.add_error("username", str(refusal))
        else:
            say_handed_over(request, hand_over(request, made, by=request.user))
            return redirect("person", made.pk)
    return render(request, "accounts/people/people.html", _table(request, form), status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "POST"])
def people_invite(request: AccountRequest) -> HttpResponse:
    """Several accounts at once; the links that could not be sent are shown in this response alone."""
    require_administrator(request.user)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        lines, is_researcher = form.cleaned_data["people"], form.cleaned_data["is_researcher"]
        try:
            handed = invite(request, lines, is_researcher=is_researcher, by=request.user)
        except CannotChange as refusal:
            form.add_error("people", str(refusal))
        else:
            shown = {"handed": handed, "several_links": _several_links(handed)}
            return render(request, "accounts/people/people_invited.html", shown)
    context = {"form": form, "can_send": emails.can_send()}
    return render(request, "accounts/people/people_invite.html", context, status=422 if form.errors else 200)


def _several_links(handed: Sequence[HandedOver]) -> str:
    """The name and the link of each person to whom nothing was sent, a line for each; nothing for one alone."""
    lines = [f"{it.person.username}\t{it.link}" for it in handed if it.link]
    return "\n".join(lines) if len(lines) > 1 else ""


def say_handed_over(request: AccountRequest, handed: HandedOver) -> None:
    """A link that was not sent is shown in a field, on the next page alone."""
    if handed.link:
        messages.success(request, render_to_string("accounts/people/_password_link.html", {"handed": handed}))
        return
    text = _("A link to choose a password was sent to %(email)s, for %(name)s.")
    messages.success(request, text % {"name": handed.person.username, "email": handed.person.email})


def _table(request: AccountRequest, form: AccountForm) -> dict[str, object]:
    wanted = ListForm.wanted(request.GET)
    page = Paginator(accounts_of_installation(wanted), PER_PAGE).get_page(request.GET.get("page"))
    campaigns = campaigns_of(person.pk for person in page)
    seen = last_seen(page)
    query = {"q": wanted.search, "show": wanted.show}
    return {
        "form": form,
        "list_form": ListForm({"q": wanted.search, "show": wanted.show}),
        "page": page,
        "n_guests": guests_of_installation().count() if wanted == Wanted(sort=wanted.sort) else 0,
        "people": [(person, campaigns[person.pk], seen.get(person.pk)) for person in page],
        "columns": [_column(name, wanted) for name in COLUMNS],
        "is_filtered": bool(wanted.search) or wanted.show != Show.ALL,
        "query": urlencode(query | {"sort": wanted.sort}),
        "can_send": emails.can_send(),
    }


def _column(name: str, wanted: Wanted) -> dict[str, object]:
    """Its title, how the table is sorted by it, and the address that sorts it by this column or turns the order."""
    turned = f"-{name}" if wanted.sort == name else name
    query = urlencode({"q": wanted.search, "show": wanted.show, "sort": turned})
    order = ("descending" if wanted.is_descending else "ascending") if wanted.column == name else ""
    return {"name": name, "title": COLUMNS[name], "order": order, "query": query}
