"""What the figures of rating scales share: who rated, what about, and the numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.data.label_arrays import Group, Place
from analytics.data.ratings import Frame, Ratings, frame_of, label_codes, rated_aspects, ratings_of
from analytics.measured.table import Column as MetricColumn
from analytics.measured.table import MetricValues, metric_values, titles_of
from analytics.monitoring.annotator_sources import by_source
from analytics.reports.source import RESAMPLES, SEED, Source
from protocols import Aspect
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Ints
from stats.systems.system_level import OverItems


@dataclass
class Panel:
    """One report's raters (`group`) and questions."""

    source: Source
    group: Group

    @cached_property
    def aspects(self) -> list[Aspect]:
        return rated_aspects(self.source.campaign.protocol)

    @property
    def main(self) -> Aspect:
        """The question that was chosen, else the overall one."""
        chosen = self.source.option("question")
        return next((aspect for aspect in self.aspects if aspect.name == chosen), self.aspects[0])

    @cached_property
    def frame(self) -> Frame:
        return frame_of(self.source.arrays, self.source.units)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Where there are several."""
        found = self.frame.categories
        return found if len(found) > 1 else ()

    @cached_property
    def item_categories(self) -> tuple[str, ...]:
        return self.frame.category_of()

    def in_category(self, category: str) -> Bools:
        """Whether each item is of it; all are where none is named."""
        return np.array([not category or it == category for it in self.item_categories], dtype=bool)

    @cached_property
    def sources(self) -> dict[str, Group]:
        """The group by where its people came from, where there are several ways."""
        found = by_source(self.source.campaign, self.group)
        return found if len(found) > 1 else {}

    @cached_property
    def _places(self) -> dict[str, list[Place]]:
        return {aspect.name: self.source.arrays.places(aspect.name) for aspect in self.aspects}

    def places(self, aspect: Aspect) -> list[Place]:
        return self._places[aspect.name]

    @cached_property
    def _ratings(self) -> dict[str, Ratings]:
        return {
            aspect.name: ratings_of(self.group, aspect, self.frame, self.places(aspect)) for aspect in self.aspects
        }

    def ratings(self, aspect: Aspect) -> Ratings:
        return self._ratings[aspect.name]

    def labels(self, aspect: Aspect) -> LabelTable:
        return label_codes(self.group, aspect, self.places(aspect), self.source.arrays.categories(aspect))

    def items_of_places(self, aspect: Aspect) -> Ints:
        at = {item: place for place, item in enumerate(self.frame.items)}
        return np.array([at[self.frame.units[unit].item] for unit, _slot in self.places(aspect)], dtype=np.int64)

    @cached_property
    def over_items(self) -> OverItems:
        rng = np.random.default_rng(SEED)
        return OverItems(len(self.frame.items), len(self.frame.systems), rng=rng, resamples=RESAMPLES)

    @cached_property
    def metrics(self) -> MetricValues:
        return metric_values(self.source.campaign.dataset)

    @cached_property
    def metric_titles(self) -> dict[MetricColumn, str]:
        return titles_of(self.metrics.columns)
