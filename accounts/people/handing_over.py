"""Links by which people choose their password: sent by e-mail where that works, else shown once to be handed over."""

from collections.abc import Iterable
from dataclasses import dataclass
from smtplib import SMTPException

from django.db import transaction
from django.http import HttpRequest

from accounts import emails
from accounts.login.password_links import password_link
from accounts.models import User
from accounts.people.accounts import make_account
from accounts.people.invited import Line


@dataclass(frozen=True)
class HandedOver:
    """A person and their link; it is empty where it was sent to their e-mail address."""

    person: User
    link: str


def hand_over(request: HttpRequest, person: User, *, by: User) -> HandedOver:
    """Make the link, and send it if possible."""
    link = request.build_absolute_uri(password_link(person, by=by))
    return HandedOver(person, "" if _is_sent(person, link) else link)


def invite(request: HttpRequest, lines: Iterable[Line], *, is_researcher: bool, by: User) -> list[HandedOver]:
    """Make all accounts or none, then hand over the link of each. Raises CannotChange."""
    with transaction.atomic():
        made = [
            make_account(username=line.username, email=line.email, is_researcher=is_researcher, by=by)
            for line in lines
        ]
    return [hand_over(request, person, by=by) for person in made]


def _is_sent(person: User, link: str) -> bool:
    if not emails.can_send() or not person.email:
        return False
    try:
        emails.send_password_link(person, link)
    except (SMTPException, OSError):  # the mail server refuses, or cannot be reached: the link is shown instead
        return False
    return True
