"""What figures are computed from: a campaign, which of its answers, and the arrays, read when first asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from analytics.data.hidden_names import shown_names
from analytics.data.label_arrays import EVERYTHING, LabelArrays, Reading, label_arrays
from analytics.data.unit_facts import UnitFacts, unit_facts
from analytics.judged.comparison import compared_aspects
from campaigns.models import Campaign
from corpus.models import System
from protocols import Aspect

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

    def units_of(self, other: Campaign) -> dict[int, UnitFacts]:
        """The same of another campaign over the dataset, its systems under the names of this report."""
        return unit_facts(other, shown_in=self.campaign)

    @cached_property
    def names(self) -> dict[str, str]:
        """Every system of the dataset, with the name that may be seen in this report.

        Rows of the database that name a system are read through it; else what two places say of a system would not
        come together, and its name would be told.
        """
        systems = System.objects.filter(dataset=self.campaign.dataset_id).order_by("name")
        return shown_names(self.campaign, systems.values_list("name", flat=True))

    @cached_property
    def aspects(self) -> list[Aspect]:
        """Those that are chosen and not written, the overall one first."""
        return compared_aspects(self.arrays)

    def option(self, name: str) -> str:
        return self.settings.options.get(name, "")
