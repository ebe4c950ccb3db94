"""What each place of a board depends on, computed when a page asks for it and kept for as long as the votes stay."""

from django.core.cache import cache

from analytics.data.votes.table import Subject, ballot
from arena.models import Standing
from arena.standings.choices import Settings
from arena.standings.tables import rated_votes
from stats.ratings.fragility import Hold, fragility

#: How long a result is kept (s): it says nothing new before there are new votes.
KEPT_S = 24 * 3600


def holds_of(subject: Subject, settings: Settings, standing: Standing) -> tuple[Hold, ...]:
    """Of the votes that this board counts, by Bradley–Terry with ties as half wins whatever its own method is."""
    key = f"fragility-{standing.votes_sha256}-{settings.digest}"
    found: tuple[Hold, ...] | None = cache.get(key)
    if found is None:
        rated = rated_votes(ballot(subject, settings.selection), settings)
        found = fragility(rated.votes, rated.voters if rated.voters.any() else None)
        cache.set(key, found, KEPT_S)
    return found
