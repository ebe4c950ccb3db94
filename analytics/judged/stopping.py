"""The rule of stopping that reads judges beside people: the κ of each is known within a width."""

from collections.abc import Iterator, Mapping

from django.core.cache import cache

from analytics.data.label_arrays import PEOPLE, label_arrays, stamp_of
from analytics.judged.cache import VERSION, refusals
from analytics.judged.comparison import compared_aspects, measure_judge, reference_group
from analytics.judged.looks import looks_of
from analytics.judged.sides import Side
from campaigns.launch.stopping import Look
from campaigns.models import Campaign
from campaigns.reasons import JUDGES_KNOWN, JUDGES_NOT_YET
from judges.models import Run
from stats import reasons
from stats.results import Estimate

KEPT_S = 3600
#: Runs that ended without coming to their end: nothing is waited for.
ENDED = (Run.Status.FAILED, Run.Status.CANCELLED)


def known_judges(campaign: Campaign, said: Mapping[str, float]) -> Look:
    """Whether the interval of each judge's κ, of every look, reaches at most `kappa` to a side.

    Of the first question, beside the campaign's people. Judges whose κ is the same whatever people say, those that
    answered nothing, those that have to qualify first, and runs that failed or were cancelled are not waited for.
    """
    found = {name: it for name, it in kappas_of_judges(campaign).items() if it.reason != reasons.NOTHING_VARIES()}
    reaches = {name: (it.interval.high - it.interval.low) / 2 for name, it in found.items() if it.interval}
    if not found or len(reaches) < len(found):
        return Look(False, JUDGES_NOT_YET())
    least = max(reaches, key=lambda name: reaches[name])
    stands = JUDGES_KNOWN(judge=least, reach=f"{reaches[least]:.3f}", kappa=f"{said['kappa']:g}")
    return Look(reaches[least] <= said["kappa"], stands)


def kappas_of_judges(campaign: Campaign) -> dict[str, Estimate]:
    """κ of each judge that is waited for, by its title; from the cache where nothing was said since."""
    key, stamp = f"known-judges-{VERSION}-{campaign.pk}", stamp_of(campaign)
    kept: tuple[object, dict[str, Estimate]] | None = cache.get(key)
    if kept and kept[0] == stamp:
        return kept[1]
    found = dict(_kappas(campaign))
    cache.set(key, (stamp, found), KEPT_S)
    return found


def _kappas(campaign: Campaign) -> Iterator[tuple[str, Estimate]]:
    arrays = label_arrays(campaign)
    people, aspects = reference_group(arrays, PEOPLE), compared_aspects(arrays)
    if people is None or people.key != PEOPLE or not aspects:
        return
    side = Side(arrays, aspects[0], people, looks=looks_of(people))
    refused = refusals([it.run.pk for it in arrays.runs])
    for it in arrays.runs:
        if it.run.status in ENDED or it.run.pk in refused:
            continue
        kappa = measure_judge(side, it).kappa
        if kappa.estimate is not None or it.run.status != Run.Status.DONE:
            yield f"{it.run.judge.title} ({it.run.pk})", kappa
