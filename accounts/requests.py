from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class AccountRequest(HttpRequest):
    """A request as views see it behind the log-in: with an account, and knowing whether htmx asks."""

    user: User
    htmx: HtmxDetails
