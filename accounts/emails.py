"""E-mail addresses of accounts: stored only after the link that was sent there has been followed."""

from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User

SALT = "earshot.email"
VALID_S = 24 * 3600
EMAIL_CHANGED = AuditEvent("account_email_changed", gettext_lazy("The e-mail address of the account was changed."))


def can_send() -> bool:
    return bool(settings.SENDS_EMAIL)


def send_confirmation(request: HttpRequest, user: User, email: str) -> None:
    """Send the link by which the account gets this address."""
    token = signing.dumps([user.pk, user.email, email], salt=SALT)
    link = request.build_absolute_uri(reverse("email-confirm", args=[token]))
    text = render_to_string("accounts/people/email_confirm.txt", {"link": link, "user": user})
    send_mail(_("Your e-mail address at Earshot"), text, None, [email])


@transaction.atomic
def confirm_email(user: User, token: str) -> str | None:
    """Store the address of the link; None for a link that is old, used, broken or of another account."""
    try:
        pk, before, email = signing.loads(token, salt=SALT, max_age=VALID_S)
    except (signing.BadSignature, ValueError):
        return None
    changed = User.objects.filter(pk=user.pk, email=before).update(email=email) if pk == user.pk else 0
    if changed:
        record(EMAIL_CHANGED, by=user, kind=Subject.ACCOUNT, number=user.pk)
    return str(email) if changed else None


def send_password_link(user: User, link: str) -> None:
    """Send a link by which the owner of an account chooses a password."""
    text = render_to_string("accounts/people/email_password.txt", {"link": link, "user": user})
    send_mail(_("Your account at Earshot"), text, None, [user.email])
