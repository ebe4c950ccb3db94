"""Storage: what takes room, and what can be removed, for administrators."""

import shutil

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from analytics.storage.clearing import CLEAR, KINDS, NothingToClear, start_clearing
from analytics.storage.measuring import MEASURE, measured, start_measuring
from infrastructure.background.health import disk_is_low
from infrastructure.models import Job
from infrastructure.templatetags.wording import refusal_text

#: No more datasets are listed, the largest first.
MOST = 200


@never_cache
@require_http_methods(["GET", "POST"])
def storage(request: AccountRequest) -> HttpResponse:
    """As it was measured last; a POST measures it again."""
    require_administrator(request.user)
    if request.method == "POST":
        start_measuring(by=request.user)
        return redirect("administration-storage")
    kept, disk = measured(), shutil.disk_usage(settings.DATA_DIR)
    data = kept.data if kept else {}
    context = {
        "kept": kept,
        "data": data,
        "datasets": data.get("datasets", [])[:MOST],
        "n_datasets": len(data.get("datasets", [])),
        "disk": disk,
        "is_low": disk_is_low(free=disk.free, total=disk.total),
        "used": sum(data.get("folders", {}).values()) + data.get("database", 0),
        "clearable": [(kind, data["clearable"].get(kind.name)) for kind in KINDS] if kept else [],
        "job": Job.objects.filter(kind__in=[MEASURE, CLEAR]).order_by("-created_at").first(),
    }
    return render(
        request, "analytics/storage/_storage.html" if request.htmx else "analytics/storage/storage.html", context
    )


@require_POST
def storage_clear(request: AccountRequest, what: str) -> HttpResponse:
    require_administrator(request.user)
    try:
        start_clearing(what, by=request.user)
    except NothingToClear as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        messages.success(request, _("Files are being removed."))
    return redirect("administration-storage")
