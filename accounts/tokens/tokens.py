"""API tokens: created and revoked by their owner, shown once, stored as a hash, with an expiry date."""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import ApiToken, User

logger = logging.getLogger(__name__)

#: So that a token in a log or a repository is recognised as one.
PREFIX = "earshot_"
HINT = 12
MOST_DAYS = 366
MOST_TOKENS = 50
#: The time of the last use is written down no more often.
NOTED_EVERY = timedelta(minutes=1)

READ, ANNOTATE, WRITE, JUDGE, PEOPLE = "read", "annotate", "write", "judge", "people"
#: What a token may be for. It never allows more than its owner may do.
SCOPES = {
    READ: gettext_lazy("read what I may look at"),
    ANNOTATE: gettext_lazy("label: hear clips and answer units"),
    WRITE: gettext_lazy("change: import, make and open campaigns, add people"),
    JUDGE: gettext_lazy("run judges, which may cost money"),
    PEOPLE: gettext_lazy("manage the accounts of this installation, for its administrators"),
}

TOKEN_MADE = AuditEvent("token_made", gettext_lazy("An access token was made, for: %(scopes)s."))
TOKEN_REVOKED = AuditEvent("token_revoked", gettext_lazy("An access token was revoked."))


class CannotMakeToken(ValueError):
    """The message is for the user who wanted the token."""


@transaction.atomic
def make_token(user: User, *, name: str, scopes: Iterable[str], days: int) -> tuple[ApiToken, str]:
    """A new token and its text, which is not stored. Raises CannotMakeToken, PermissionDenied."""
    if user.is_guest:
        raise PermissionDenied(_("Guests only label. Keep your account under a name first."))
    wanted = [scope for scope in SCOPES if scope in set(scopes)]
    if not name.strip() or not wanted or not 1 <= days <= MOST_DAYS:
        raise CannotMakeToken(_("A token has a name, something that it is for, and a day on which it ends."))
    if tokens_in_force(user) >= MOST_TOKENS:
        raise CannotMakeToken(_("You have %(n)s tokens. Revoke one first.") % {"n": MOST_TOKENS})
    text = PREFIX + get_random_string(40)
    row = ApiToken.objects.create(
        user=user,
        name=name.strip(),
        scopes=wanted,
        digest=_digest(text),
        hint=text[:HINT],
        expires_at=timezone.now() + timedelta(days=days),
    )
    record(TOKEN_MADE, by=user, kind=Subject.ACCOUNT, number=user.pk, scopes=", ".join(wanted))
    return row, text


def token_behind(text: str) -> ApiToken | None:
    """The token, if it is still valid."""
    row = ApiToken.objects.select_related("user").filter(digest=_digest(text), revoked_at=None).first()
    if row is None or row.has_expired or not row.user.is_active or row.user.is_guest:
        return None
    return row


def note_use(row: ApiToken) -> None:
    """Write down that it was used, but not with every request, and not where another writer is at it just then."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
    if row.last_used_at is None or row.last_used_at < now - NOTED_EVERY:
        try:
            with _without_waiting():
                ApiToken.objects.filter(stale, pk=row.pk).update(last_used_at=now)
        except OperationalError as error:
            logger.info("The use of token %s is written down with a later request: %s", row.pk, error)


@contextmanager
def _without_waiting() -> Iterator[None]:
    """SQLite refuses at once what it would wait for; on PostgreSQL a row waits for writers of that row alone."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual:d}")


@transaction.atomic
def revoke_token(row: ApiToken, *, by: User) -> None:
    """For good. Revoking twice is revoking once."""
    if ApiToken.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(TOKEN_REVOKED, by=by, kind=Subject.ACCOUNT, number=row.user_id)


def tokens_in_force(user: User) -> int:
    return ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now()).count()


def _digest(text: str) -> str:
    """Forty random characters need no salt and no slow hash: they cannot be guessed."""
    return hashlib.sha256(text.encode()).hexdigest()
