"""The coefficients of agreement that a scale allows, for figures of several kinds."""

from dataclasses import dataclass

import numpy as np

from analytics.reports.label_sets import Labelled
from analytics.reports.output.figures import Column
from analytics.reports.source import RESAMPLES, SEED, Source
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from protocols.kinds.agreement import alpha_title
from stats.agreement import bands
from stats.agreement.cells import Weights
from stats.agreement.coefficients import (
    Ways,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from stats.agreement.coincidences import Level
from stats.agreement.labels import TIES, LabelTable, merged_ties
from stats.arrays import Bools, Ints
from stats.intervals import Bootstrap
from stats.results import Estimate

MERGED = Phrase("Some ties have no type, so all ties count as one kind here.")
LANDIS_KOCH = {
    "poor": Phrase("poor"),
    "slight": Phrase("slight"),
    "fair": Phrase("fair"),
    "moderate": Phrase("moderate"),
    "substantial": Phrase("substantial"),
    "almost_perfect": Phrase("almost perfect"),
}
KRIPPENDORFF = {
    "reliable": Phrase("reliable"),
    "tentative": Phrase("for tentative conclusions"),
    "unreliable": Phrase("unreliable"),
}

#: Beside a column of α.
DISTANCE = Column("alpha_distance", Phrase("Distance of α"))


@dataclass(frozen=True)
class Coefficient:
    """A coefficient under its name, with the words that are customary for its size."""

    key: str
    title: str
    found: Estimate

    @property
    def landis_koch(self) -> str | None:
        return None if self.key.startswith("alpha") else landis_koch(self.found)

    @property
    def krippendorff(self) -> str | None:
        return krippendorff(self.found) if self.key.startswith("alpha") else None


def landis_koch(found: Estimate) -> str | None:
    return None if found.estimate is None else LANDIS_KOCH[bands.landis_koch(found.estimate)]


def krippendorff(found: Estimate) -> str | None:
    return None if found.estimate is None else KRIPPENDORFF[bands.krippendorff(found.estimate)]


@dataclass(frozen=True, eq=False)
class Measuring:
    """One aspect's labels, ready to be measured. `clusters` is what is drawn together, None where each row is alone.

    Where some ties have no type, all are merged (`merged`), because the intended types are unknown.
    """

    aspect: Aspect
    table: LabelTable
    clusters: Ints | None
    merged: bool

    def where(self, rows: Bools) -> "Measuring":
        clusters = None if self.clusters is None else self.clusters[rows]
        table = LabelTable(self.table.codes[rows], self.table.categories)
        return Measuring(self.aspect, table, clusters, self.merged)

    def bootstrap(self) -> Bootstrap:
        return Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=self.clusters)

    @property
    def has_ties(self) -> bool:
        return bool(TIES.intersection(self.table.categories))

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of measurement that the labels allow, the plainest first and the scale's own last."""
        return ("nominal",) if self.merged else self.aspect.scale.kind.distances(self.table.categories)

    @property
    def own_level(self) -> Level:
        """The level at which the scale itself measures."""
        own = self.aspect.scale.kind.distance
        return own if own in self.levels else "nominal"

    @property
    def own_weights(self) -> Weights:
        """The weights of the scale's own κ; none where the labels do not allow its distance."""
        kind = self.aspect.scale.kind
        return kind.weights if self.own_level == kind.distance else "none"

    def percent(self, ways: Ways) -> Estimate | None:
        """Agreement on labels as they are given (4), with all ties alike (3), or of winners (2); None where moot."""
        if self.merged if ways == 4 else not self.has_ties:
            return None
        several = len(self.table.codes.T) > 2 or self.clusters is not None
        return percent_agreement(self.table, ways=ways, bootstrap=self.bootstrap() if several else None)

    def alpha(self, level: Level | None = None) -> Coefficient:
        level = level or self.own_level
        found = krippendorff_alpha(self.table, level=level, bootstrap=self.bootstrap())
        return Coefficient(f"alpha_{level}", alpha_title(level), found)

    def fleiss(self) -> Coefficient:
        return Coefficient("fleiss_kappa", Phrase("Fleiss’ κ"), fleiss_kappa(self.table, bootstrap=self.bootstrap()))

    def gwet(self) -> Coefficient:
        return Coefficient("gwet_ac1", Phrase("Gwet’s AC1"), gwet_ac1(self.table, bootstrap=self.bootstrap()))

    def cohen_kappa(self, weights: Weights = "none") -> Estimate:
        """Of two raters."""
        return cohen_kappa(self.table, weights=weights, bootstrap=self.bootstrap())

    def cohen(self) -> list[Coefficient]:
        """Plain and weighted κ, where there are two raters."""
        if self.table.n_raters != 2:
            return []
        found: list[tuple[str, str, Weights]] = [("cohen_kappa", Phrase("Cohen’s κ"), "none")]
        if "ordinal" in self.levels:
            found += [
                ("cohen_kappa_linear", Phrase("Cohen’s κ, linear weights"), "linear"),
                ("cohen_kappa_quadratic", Phrase("Cohen’s κ, quadratic weights"), "quadratic"),
            ]
        if "typed_tie" in self.levels:
            found.append(("cohen_kappa_typed_tie", Phrase("Cohen’s κ, typed-tie weights"), "typed_tie"))
        return [Coefficient(key, title, self.cohen_kappa(weights)) for key, title, weights in found]

    def coefficients(self) -> list[Coefficient]:
        alphas = list(map(self.alpha, self.levels))
        if not self.aspect.scale.kind.has_few_values:
            return alphas
        return [*self.cohen(), self.fleiss(), *alphas, self.gwet()]


def measuring(source: Source, aspect: Aspect, labelled: Labelled, *, by_item: bool) -> Measuring:
    """Intervals are over units, all responses of a unit together, or over items with all their units."""
    used = {labelled.table.categories[code] for code in np.unique(labelled.table.codes) if code >= 0}
    merged = "tie" in used and {"both_good", "both_bad"} <= set(labelled.table.categories)
    table = merged_ties(labelled.table) if merged else labelled.table
    return Measuring(aspect, table, clusters(source, labelled.units, by_item=by_item), merged)


def clusters(source: Source, units: Ints, *, by_item: bool) -> Ints | None:
    """What is drawn together: an item, or a unit that has several rows; None where every row is a unit."""
    if by_item:
        return np.array([source.units[int(unit)].item for unit in units], dtype=np.int64)
    return units if len(np.unique(units)) < len(units) else None
