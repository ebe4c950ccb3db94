"""Pages on which something is renamed, archived, restored and deleted."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from infrastructure.deletion import actions
from infrastructure.deletion.actions import CannotDo, why_not_archived, why_not_deleted
from infrastructure.deletion.contents import contents_of
from infrastructure.deletion.demo import clear_demo, demo_of_installation, hindrance_of
from infrastructure.deletion.forms import DeleteForm, RenameForm
from infrastructure.deletion.subjects import Subject, in_use, subject_of
from infrastructure.templatetags.wording import refusal_text


@require_http_methods(["GET", "POST"])
def manage(request: AccountRequest, kind: str, key: str) -> HttpResponse:
    """Another name, and the ways to archive, restore and delete."""
    subject, row = _found(request, kind, key)
    form = RenameForm(request.POST or None, subject=subject, initial={"name": subject.name_of(row)})
    if request.method == "POST" and not subject.can_be_renamed:
        raise Http404("This has no name of its own.")
    if request.method == "POST" and form.is_valid():
        try:
            actions.rename(subject, row, form.cleaned_data["name"], by=request.user)
        except CannotDo as refusal:
            form.add_error("name", refusal_text(refusal))
        else:
            messages.success(request, _("Renamed."))
            return redirect("manage", kind, key)
    context = _context(request, subject, row) | {"form": form}
    context["waits_for"] = why_not_archived(subject, row, by=request.user) if row.archived_at is None else None
    if context["waits_for"]:
        used = in_use(subject.model, subject.rows_of(row), by=request.user)
        context["in_use"] = used or actions.work_listed(subject, row)
    return render(request, "infrastructure/manage.html", context, status=422 if form.errors else 200)


@require_POST
def archive(request: AccountRequest, kind: str, key: str) -> HttpResponse:
    return _turned(request, kind, key, actions.archive, _("“%(name)s” is archived. It can be restored at any time."))


@require_POST
def restore(request: AccountRequest, kind: str, key: str) -> HttpResponse:
    return _turned(request, kind, key, actions.restore, _("“%(name)s” is back in the lists."))


@require_http_methods(["GET", "POST"])
def delete(request: AccountRequest, kind: str, key: str) -> HttpResponse:
    """What would go, in numbers; the name is to be typed."""
    subject, row = _found(request, kind, key)
    form = DeleteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            job = actions.delete(subject, row, typed=form.cleaned_data["typed"], by=request.user)
        except CannotDo as refusal:
            form.add_error("typed", refusal_text(refusal))
        else:
            said = _("“%(name)s” is out of every list; its rows and files are being removed.")
            messages.success(request, said % {"name": subject.name_of(row)})
            return redirect("job", job.pk)
    context = _context(request, subject, row) | {
        "form": form,
        "contents": contents_of(subject, row),
        "waits_for": why_not_deleted(subject, row, by=request.user),
    }
    return render(request, "infrastructure/delete.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def demo(request: AccountRequest) -> HttpResponse:
    """What of the demo is there, what stays, and the button that clears it away."""
    require_administrator(request.user)
    if request.method == "POST":
        try:
            job = clear_demo(by=request.user)
        except CannotDo as refusal:
            messages.error(request, refusal_text(refusal))
            return redirect("demo")
        messages.success(request, _("The demo is out of every list; its rows and files are being removed."))
        return redirect("job", job.pk)
    there = demo_of_installation(by=request.user)
    named = [[(subject.title, subject.name_of(row)) for subject, row in some] for some in (there.goes, there.stays)]
    context = {"goes": named[0], "stays": named[1], "demo_people": there.people, "hindrance": hindrance_of(there)}
    return render(request, "infrastructure/demo.html", context)


def _found(request: AccountRequest, kind: str, key: str) -> tuple[Subject, Any]:
    if (subject := subject_of(kind)) is None:
        raise Http404("There is no such kind of thing.")
    return subject, subject.find(request.user, key)


def _context(request: AccountRequest, subject: Subject, row: Any) -> dict[str, Any]:
    return {
        "subject": subject,
        "row": row,
        "key": subject.key(row),
        "name": subject.name_of(row),
        "page": subject.page(row),
        "may_delete": subject.may_delete(request.user, row),
        "goes_at_once": subject.goes_at_once(row),
    }


def _turned(request: AccountRequest, kind: str, key: str, turn: Callable[..., Any], said: str) -> HttpResponse:
    subject, row = _found(request, kind, key)
    try:
        turn(subject, row, by=request.user)
    except CannotDo as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        messages.success(request, said % {"name": subject.name_of(row)})
    return redirect("manage", kind, key)
