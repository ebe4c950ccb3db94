"""Labels, scores and ratings that are simulated, and whether statistics' intervals hold what they came from."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.statistics.coverage_of_ratings import held
from stats.agreement.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from stats.agreement.labels import LabelTable
from stats.agreement.rater_pairs import PairCells, alphas, kappas
from stats.arrays import Bools, Floats
from stats.intervals import Bootstrap
from stats.judges.ceiling import human_ceiling
from stats.judges.comparison import accuracy, accuracy_difference, accuracy_with_half_ties, soft_accuracy
from stats.judges.prediction_powered import corrected_mean, label_mean
from stats.results import Estimate
from stats.systems.correlation import correlation, interval_alpha, linear_spearman
from stats.systems.means import cluster_mean, two_way_mean
from stats.systems.preferring import mean_pairwise_kappa
from stats.systems.rubrics import turn_trend
from stats.systems.system_level import OverItems
from stats.systems.system_rates import rates_by_item, resample_items, win_rate_estimates

#: As reports have.
RESAMPLES = 1_000
LABELS = ("1", "2", "both_good", "both_bad")
Hit = bool | None


def judged(rng: np.random.Generator, n: int, judges: int) -> tuple[LabelTable, Bools]:
    """Raters who know the label with probability .7 and else guess; the last column is the label."""
    true = rng.integers(0, 4, n)
    knows = rng.random((n, judges)) < 0.7
    return LabelTable(
        np.column_stack([np.where(knows, true[:, np.newaxis], rng.integers(0, 4, (n, judges))), true]), LABELS
    ), knows


def kappa(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(cohen_kappa(table.raters(0, 1), bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.49)


def alpha(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 3)
    return held(krippendorff_alpha(table.raters(0, 1, 2), bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.49)


def alpha_over_items(rng: np.random.Generator) -> bool | None:
    """Sixty items of ten units each, on half of which raters know nothing."""
    item = np.repeat(np.arange(60), 10)
    table, _ = judged(rng, 600, 3)
    lost = (rng.random(60) < 0.5)[item, np.newaxis]
    codes = np.where(lost, rng.integers(0, 4, (600, 3)), table.codes[:, :3])
    bootstrap = Bootstrap(rng, resamples=RESAMPLES, clusters=item)
    return held(krippendorff_alpha(LabelTable(codes, LABELS), bootstrap=bootstrap), 0.245)


def of_pairs_over_items(
    rng: np.random.Generator, measure: Callable[..., tuple[PairCells, list[Estimate]]]
) -> bool | None:
    """The jackknife over items: forty of them with five units each, on half of which raters know nothing."""
    item = np.repeat(np.arange(40), 5)
    table, _ = judged(rng, 200, 4)
    lost = (rng.random(40) < 0.5)[item, np.newaxis]
    codes = np.where(lost, rng.integers(0, 4, (200, 4)), table.codes[:, :4])
    return held(measure(LabelTable(codes, LABELS), clusters=item)[1][0], 0.245)


def percent(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(percent_agreement(table.raters(0, 1)), 0.49 + 0.51 / 4)


def of_three(rng: np.random.Generator, measure: Callable[..., Estimate], truth: float, **how: Any) -> bool | None:
    """A coefficient of three raters on 200 units; where all guess alike, every coefficient tends to how many know."""
    return held(
        measure(judged(rng, 200, 3)[0].raters(0, 1, 2), bootstrap=Bootstrap(rng, resamples=RESAMPLES), **how), truth
    )


def weighted(rng: np.random.Generator) -> bool | None:
    table, _ = judged(rng, 200, 2)
    return held(
        cohen_kappa(table.raters(0, 1), weights="typed_tie", bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.49
    )


def of_pairs(
    rng: np.random.Generator, measure: Callable[[LabelTable], tuple[PairCells, list[Estimate]]]
) -> bool | None:
    """The jackknife: one of the pairs, as they share raters."""
    return held(measure(judged(rng, 100, 4)[0].raters(0, 1, 2, 3))[1][0], 0.49)


def of_all_pairs(rng: np.random.Generator) -> bool | None:
    table = judged(rng, 200, 4)[0].raters(0, 1, 2, 3)
    return held(mean_pairwise_kappa(table, bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.49)


#: Of three who know with .7 and else guess one of four: the third says what the other two say, where they agree.
CEILING = (0.775**3 + 3 * 0.075**3) / (0.775**2 + 3 * 0.075**2)


def right(rng: np.random.Generator) -> bool | None:
    return held(accuracy(judged(rng, 200, 1)[0], bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.7 + 0.3 / 4)


def difference(rng: np.random.Generator) -> bool | None:
    return held(accuracy_difference(judged(rng, 200, 2)[0], bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.0)


def pearson(rng: np.random.Generator) -> bool | None:
    one = rng.normal(size=60)
    other = 0.6 * one + 0.8 * rng.normal(size=60)
    found = correlation(one.tolist(), other.tolist(), kind="pearson", bootstrap=Bootstrap(rng, resamples=RESAMPLES))
    return held(found, 0.6)


def judged_share(
    rng: np.random.Generator, share: float, right: tuple[float, float], n: int
) -> tuple[Floats, Floats, Floats]:
    """Labels of n units with this share of wins, a judge's verdicts on them, and on the rest of 2,000.

    The judge is right on these shares of losses and of wins.
    """
    labels = (rng.random(2_000) < share).astype(np.float64)
    said = np.where(rng.random(2_000) < np.where(labels > 0, right[1], right[0]), labels, 1 - labels)
    return labels[:n], said[:n], said[n:]


def corrected(rng: np.random.Generator, n: int, share: float = 0.4, right: tuple[float, float] = (0.85, 1.0)) -> Hit:
    """A win rate that is corrected by a judge, where it is shown."""
    return held(corrected_mean(*judged_share(rng, share, right, n)).estimate, share)


def corrected_or_not(
    rng: np.random.Generator, n: int, share: float = 0.4, right: tuple[float, float] = (0.85, 1.0)
) -> Hit:
    """What the report leaves a reader with: the corrected rate, and people's alone where that is refused."""
    found = corrected_mean(*judged_share(rng, share, right, n))
    return held(found.human if found.estimate.estimate is None else found.estimate, share)


def corrected_anyhow(rng: np.random.Generator) -> Hit:
    """The same with shares from 5 to 95 %, judges right on 70 to 97 % of each side, and 50 to 200 labels."""
    share, n = float(rng.uniform(0.05, 0.95)), int(rng.integers(50, 201))
    return corrected_or_not(rng, n, share, (float(rng.uniform(0.7, 0.97)), float(rng.uniform(0.7, 0.97))))


def corrected_over_items(rng: np.random.Generator) -> Hit:
    """Sixty items of four units with labels among 500, hard ones among them."""
    item = np.repeat(np.arange(500), 4)
    labels = (rng.random(2_000) < np.clip(0.6 + rng.normal(0, 0.2, 500), 0.0, 1.2)[item]).astype(np.float64)
    said = np.where(rng.random(2_000) < 0.85, labels, 1.0)
    found = corrected_mean(labels[:240], said[:240], said[240:], clusters=(item[:240], item[240:]))
    return held(found.estimate, SHARE_OF_ITEMS)


def corrected_rating(rng: np.random.Generator) -> Hit:
    """Ratings from 1 to 5 of 2,000 units, sixty of them by people, and a judge that is near."""
    ratings = np.clip(np.round(rng.normal(3.4, 1, 2_000)), 1, 5)
    said = np.clip(np.round(ratings + rng.normal(0.3, 0.7, 2_000)), 1, 5)
    return held(corrected_mean(ratings[:60], said[:60], said[60:]).estimate, MEAN_RATING)


def share_of_wins(rng: np.random.Generator, share: float, n: int) -> Hit:
    """People alone, as the report of corrected estimates shows them."""
    return held(label_mean((rng.random(n) < share).astype(np.float64), np.arange(n)), share)


#: Of chances that are normal around .6 (sd .2), and cut at 0; those above 1 are wins.
SHARE_OF_ITEMS = float(stats.norm.expect(lambda chance: min(max(chance, 0.0), 1.0), loc=0.6, scale=0.2))
#: Of a normal rating around 3.4 that is rounded to 1…5.
MEAN_RATING = 1 + float(stats.norm.sf(np.array([1.5, 2.5, 3.5, 4.5]), 3.4).sum())


def opinion(rng: np.random.Generator, n_raters: int = 20, raters: float = 0.4) -> bool | None:
    """Sixty items, each with ratings by three of the raters, who differ by `raters`; items and ratings do, too."""
    item = np.repeat(np.arange(60), 3)
    rater = np.concatenate([rng.choice(n_raters, 3, replace=False) for _ in range(60)])
    values = rng.normal(0, 0.7, 60)[item] + rng.normal(0, raters, n_raters)[rater] + rng.normal(size=180)
    return held(two_way_mean(values, item, rater), 0.0)


def opinion_on_a_scale(rng: np.random.Generator, centre: float, n_raters: int) -> bool | None:
    """The same in whole numbers from 1 to 5, around `centre`: the interval stays on the scale."""
    item = np.repeat(np.arange(60), 3)
    rater = np.concatenate([rng.choice(n_raters, 3, replace=False) for _ in range(60)])
    felt = centre + rng.normal(0, 0.7, 60)[item] + rng.normal(0, 0.4, n_raters)[rater] + rng.normal(size=180)
    spread = np.sqrt(0.7**2 + 0.4**2 + 1)
    truth = 1 + float(stats.norm.sf(np.array([1.5, 2.5, 3.5, 4.5]), centre, spread).sum())
    return held(two_way_mean(np.clip(np.rint(felt), 1, 5), item, rater, ends=(1.0, 5.0)), truth)


def rubric_score(rng: np.random.Generator, n_items: int, met: float) -> bool | None:
    """Five criteria of each item, which are met as often as the item is easy: by Beta(10 met, 10 (1 − met))."""
    easy = rng.beta(10 * met, 10 * (1 - met), n_items)
    scores = rng.binomial(5, easy) / 5
    return held(cluster_mean(scores.tolist(), range(n_items), ends=(0.0, 1.0)), met)


def opinion_of_few(rng: np.random.Generator, n_raters: int, *, share: int = 1) -> bool | None:
    """Sixty items, each rated by all of these raters, or by one: the truth is their own mean over all items."""
    item = np.repeat(np.arange(60), n_raters // share)
    rater = np.arange(len(item)) % n_raters
    taste = rng.normal(0, 0.4, n_raters)
    values = rng.normal(0, 0.7, 60)[item] + taste[rater] + rng.normal(size=len(item))
    return held(two_way_mean(values, item, rater), float(taste[rater].mean()))


def opinion_on_two_items(rng: np.random.Generator) -> bool | None:
    """Two items, rated by twenty raters each: the truth is the mean of these items over all raters."""
    item, rater, own = np.repeat([0, 1], 20), np.tile(np.arange(20), 2), rng.normal(0, 0.7, 2)
    values = own[item] + rng.normal(0, 0.4, 20)[rater] + rng.normal(size=40)
    return held(two_way_mean(values, item, rater), float(own.mean()))


def mean_over_items(rng: np.random.Generator, n_items: int) -> bool | None:
    """Five responses to each item, which have half their variance in common."""
    item = np.repeat(np.arange(n_items), 5)
    values = rng.normal(size=n_items)[item] + rng.normal(size=5 * n_items)
    return held(cluster_mean(values.tolist(), item.tolist()), 0.0)


def with_much_in_common(rng: np.random.Generator, measure: Callable[..., Estimate], truth: float) -> bool | None:
    """Two scores of 500 responses to a hundred items, half of whose variance is common to an item."""
    item = np.repeat(np.arange(100), 5)
    common = rng.normal(size=100)[item]
    sides = [(common + rng.normal(size=500)).tolist() for _ in range(2)]
    return held(measure(*sides, bootstrap=Bootstrap(rng, resamples=RESAMPLES, clusters=item)), truth)


def half_ties(rng: np.random.Generator) -> bool | None:
    """A judge that is right on 60 % of winners, and calls 25 % of them ties."""
    reference = rng.integers(0, 2, 200)
    said = np.where(rng.random(200) < 0.25, 2, np.where(rng.random(200) < 0.8, reference, 1 - reference))
    table = LabelTable(np.column_stack([said, reference]), ("1", "2", "tie"))
    return held(accuracy_with_half_ties(table, bootstrap=Bootstrap(rng, resamples=RESAMPLES)), 0.6 + 0.25 / 2)


def soft(rng: np.random.Generator) -> bool | None:
    """A judge beside three people; all know with .7, and else guess."""
    table, _ = judged(rng, 200, 4)
    found = soft_accuracy(table.raters(0, 1, 2, 3), bootstrap=Bootstrap(rng, resamples=RESAMPLES))
    return held(found, 0.49 + 0.51 / 4)


def win_rate(rng: np.random.Generator) -> bool | None:
    """One of five systems, which wins 60 % of its votes on the usual item, more on some and less on others."""
    suits = np.clip(0.6 + rng.normal(0, 0.15, 60), 0.1, 1.1)
    item, other = np.repeat(np.arange(60), 4), np.tile(np.arange(1, 5), 60)
    score = (rng.random(240) < suits[item]).astype(np.float64)
    rates = rates_by_item(np.zeros(240, dtype=np.int64), other, score, item, shape=(60, 5))
    drawn = resample_items([rates], rng=rng, resamples=RESAMPLES)
    return held(win_rate_estimates(rates, drawn.rates[0], drawn)[0], 0.6)


def of_systems(rng: np.random.Generator) -> bool | None:
    """Pearson's r of eight systems' means over 200 items by two scores, which are 0.8 alike over all items."""
    true = np.linspace(-1, 1, 8)
    away = np.array([1.0, -1, -1, 1, 1, -1, -1, 1])
    away -= true * (away @ true) / (true @ true)
    other = 0.8 * true / np.linalg.norm(true) + 0.6 * away / np.linalg.norm(away)
    items, systems = np.repeat(np.arange(200), 8), np.tile(np.arange(8), 200)
    over = OverItems(200, 8, rng=rng, resamples=RESAMPLES)
    sides = [(of / np.linalg.norm(of))[systems] + rng.normal(0, 0.5, 1_600) for of in (true, other)]
    return held(over.correlate(*(over.means(it, items, systems) for it in sides), kind="pearson"), 0.8)


def slope(rng: np.random.Generator) -> bool | None:
    """Scores of thirty conversations of four turns that fall by 0.1 a turn."""
    turns = np.tile(np.arange(1, 5), 30)
    return held(turn_trend((1 - 0.1 * turns + rng.normal(0, 0.3, 120)).tolist(), turns.tolist()).slope, -0.1)


def clustered_spearman(rng: np.random.Generator) -> bool | None:
    """Two hundred responses to forty items that are common to five of them; ρ is 6/π · asin(0.5 / 2)."""
    item = np.repeat(np.arange(40), 5)
    common = rng.normal(size=40)[item]
    sides = [(common + rng.normal(size=200)).tolist() for _ in range(2)]
    found = correlation(sides[0], sides[1], bootstrap=Bootstrap(rng, resamples=RESAMPLES, clusters=item))
    return held(found, 6 / np.pi * float(np.arcsin(0.25)))


STATISTICS: dict[str, Callable[[np.random.Generator], bool | None]] = {
    "Cohen's κ, 200 units": kappa,
    "Krippendorff's α, 200 units, 3 raters": alpha,
    "Krippendorff's α over 60 items, half of them hard": alpha_over_items,
    "Krippendorff's α, typed ties, 200 units, 3 raters": partial(
        of_three, measure=krippendorff_alpha, truth=0.49, level="typed_tie"
    ),
    "Krippendorff's α, ordinal, 200 units, 3 raters": partial(
        of_three, measure=krippendorff_alpha, truth=0.49, level="ordinal"
    ),
    "Fleiss' κ, 200 units, 3 raters": partial(of_three, measure=fleiss_kappa, truth=0.49),
    "Gwet's AC1, 200 units, 3 raters": partial(of_three, measure=gwet_ac1, truth=0.49),
    "Cohen's κ with typed-tie weights, 200 units": weighted,
    "Cohen's κ of a pair among four, 100 units (jackknife)": partial(of_pairs, measure=kappas),
    "Krippendorff's α of a pair among four, 100 units (jackknife)": partial(of_pairs, measure=alphas),
    "Cohen's κ of a pair among four, 40 items of five units (jackknife over items)": partial(
        of_pairs_over_items, measure=kappas
    ),
    "Krippendorff's α of a pair among four, 40 items of five units (jackknife over items)": partial(
        of_pairs_over_items, measure=alphas
    ),
    "percent agreement, 200 units, 3 raters": partial(of_three, measure=percent_agreement, truth=0.49 + 0.51 / 4),
    "people against the others, 200 units, 3 raters": partial(of_three, measure=human_ceiling, truth=CEILING),
    "percent agreement, 200 units (Wilson)": percent,
    "accuracy, 200 units": right,
    "difference of two accuracies, 200 units, paired": difference,
    "Pearson's r, 60 items": pearson,
    "Spearman's ρ, 200 responses to 40 items": clustered_spearman,
    "Spearman's ρ from influences, 500 responses to 100 items": partial(
        with_much_in_common, measure=linear_spearman, truth=6 / np.pi * float(np.arcsin(0.25))
    ),
    "Krippendorff's α of two scores, 500 responses to 100 items": partial(
        with_much_in_common, measure=interval_alpha, truth=0.5
    ),
    "Pearson's r of eight systems' means over 200 items": of_systems,
    "mean pairwise κ of four, 200 units": of_all_pairs,
    "accuracy with half ties, 200 units": half_ties,
    "soft accuracy against three people, 200 units": soft,
    "mean opinion, 60 items, three of 20 raters each": opinion,
    "mean opinion, 60 items, three raters": partial(opinion, n_raters=3),
    "mean opinion, 60 items, three raters who hardly differ": partial(opinion, n_raters=3, raters=0.2),
    "mean opinion, 60 items, three raters who differ much": partial(opinion, n_raters=3, raters=1.2),
    "mean opinion on a scale of 1 to 5, in its middle, three of 20 raters": partial(
        opinion_on_a_scale, centre=3.0, n_raters=20
    ),
    "mean opinion on a scale of 1 to 5, near its end, three of 20 raters": partial(
        opinion_on_a_scale, centre=4.6, n_raters=20
    ),
    "mean opinion on a scale of 1 to 5, in its middle, three raters": partial(
        opinion_on_a_scale, centre=3.0, n_raters=3
    ),
    "mean opinion on a scale of 1 to 5, near its end, three raters": partial(
        opinion_on_a_scale, centre=4.6, n_raters=3
    ),
    "rubric score of 24 items, six in ten criteria met": partial(rubric_score, n_items=24, met=0.6),
    "rubric score of 24 items, nine in ten criteria met": partial(rubric_score, n_items=24, met=0.9),
    "rubric score of 8 items, six in ten criteria met": partial(rubric_score, n_items=8, met=0.6),
    "mean opinion of these two raters, 60 items": partial(opinion_of_few, n_raters=2),
    "mean opinion of these two raters, who shared 60 items": partial(opinion_of_few, n_raters=2, share=2),
    "mean opinion of this one rater, 60 items": partial(opinion_of_few, n_raters=1),
    "mean opinion of these two items, 20 raters": opinion_on_two_items,
    "mean over 60 items of five responses each": partial(mean_over_items, n_items=60),
    "mean over 6 items of five responses each": partial(mean_over_items, n_items=6),
    "win rate corrected by a judge (PPI++), 200 labels among 2,000 units": partial(corrected, n=200),
    "win rate corrected by a judge, 50 labels, where it is shown": partial(corrected, n=50),
    "win rate corrected by a judge right on 80 %, 50 labels, where it is shown": partial(
        corrected, n=50, right=(0.8, 0.8)
    ),
    "win rate corrected by a judge right on 95 %, 100 labels, where it is shown": partial(
        corrected, n=100, right=(0.95, 0.95)
    ),
    "win rate of 10 %, 100 labels, where it is shown": partial(corrected, n=100, share=0.1, right=(0.9, 0.9)),
    "what a reader is left with of 50 labels among 2,000 units: corrected or people's alone": partial(
        corrected_or_not, n=50
    ),
    "what a reader is left with of a win rate of 90 %, 50 labels": partial(
        corrected_or_not, n=50, share=0.9, right=(0.85, 0.85)
    ),
    "what a reader is left with of any win rate, any judge, 50 to 200 labels": corrected_anyhow,
    "win rate corrected by a judge over 60 items of four labels each": corrected_over_items,
    "mean rating corrected by a judge, 60 labels": corrected_rating,
    "win rate of 5 %, 100 labels of people alone": partial(share_of_wins, share=0.05, n=100),
    "win rate over 60 items of four votes each": win_rate,
    "slope of scores over four turns of 30 conversations": slope,
}
