"""A link by which somebody chooses a new password: for those who cannot be sent an e-mail."""

from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from accounts.models import User


def password_link(user: User, *, by: User) -> str:
    """The path of a link that works once, and for as long as PASSWORD_RESET_TIMEOUT says.

    Raises PermissionDenied unless an administrator of the installation asks for it: it opens the whole account.
    """
    if not by.is_superuser or by.is_guest or user.is_guest:
        raise PermissionDenied(_("Only an administrator of this installation may do this."))
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("new-password", args=[uid, default_token_generator.make_token(user)])
