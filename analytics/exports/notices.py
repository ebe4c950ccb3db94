"""Telling who has a file that they should have it no more."""

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from accounts.emails import can_send
from analytics.exports.formats.registry import FORMATS
from analytics.models import Export


def tell_owner(row: Export) -> None:
    """By e-mail, where it is set up and they have an address. Raises OSError where it cannot be sent."""
    if not (can_send() and row.by.email):
        return
    context = {"export": row, "title": FORMATS[row.format].title if row.format in FORMATS else row.format}
    text = render_to_string("analytics/exports/export_dropped.txt", context)
    subject = _("Answers were withdrawn: delete your copies of %(file)s") % {"file": row.file}
    send_mail(subject, text, None, [row.by.email])
