"""Pages about backups, settings and health, for administrators."""

import platform

import django
from django.conf import settings
from django.contrib import messages
from django.db import connection
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from config.administration import backups as of_backups
from config.administration.settings_in_force import in_groups, settings_in_force, unknown_names
from config.operations.readiness import readiness
from infrastructure.background.health import health as look_at_health
from infrastructure.models import Job, WorkerBeat
from infrastructure.templatetags.wording import refusal_text

#: What each check of `/readyz` is about.
TITLES: dict[str, Promise] = {
    "database": gettext_lazy("Database"),
    "migrations": gettext_lazy("Migrations of the database"),
    "live_pages": gettext_lazy("Live pages"),
    "broker": gettext_lazy("Broker of jobs"),
    "worker": gettext_lazy("Worker"),
    "disk": gettext_lazy("Disk"),
}


@never_cache
@require_http_methods(["GET", "POST"])
def backups(request: AccountRequest) -> HttpResponse:
    """The backups that are there; a POST makes one."""
    require_administrator(request.user)
    if request.method == "POST":
        of_backups.start_backup(by=request.user)
        messages.success(request, _("A backup is being made. People can go on working."))
        return redirect("administration-backups")
    found = of_backups.backups()
    kinds = [of_backups.BACK_UP, of_backups.TEST]
    context = {
        "backups": found,
        "folder": settings.BACKUP_FOLDER,
        "every": settings.BACKUP_EVERY_HOURS,
        "keep": settings.BACKUPS_TO_KEEP,
        "last_good": of_backups.last_good(found),
        "next_at": of_backups.next_at(found),
        "missing_program": of_backups.missing_program(),
        "job": Job.objects.filter(kind__in=kinds).order_by("-created_at").first(),
    }
    page = "config/_backups.html" if request.htmx else "config/backups.html"
    return render(request, page, context)


@require_POST
def backup_test(request: AccountRequest, name: str) -> HttpResponse:
    """Restore this backup aside and compare it, in the background."""
    require_administrator(request.user)
    try:
        of_backups.start_test(name, by=request.user)
    except of_backups.NoBackup as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        messages.success(request, _("The backup is being tested."))
    return redirect("administration-backups")


@require_POST
def backup_remove(request: AccountRequest, name: str) -> HttpResponse:
    """Remove this backup; `last` says that the page named it as the last good one."""
    require_administrator(request.user)
    try:
        of_backups.remove_backup(name, even_the_last="last" in request.POST, by=request.user)
    except (of_backups.NoBackup, of_backups.CannotRemove) as refusal:
        messages.error(request, refusal_text(refusal))
    except OSError as failure:
        said = _("The backup could not be removed: %(why)s")
        messages.error(request, said % {"why": failure.strerror or failure})
    else:
        messages.success(request, _("The backup %(name)s is removed.") % {"name": name})
    return redirect("administration-backups")


@never_cache
@require_safe
def settings_page(request: AccountRequest) -> HttpResponse:
    require_administrator(request.user)
    found, words = settings_in_force(), request.GET.get("q", "").strip()[:80]
    shown = [it for it in found if it.has(words)]
    context = {
        "words": words,
        "n_all": len(found),
        "n_shown": len(shown),
        "outstanding": [it for it in shown if it.stands_out],
        "groups": in_groups(it for it in shown if not it.stands_out),
        "unknown": unknown_names(),
    }
    return render(request, "config/settings.html", context)


@never_cache
@require_safe
def health(request: AccountRequest) -> HttpResponse:
    """Every check of `/readyz` with what to do, the workers that were seen, and versions."""
    require_administrator(request.user)
    context = {
        "checks": [(TITLES[check.name], check.status, check.hint and _(check.hint)) for check in readiness()],
        "found": look_at_health(),
        "beats": WorkerBeat.objects.order_by("-seen_at")[:20],
        "mode": _("embedded: the worker is part of the server") if settings.EMBEDDED else _("scaled, with Redis"),
        "database": connection.vendor,
        "versions": {"Python": platform.python_version(), "Django": django.get_version()},
    }
    return render(request, "config/health.html", context)
