"""A link to choose a new password: by e-mail, or from an administrator."""

import logging

from celery import current_app
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from kombu.exceptions import OperationalError

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.sealing import sealed, unsealed

logger = logging.getLogger(__name__)

#: A link that no worker has sent for so long (s) is dropped: the user has requested another one by then.
EXPIRES_S = 3600
LINK_MADE = AuditEvent("password_link_made", gettext_lazy("A link to choose a new password was made."))


class CannotAsk(ValueError):
    """No e-mail can be sent at the moment. The message is for the user who asked."""


def ask_for_password_link(email: str, *, host: str, secure: bool) -> None:
    """Have a worker look for accounts with this address and mail each its link. Raises CannotAsk.

    Nothing is looked up here, so that the time it takes does not tell whether there is such an account.
    The broker never holds the address in clear.
    """
    args = [sealed(email), host, secure, translation.get_language()]
    try:
        current_app.send_task("accounts.tasks.send_password_links_task", args=args, retry=False, expires=EXPIRES_S)
    except OperationalError as error:
        logger.warning("The broker could not be reached; a link for a new password was not sent.")
        raise CannotAsk(_("No e-mail can be sent at the moment. Try again in a few minutes.")) from error


def send_password_links(sealed_email: str, *, host: str, secure: bool, language: str) -> None:
    """Mail a link to each active account with a password under this address; to an unknown address nothing."""
    form = PasswordResetForm({"email": unsealed(sealed_email)})
    with translation.override(language):
        if form.is_valid():
            form.save(
                domain_override=host,
                use_https=secure,
                subject_template_name="accounts/login/email_forgotten_subject.txt",
                email_template_name="accounts/login/email_forgotten.txt",
            )


@transaction.atomic
def password_link(user: User, *, by: User) -> str:
    """The path of a link that works once, and for as long as PASSWORD_RESET_TIMEOUT says.

    Raises PermissionDenied unless an administrator of the installation asks for it: it opens the whole account.
    """
    if not by.is_superuser or by.is_guest or user.is_guest:
        raise PermissionDenied(_("Only an administrator of this installation may do this."))
    record(LINK_MADE, by=by, kind=Subject.ACCOUNT, number=user.pk)
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("new-password", args=[uid, default_token_generator.make_token(user)])
