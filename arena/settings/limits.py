"""How often a voter may vote or join, counted from rows: it holds in every process and after a restart."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, DateTimeField, QuerySet
from django.utils import timezone

from accounts.models import User
from annotation.models import Annotation
from arena.models import ArenaSettings, Entry
from infrastructure.compiled_queries import Given, Prepared

HOUR = timedelta(hours=1)


def _votes_by(column: str, value: Given) -> Prepared[tuple[int]]:
    """The number of votes since a time in a campaign by one voter, or from one address; no row for none."""

    def build() -> QuerySet[Annotation, tuple[int]]:
        of_these = {"assignment__campaign": Given("campaign"), column: value, "supersedes": None}
        votes = Annotation.objects.filter(**of_these, recorded_at__gt=Given("since", DateTimeField()))
        return votes.order_by().values_list(column).annotate(n=Count("pk")).values_list("n")

    return Prepared(build)


_of_voter = _votes_by("assignment__annotator", Given("voter"))
_of_origin = _votes_by("origin", Given("origin", CharField()))


class TooManyVotes(ValueError):
    """No more for now. `until` says when to come back."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"nothing more before {until:%H:%M}")
        self.until = until

    @property
    def seconds(self) -> int:
        """From now until then, at least one."""
        return max(1, int((self.until - timezone.now()).total_seconds()) + 1)


def require_within_limits(arena: ArenaSettings, voter: User, *, origin: str) -> None:
    """Raises TooManyVotes where this person, or all at this address, reached the limit of votes in an hour."""
    asked = {"campaign": arena.campaign_id, "since": timezone.now() - HOUR}
    votes = Annotation.objects.filter(assignment__campaign=arena.campaign, supersedes=None)
    if _of_voter.number(**asked, voter=voter.pk) >= arena.votes_per_hour:
        _require(votes.filter(assignment__annotator=voter), "recorded_at", most=arena.votes_per_hour)
    if arena.is_public and origin and _of_origin.number(**asked, origin=origin) >= arena.votes_per_address:
        _require(votes.filter(origin=origin), "recorded_at", most=arena.votes_per_address)


def require_room(arena: ArenaSettings, *, origin: str) -> None:
    """Raises TooManyVotes where as many new guests came from this address in an hour as may."""
    guests = Entry.objects.filter(membership__campaign=arena.campaign, origin=origin, as_guest=True)
    _require(guests, "made_at", most=arena.guests_per_address)


def _require(rows: QuerySet[Any], column: str, *, most: int) -> None:
    """The one with which the limit was reached frees its place an hour after it came."""
    recent = rows.filter(**{f"{column}__gt": timezone.now() - HOUR}).order_by(f"-{column}")
    reached: list[datetime] = list(recent.values_list(column, flat=True)[most - 1 : most])
    if reached:
        raise TooManyVotes(reached[0] + HOUR)
