"""Where systems stand, as rows of a dataset that goes out."""

from collections.abc import Iterator

from analytics.data.votes.table import questions
from arena.board.choices import Settings
from arena.board.files import rows_of
from arena.board.standings import newest, rebuild
from arena.board.tables import Json
from campaigns.models import Campaign


def standing_rows(campaign: Campaign) -> Iterator[Json]:
    """Each system on the board of each question, as the board is set without anybody's wishes."""
    for aspect in questions(campaign):
        settings = Settings(aspect)
        found = newest(campaign, settings) or rebuild(campaign, settings)
        told = {"aspect": aspect, "method": settings.method, "votes_sha256": found.votes_sha256}
        for row in rows_of(found.table):
            yield told | row
