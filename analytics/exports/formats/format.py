"""What a format is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from analytics.data.votes.table import questions
from analytics.exports.source import Source
from campaigns.models import Campaign

#: Writes the file and returns the number of its rows.
Write = Callable[[Source, Path], int]


@dataclass(frozen=True)
class Format:
    """`fits` says whether a campaign has anything of this shape; `name` is for addresses, `ending` for the file."""

    name: str
    title: str
    about: str
    ending: str
    content_type: str
    write: Write
    fits: Callable[[Campaign], bool] = lambda _campaign: True


def is_of_pairs(campaign: Campaign) -> bool:
    return campaign.protocol.unit == "pair"


def compares_pairs(campaign: Campaign) -> bool:
    """Whether an answer to a pair says who is better."""
    return is_of_pairs(campaign) and bool(questions(campaign))
