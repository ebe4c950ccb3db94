"""How many drafted criteria a person accepted (MTalk-Bench App. C.2.2 reports about 92 % of 1350)."""

from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.rubrics.progress import Accepted, acceptance
from stats.proportions import wilson
from stats.results import Interval


@dataclass(frozen=True)
class Share:
    """So many of all that were decided about, with Wilson's interval; None where none was."""

    kind: str
    n: int
    of: int
    interval: Interval | None

    @property
    def percent(self) -> float | None:
        return 100 * self.n / self.of if self.of else None

    @property
    def low(self) -> float | None:
        return 100 * self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        return 100 * self.interval.high if self.interval else None


def acceptance_shares(campaign: Campaign) -> tuple[Accepted, list[Share]]:
    """What became of the drafts: all that were kept, then as drafted, edited and dropped."""
    found = acceptance(campaign)
    counts = {
        "kept": found.as_drafted + found.edited,
        "as_drafted": found.as_drafted,
        "edited": found.edited,
        "dropped": found.dropped,
    }
    of = found.reviewed
    return found, [Share(kind, n, of, wilson(n, of)) for kind, n in counts.items()]
