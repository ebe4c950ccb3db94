"""What figures are computed from: a campaign, which of its answers, and the arrays, read when first asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from analytics.judge_comparison import compared_aspects
from analytics.label_arrays import EVERYTHING, LabelArrays, Reading, label_arrays
from analytics.unit_facts import UnitFacts, unit_facts
from campaigns.models import Campaign
from campaigns.protocols import Aspect

#: Of all resampling in reports: the same data give the same report.
SEED = 20_240_601
RESAMPLES = 1_000


@dataclass(frozen=True)
class Settings:
    """Which answers a report is about, and the choices of its kind by name."""

    reading: Reading = EVERYTHING
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Source:
    """Of one report. What is read is read once, however many figures ask for it."""

    campaign: Campaign
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def arrays(self) -> LabelArrays:
        return label_arrays(self.campaign, self.settings.reading)

    @cached_property
    def units(self) -> dict[int, UnitFacts]:
        """What is known of each of the campaign's units."""
        return unit_facts(self.campaign)

    @cached_property
    def aspects(self) -> list[Aspect]:
        """Those that are chosen and not written, the overall one first."""
        return compared_aspects(self.arrays)

    def option(self, name: str) -> str:
        return self.settings.options.get(name, "")
