"""Standings of systems, as rows of an exported dataset."""

from collections.abc import Iterator

from analytics.data.votes.table import questions
from arena.board.files import rows_of
from arena.standings.choices import Settings
from arena.standings.refresh import newest, rebuild
from arena.standings.tables import Json
from campaigns.models import Campaign
from infrastructure.wording.reasons import read_reasons


def standing_rows(campaign: Campaign) -> Iterator[Json]:
    """Each system on the board of each question, with the board's default settings."""
    for aspect in questions(campaign):
        settings = Settings(aspect)
        found = newest(campaign, settings) or rebuild(campaign, settings)
        common = {"aspect": aspect, "method": settings.method, "votes_sha256": found.votes_sha256}
        for row in rows_of(read_reasons(found.table)):
            yield common | row
