"""The label sets that a report can be about, and their labels as tables: a row per place and a column per rater."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from analytics.data.label_arrays import LabelArrays, Place, answers_of, table_of
from analytics.reports.contract import Option
from analytics.reports.source import Source
from campaigns.models import Campaign
from judges.models import Run
from protocols import Aspect
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Ints
from stats.judges.judged import majority

#: People, imported raters and judges' runs together.
ALL_RATERS = "everybody"


def run_choices(campaign: Campaign) -> tuple[tuple[str, str], ...]:
    """The runs on clean sound, each as a label set of its own."""
    runs = Run.objects.filter(campaign=campaign, perturbation__isnull=True).order_by("pk")
    return tuple((f"run-{pk}", f"{title} ({pk})") for pk, title in runs.values_list("pk", "judge__title"))


def chosen(source: Source, option: Option) -> str:
    """What is chosen of an option, its first value where nothing is said."""
    return source.option(option.name) or option.values[0][0]


@dataclass(frozen=True, eq=False)
class Labelled:
    """One aspect's labels: `table` has a row per place and a column per rater, people and imported raters first.

    `units` has the unit of each row.
    """

    titles: tuple[str, ...]
    n_humans: int
    places: list[Place]
    units: Ints
    table: LabelTable

    @property
    def humans(self) -> LabelTable:
        return self.table.raters(*range(self.n_humans))


@dataclass
class LabelSets:
    """Reads tables from a source, those that are asked for twice only once."""

    source: Source
    _tables: dict[tuple[str, str], Labelled] = field(default_factory=dict)

    def labelled(self, aspect: Aspect, key: str) -> Labelled:
        """The labels of everybody in this set: `people`, `labels-…`, `run-…` or everybody."""
        if (aspect.name, key) not in self._tables:
            self._tables[aspect.name, key] = self._read(aspect, key)
        return self._tables[aspect.name, key]

    def labels(self, aspect: Aspect, key: str) -> dict[Place, str]:
        """One label per place: that of most raters of the set. Places where they have no majority have none."""
        found = self.labelled(aspect, key)
        codes, categories = majority(found.table).tolist(), found.table.categories
        return {place: categories[code] for place, code in zip(found.places, codes, strict=True) if code >= 0}

    def _read(self, aspect: Aspect, key: str) -> Labelled:
        arrays = self.source.arrays
        places = arrays.places(aspect.name)
        categories = arrays.categories(aspect)
        people = list(_human_columns(arrays, aspect.name, key))
        found = table_of([column for _, column in people], places, categories).codes
        runs = [run for run in arrays.runs if key in (ALL_RATERS, f"run-{run.run.pk}")]
        judged = [answers_of(run, aspect.name, places, categories).codes for run in runs]
        codes = np.column_stack([found, *judged])
        titles = (*(title for title, _ in people), *(f"{run.run.judge.title} ({run.run.pk})" for run in runs))
        said: Bools = np.asarray((codes >= 0).any(axis=0))
        units = np.array([unit for unit, _slot in places], dtype=np.int64)
        return Labelled(
            tuple(title for title, some in zip(titles, said, strict=True) if some),
            int(said[: len(people)].sum()), places, units, LabelTable(codes[:, said], categories),
        )  # fmt: skip


def _human_columns(arrays: LabelArrays, aspect: str, key: str) -> Iterator[tuple[str, Mapping[Place, str]]]:
    for group in arrays.groups:
        if key in (group.key, ALL_RATERS):
            for rater in group.raters:
                yield rater.title, rater.said.get(aspect, {})
