"""The file of an export, for users who may have it."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase

from accounts.models import User
from analytics.exports.formats.registry import FORMATS
from analytics.exports.making import ExportRefused, require_names_shown
from analytics.models import Export
from campaigns.access import Right, campaigns_with
from infrastructure.files.downloads import send_file
from infrastructure.templatetags.wording import refusal_text


def export_for(user: User, pk: UUID) -> Export:
    """Raises Http404 for those who may not take anything out of its campaign."""
    exports = Export.objects.select_related("campaign", "job")
    row = exports.filter(pk=pk, campaign__in=campaigns_with(user, Right.EXPORT)).first()
    if row is None or row.format not in FORMATS:
        raise Http404("There is no such export among yours, or not any more.")
    return row


def export_file(request: HttpRequest, row: Export) -> HttpResponseBase:
    """Raises PermissionDenied while names are hidden, Http404 where the file is not there."""
    try:
        require_names_shown(row.campaign)  # they may have been hidden after this was made
    except ExportRefused as refusal:
        raise PermissionDenied(refusal_text(refusal)) from refusal
    if not row.is_ready or row.format not in FORMATS:
        raise Http404("This export is not there, or not any more.")
    try:
        return send_file(request, row.path, content_type=FORMATS[row.format].content_type)
    except FileNotFoundError as gone:
        raise Http404("This file is not there any more.") from gone
