from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class AccountRequest(HttpRequest):
    """A request as views see it behind the log-in: with an account, and knowing whether htmx asks."""

    user: User
    htmx: HtmxDetails


def require_own_account(request: AccountRequest) -> None:
    """Raises PermissionDenied for guests, who have nothing to protect yet."""
    if request.user.is_guest:
        raise PermissionDenied(_("You have no password yet. Keep this account first."))
