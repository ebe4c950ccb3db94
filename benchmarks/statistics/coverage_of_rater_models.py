"""Ratings by raters who are more or less severe, and labels by raters who are more or less often right, simulated.

`severe_ratings` is the world of opinion scores: ten systems, thirty raters whose severity has a standard deviation of
0.55, three ratings of each response. The truth of a mean is over endlessly many items and raters.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.statistics.coverage_of_ratings import held
from stats.arrays import Floats
from stats.rater_models.dawid_skene import Said, dawid_skene, with_intervals
from stats.rater_models.intraclass import intraclass
from stats.rater_models.rated import Rated
from stats.rater_models.severity import adjusted_means
from stats.systems.means import two_way_mean

Hits = Callable[[np.random.Generator], Iterable[bool | None]]


@dataclass(frozen=True)
class World:
    """Standard deviations of what makes ratings differ, and how large the study is."""

    systems: int = 10
    items: int = 24
    raters: int = 30
    per_response: int = 3
    severity: float = 0.55
    item: float = 0.3
    response: float = 0.35
    taste: float = 0.0
    rest: float = 0.75
    #: Whether raters have systems that they rate more often.
    uneven: bool = False


MEANS = np.linspace(-0.6, 0.6, 10)


def severe_ratings(rng: np.random.Generator, world: World) -> tuple[Rated, Floats, Floats]:
    """Ratings, the systems' true means, and the severity of each rater."""
    w = world
    response = np.arange(w.systems * w.items)
    if w.uneven:  # each rater has a favourite part of the systems, which is more likely to come to them
        liking = np.exp(rng.normal(0, 1.0, (w.systems, w.raters)))
        chance = liking[response // w.items] * rng.random((len(response), w.raters))
    else:
        chance = rng.random((len(response), w.raters))
    chosen = np.argsort(-chance, axis=1)[:, : w.per_response]
    raters = chosen.reshape(-1)
    systems, items = (np.repeat(it, w.per_response) for it in (response // w.items, response % w.items))
    means = MEANS[: w.systems] + 3.2
    severity = rng.normal(0, w.severity, w.raters)
    values = (
        means[systems]
        - severity[raters]
        + rng.normal(0, w.item, w.items)[items]
        + rng.normal(0, w.response, (w.systems, w.items))[systems, items]
        + rng.normal(0, w.taste, (w.systems, w.raters))[systems, raters]
        + rng.normal(0, w.rest, len(raters))
    )
    return Rated(values, systems, items, raters), means, severity


def means_held(rng: np.random.Generator, world: World) -> Iterable[bool | None]:
    rated, means, _severity = severe_ratings(rng, world)
    found = adjusted_means(rated, n_systems=world.systems, n_raters=world.raters)
    return [held(found.mean(it), float(means[it])) for it in range(world.systems)]


def plain_means_held(rng: np.random.Generator, world: World) -> Iterable[bool | None]:
    rated, means, _severity = severe_ratings(rng, world)
    of = [rated.where(rated.systems == it) for it in range(world.systems)]
    return [
        held(two_way_mean(own.values, own.items, own.raters), float(mean))
        for own, mean in zip(of, means, strict=True)
    ]


def differences_held(rng: np.random.Generator, world: World) -> Iterable[bool | None]:
    rated, means, _severity = severe_ratings(rng, world)
    found = adjusted_means(rated, n_systems=world.systems, n_raters=world.raters)
    return [held(found.difference(it + 1, it), float(means[it + 1] - means[it])) for it in range(world.systems - 1)]


def severities_held(rng: np.random.Generator, world: World) -> Iterable[bool | None]:
    rated, _means, severity = severe_ratings(rng, world)
    found = adjusted_means(rated, n_systems=world.systems, n_raters=world.raters)
    return [held(found.severity_of(it), float(severity[it])) for it in range(world.raters)]


def reliability_held(rng: np.random.Generator, model: str, per_response: int, raters: int) -> bool | None:
    """The reliability of one rating of 40 responses; the truth is what the standard deviations say."""
    chosen = np.argsort(rng.random((40, raters)), axis=1)[:, :per_response]
    responses, who = np.repeat(np.arange(40), per_response), chosen.reshape(-1)
    values = rng.normal(0, 0.8, 40)[responses] + rng.normal(0, 0.4, raters)[who] + rng.normal(0, 0.7, len(who))
    found = intraclass(values, responses, who)
    return held(found.one_way if model == "one-way" else found.two_way, 0.64 / (0.64 + 0.16 + 0.49))


def typed_labels(rng: np.random.Generator) -> tuple[Said, Floats, Floats]:
    """400 units with typed ties, four of ten raters each; the shares of labels, and how often each rater is right."""
    shares = np.array([0.35, 0.25, 0.25, 0.15])
    confusion = np.array([rng.dirichlet(np.ones(4), 4) for _ in range(10)])
    right = rng.uniform(0.5, 0.9, 10)[:, np.newaxis, np.newaxis]
    confusion = right * np.eye(4) + (1 - right) * confusion
    truth = rng.choice(4, p=shares, size=400)
    units, raters = np.repeat(np.arange(400), 4), np.argsort(rng.random((400, 10)), axis=1)[:, :4].reshape(-1)
    chances = confusion[raters, truth[units]].cumsum(axis=1)
    labels = (rng.random(len(units))[:, np.newaxis] > chances[:, :-1]).sum(axis=1)
    return Said(units, raters, labels, 400, 10, 4), shares, np.einsum("k,rkk->r", shares, confusion)


def labels_held(rng: np.random.Generator, of: str) -> Iterable[bool | None]:
    said, shares, accuracy = typed_labels(rng)
    found = with_intervals(said, dawid_skene(said), np.arange(400))
    if of == "shares":
        return [held(it, float(share)) for it, share in zip(found.prevalence, shares, strict=True)]
    return [held(it, float(share)) for it, share in zip(found.accuracy, accuracy, strict=True)]


_USUAL, _TASTES, _UNEVEN = World(), World(taste=0.3), World(taste=0.2, uneven=True)
_FEW = World(systems=4, items=8, raters=4, per_response=2, taste=0.2)
_THREE = World(systems=3, items=12, raters=3, taste=0.2)
_ONCE = World(systems=2, items=40, raters=40, per_response=1, taste=0.2)
_CROWD = World(systems=2, items=20, raters=60, per_response=2, taste=0.2)
AT_LEAST = "few raters: "
RATER_MODELS: dict[str, Hits] = {
    "means adjusted for severity, 30 raters, three per response": partial(means_held, world=_USUAL),
    "differences of two of them": partial(differences_held, world=_USUAL),
    "severity of each of 30 raters": partial(severities_held, world=_USUAL),
    "means adjusted for severity, 30 raters with tastes": partial(means_held, world=_TASTES),
    "differences of means adjusted for severity, 30 raters with tastes": partial(differences_held, world=_TASTES),
    "severity of each of 30 raters with tastes": partial(severities_held, world=_TASTES),
    "means adjusted for severity, 30 raters who hear some systems more": partial(means_held, world=_UNEVEN),
    "differences of means adjusted for severity, 30 raters who hear some systems more": partial(
        differences_held, world=_UNEVEN
    ),
    f"{AT_LEAST}means adjusted for severity, four raters, eight items": partial(means_held, world=_FEW),
    f"{AT_LEAST}differences of means adjusted for severity, four raters": partial(differences_held, world=_FEW),
    f"{AT_LEAST}severity of each of four": partial(severities_held, world=_FEW),
    f"{AT_LEAST}means adjusted for severity, three raters, twelve items": partial(means_held, world=_THREE),
    f"{AT_LEAST}severity of each of three": partial(severities_held, world=_THREE),
    "means adjusted for severity, 40 items rated once each by any of 40": partial(means_held, world=_ONCE),
    "plain means, 40 items rated once each by any of 40": partial(plain_means_held, world=_ONCE),
    "means adjusted for severity, 20 items rated by two of 60": partial(means_held, world=_CROWD),
    "plain means, 20 items rated by two of 60": partial(plain_means_held, world=_CROWD),
    "differences of means adjusted for severity, 20 items rated by two of 60": partial(
        differences_held, world=_CROWD
    ),
    "shares of typed labels by Dawid–Skene, 400 units, four of ten raters": partial(labels_held, of="shares"),
    "accuracy of each rater by Dawid–Skene, 400 units, four of ten raters": partial(labels_held, of="accuracy"),
}
RELIABILITY: dict[str, Callable[[np.random.Generator], bool | None]] = {
    "ICC(1), 40 responses, three of 40 raters": partial(reliability_held, model="one-way", per_response=3, raters=40),
    "ICC(2,1), 40 responses, all by five raters": partial(
        reliability_held, model="two-way", per_response=5, raters=5
    ),
    "ICC(2,1), 40 responses, three of ten raters": partial(
        reliability_held, model="two-way", per_response=3, raters=10
    ),
}
