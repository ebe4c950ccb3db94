"""Labels and scores by few raters on few items, simulated, and the statistics that reports show of them.

Their intervals are over items, about the raters that there are. So the truth is what the statistic tends to with
these raters and ever more items: it is computed from 1,000 more of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from stats.agreement.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from stats.agreement.labels import LabelTable
from stats.agreement.rater_pairs import kappas
from stats.arrays import Floats, Ints
from stats.intervals import Bootstrap
from stats.judges.ceiling import human_ceiling
from stats.judges.comparison import accuracy, accuracy_difference, soft_accuracy
from stats.judges.judged import majority
from stats.judges.prediction_powered import label_mean
from stats.results import Estimate
from stats.systems.correlation import correlation, interval_alpha
from stats.systems.means import cluster_mean
from stats.systems.preferring import mean_pairwise_kappa
from stats.systems.rubrics import Checks, rubric_scores
from stats.systems.system_level import OverItems
from stats.systems.system_rates import rank_correlation, rates_by_item, resample_items, win_rate_estimates

LABELS = ("1", "2", "both_good", "both_bad")
SHARES = np.array([0.35, 0.3, 0.2, 0.15])
#: Of each item, and how many items tell the truth.
UNITS, MANY = 4, 1_000
#: Fewer than reports have; percentiles differ little.
RESAMPLES = 400


@dataclass(frozen=True)
class Seen:
    """An estimate, what it should hold, and the same estimate with each label or vote for itself."""

    found: Estimate
    truth: float
    plain: Estimate | None = None


Row = Callable[[np.random.Generator, int, int], Iterator[Seen]]


@dataclass(frozen=True, eq=False)
class Panel:
    """Raters who know the label of a usual unit with log-odds `knows`, and else follow habits of their own."""

    knows: Floats
    habits: Floats

    def label(self, rng: np.random.Generator, n_items: int) -> tuple[LabelTable, Ints]:
        """What they all say of UNITS units of each item, and the items; some items are hard for everybody."""
        item = np.repeat(np.arange(n_items), UNITS)
        shares = np.array([rng.multinomial(1, SHARES, len(item)).argmax(axis=1)])[0]
        hard = rng.normal(0, 0.8, n_items)[item, np.newaxis]
        right = rng.random((len(item), len(self.knows))) < expit(self.knows - hard)
        draw = rng.random((len(item), len(self.knows), 1))
        guess = (draw > self.habits.cumsum(axis=1)[:, :-1]).sum(axis=2)
        return LabelTable(np.where(right, shares[:, np.newaxis], guess), LABELS), item


def panel(rng: np.random.Generator, n: int) -> Panel:
    return Panel(rng.normal(1.0, 0.7, n), rng.dirichlet(np.full(4, 2.0), n))


def bootstrap(clusters: Ints | None = None) -> Bootstrap:
    return Bootstrap(np.random.default_rng(1), resamples=RESAMPLES, clusters=clusters)


def of_labels(
    rng: np.random.Generator, raters: int, items: int, measure: Callable[..., Estimate], most: int = 20
) -> Iterator[Seen]:
    """`measure` takes a table and a bootstrap; of the first `most` raters."""
    people = panel(rng, min(raters, most))
    table, item = people.label(rng, items)
    truth = measure(people.label(rng, MANY)[0], None).estimate
    assert truth is not None  # noqa: S101 - there are labels enough
    yield Seen(measure(table, bootstrap(item)), truth, measure(table, bootstrap()))


def pair_of_many(table: LabelTable, over: Bootstrap | None) -> Estimate:
    clusters = None if over is None or over.clusters is None else np.asarray(over.clusters)
    return kappas(table.raters(0, 1), clusters=clusters)[1][0]


def of_judge(table: LabelTable, over: Bootstrap | None, measure: Callable[..., Estimate], judges: int) -> Estimate:
    """The first raters are judges; the reference is the majority of the others, or the only other's label."""
    people = table.raters(*range(judges, table.n_raters))
    reference = majority(people) if people.n_raters > 1 else people.codes[:, 0]
    return measure(LabelTable(np.column_stack([table.codes[:, :judges], reference]), LABELS), bootstrap=over)


def of_people(table: LabelTable, over: Bootstrap | None, measure: Callable[..., Estimate], **how: Any) -> Estimate:
    return measure(table, bootstrap=over, **how)


def scores(rng: np.random.Generator, n_items: int) -> tuple[Floats, Floats, Ints]:
    """Two scores of four responses to each item; items have half of the variance."""
    item = np.repeat(np.arange(n_items), UNITS)
    common = rng.normal(size=n_items)[item]
    one, other = (common + rng.normal(size=len(item)) for _ in range(2))
    return one, other, item


def of_scores(
    rng: np.random.Generator, _raters: int, items: int, measure: Callable[..., Estimate], truth: float
) -> Iterator[Seen]:
    one, other, item = scores(rng, items)
    sides = one.tolist(), other.tolist()
    yield Seen(measure(*sides, bootstrap=bootstrap(item)), truth, measure(*sides, bootstrap=bootstrap()))


def of_metric(rng: np.random.Generator, _raters: int, items: int) -> Iterator[Seen]:
    one, _, item = scores(rng, items)
    yield Seen(cluster_mean(one.tolist(), item.tolist()), 0.0, cluster_mean(one.tolist(), range(len(one))))


def of_rubric(rng: np.random.Generator, _raters: int, items: int) -> Iterator[Seen]:
    """Five criteria of each item, eight in ten of them met."""
    met = rng.random((items, 5)) < rng.beta(8, 2, items)[:, np.newaxis]
    item, criterion = np.divmod(np.arange(5 * items), 5)
    (found,) = rubric_scores(Checks(np.zeros_like(item), item, criterion, met.reshape(-1)), 1)
    yield Seen(found, 0.8, cluster_mean(met.reshape(-1).astype(float).tolist(), range(5 * items), ends=(0.0, 1.0)))


def rates_of(rng: np.random.Generator, raters: Floats, items: int, suits: Floats) -> tuple[Ints, Ints, Floats, Ints]:
    """Every rater's votes between four systems: all six pairs on each item."""
    first, second = np.triu_indices(4, 1)
    item, voter, pair = (it.reshape(-1) for it in np.indices((items, len(raters), len(first))))
    a, b = first[pair], second[pair]
    gap = raters[voter, a] - raters[voter, b] + suits[item, a] - suits[item, b]
    score = np.where(rng.random(len(gap)) < 0.2, 0.5, rng.random(len(gap)) < expit(gap))
    return a, b, score, item


def of_rates(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    """Win rates of people together, each of whom has tastes."""
    tastes = rng.normal(0, 0.7, (raters, 4)) + np.linspace(-0.6, 0.6, 4)
    many = rates_by_item(*rates_of(rng, tastes, MANY // 2, rng.normal(0, 0.7, (MANY // 2, 4))), shape=(MANY // 2, 4))
    votes = rates_of(rng, tastes, items, rng.normal(0, 0.7, (items, 4)))
    found = rates_by_item(*votes, shape=(items, 4))
    drawn = resample_items([found], rng=rng, resamples=RESAMPLES)
    alone = replace_items(votes)
    each = rates_by_item(*alone, shape=(len(votes[0]), 4))
    plain = resample_items([each], rng=rng, resamples=RESAMPLES) if len(votes[0]) < 2_000 else None
    whole = win_rate_estimates(each, plain.rates[0], plain) if plain else [None] * 4
    rows = zip(win_rate_estimates(found, drawn.rates[0], drawn), many.exact, whole, strict=True)
    yield from (Seen(it, float(truth or 0), own) for it, truth, own in rows)


def replace_items(votes: tuple[Ints, Ints, Floats, Ints]) -> tuple[Ints, Ints, Floats, Ints]:
    """Every vote on an item of its own."""
    return (*votes[:3], np.arange(len(votes[0])))


def of_ranking(rng: np.random.Generator, raters: int, items: int) -> Iterator[Seen]:
    """Whether a judge's win rates of six systems go with people's; a usual correlation is .8."""
    true, noise = rng.normal(size=(2, 6))
    sides = (true, 0.8 * true + 0.6 * noise)
    first, second = np.triu_indices(6, 1)
    suits = rng.normal(0, 0.5, (items, 6))
    item, _voter, pair = (it.reshape(-1) for it in np.indices((items, raters, len(first))))
    a, b = first[pair], second[pair]
    # How 400 other items suit each pair, for the true rates.
    suited = 0.5 * np.sqrt(2) * np.random.default_rng(1).normal(size=400)
    found, truths = [], []
    for side in sides:
        gap = side[a] - side[b] + suits[item, a] - suits[item, b]
        score = (rng.random(len(gap)) < expit(gap)).astype(np.float64)
        found.append(rates_by_item(a, b, score, item, shape=(items, 6)))
        chance = expit((side[:, np.newaxis] - side)[..., np.newaxis] + suited)
        truths.append((chance.mean(axis=2).sum(axis=1) - 0.5) / 5)
    drawn = resample_items(found, rng=rng, resamples=RESAMPLES)
    both = drawn.rates[0], drawn.rates[1]
    yield Seen(rank_correlation(found[0], found[1], both, drawn, kind="pearson"), float(np.corrcoef(*truths)[0, 1]))


def of_system_means(rng: np.random.Generator, _raters: int, items: int) -> Iterator[Seen]:
    """Pearson's r of eight systems' means by two scores."""
    true, noise = rng.normal(size=(2, 8))
    sides = (true, 0.8 * true + 0.6 * noise)
    item, system = (it.reshape(-1) for it in np.indices((items, 8)))
    over = OverItems(items, 8, rng=rng, resamples=RESAMPLES)
    means = [over.means(of[system] + rng.normal(0, 0.7, len(item)), item, system) for of in sides]
    yield Seen(over.correlate(means[0], means[1], kind="pearson"), float(np.corrcoef(*sides)[0, 1]))


def of_human_wins(rng: np.random.Generator, _raters: int, items: int) -> Iterator[Seen]:
    """The mean of human labels, beside which a corrected one stands from 50 items on."""
    item = np.repeat(np.arange(items), UNITS)
    won = (rng.random(len(item)) < rng.beta(3, 2, items)[item]).astype(np.float64)
    yield Seen(label_mean(won, item), 0.6, label_mean(won, np.arange(len(won))))


LABEL_ROWS: dict[str, Row] = {
    "percent agreement": partial(of_labels, measure=partial(of_people, measure=percent_agreement)),
    "Cohen's κ of two": partial(of_labels, measure=partial(of_people, measure=cohen_kappa), most=2),
    "Cohen's κ of a pair among many (jackknife)": partial(of_labels, measure=pair_of_many),
    "mean pairwise κ": partial(of_labels, measure=partial(of_people, measure=mean_pairwise_kappa), most=8),
    "Fleiss' κ": partial(of_labels, measure=partial(of_people, measure=fleiss_kappa)),
    "Gwet's AC1": partial(of_labels, measure=partial(of_people, measure=gwet_ac1)),
    "Krippendorff's α, nominal": partial(of_labels, measure=partial(of_people, measure=krippendorff_alpha)),
    "Krippendorff's α, typed ties": partial(
        of_labels, measure=partial(of_people, measure=krippendorff_alpha, level="typed_tie")
    ),
    "people against the others": partial(of_labels, measure=partial(of_people, measure=human_ceiling)),
    "accuracy of a judge": partial(of_labels, measure=partial(of_judge, measure=accuracy, judges=1)),
    "soft accuracy of a judge": partial(of_labels, measure=partial(of_people, measure=soft_accuracy)),
    "difference of two accuracies": partial(
        of_labels, measure=partial(of_judge, measure=accuracy_difference, judges=2)
    ),
    "Pearson's r over items": partial(of_scores, measure=partial(correlation, kind="pearson"), truth=0.5),
    "Spearman's ρ over items": partial(of_scores, measure=correlation, truth=6 / np.pi * float(np.arcsin(0.25))),
    "Krippendorff's α of two scores": partial(of_scores, measure=interval_alpha, truth=0.5),
    "mean of a metric": of_metric,
    "rubric score": of_rubric,
    "win rates over items": of_rates,
    "Pearson's r of six systems' win rates": of_ranking,
    "Pearson's r of eight systems' means": of_system_means,
    "wins by people alone, beside corrected ones": of_human_wins,
}
