"""How far a campaign's annotators agree so far, aspect by aspect; kept until there are more answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from analytics.data.inclusion import USED, WITH_EXCLUDED, answers_in, n_left_out, state_of_answers
from analytics.data.labels import ByPlace, values_by_place
from analytics.monitoring.imported_people import ImportedPeople, imported_people, values_of_imported_people
from campaigns.models import Campaign
from protocols import Aspect, Protocol
from protocols.kinds.agreement import alpha_title
from stats.agreement.coefficients import WATCHED, krippendorff_alpha
from stats.agreement.coincidences import Level
from stats.agreement.labels import LabelTable
from stats.intervals import Bootstrap
from stats.results import Estimate

#: At most so many aspects, the overall one first: the page is to be read at a glance.
MOST_ASPECTS = 4
RESAMPLES = 1_000
SEED = 20_240_601  # the same answers, the same interval
KEPT_S = 3600
#: Of what is kept.
VERSION = "3"
#: While answers come in, agreement is taken anew after this long at the earliest.
PAUSE = timedelta(seconds=10)


@dataclass(frozen=True)
class AspectAgreement:
    """α of the answers that are used and, where some are not, of all of them."""

    aspect: str
    title: str
    level: Level
    found: Estimate
    with_excluded: Estimate | None = None

    @property
    def coefficient(self) -> str:
        """The name of α with its distance."""
        return alpha_title(self.level)


@dataclass(frozen=True)
class AgreementSoFar:
    """`stamp` names the data it was taken from, and `taken_at` the time, in seconds since 1970.

    Where annotators have answered nothing, it is that of imported `people`, if there are several.
    """

    stamp: tuple[object, ...]
    taken_at: float
    aspects: tuple[AspectAgreement, ...]
    people: ImportedPeople | None = None


def agreement_so_far(campaign: Campaign) -> AgreementSoFar:
    """From the cache where nothing changed since, or only within the last seconds."""
    state = state_of_answers(campaign)
    n_answered = state[0]
    people = None if n_answered else _most_imported(campaign)
    key, stamp = f"agreement-by-distance-{VERSION}-{campaign.pk}", (*state, people)
    now = timezone.now().timestamp()
    kept: AgreementSoFar | None = cache.get(key)
    if kept and (kept.stamp == stamp or abs(now - kept.taken_at) < PAUSE.total_seconds()):
        return kept
    aspects = tuple(_agreement_of(campaign, people) if people else _agreement(campaign))
    found = AgreementSoFar(stamp, now, aspects, people)
    cache.set(key, found, KEPT_S)
    return found


def main_aspects(protocol: Protocol) -> list[Aspect]:
    """Those that are chosen and not written, the overall one first."""
    return sorted(protocol.counted_aspects, key=lambda aspect: aspect.name != "overall")[:MOST_ASPECTS]


def _most_imported(campaign: Campaign) -> ImportedPeople | None:
    """Several raters whose labels were imported; where there are more such groups, the one that labelled most."""
    several = [people for people in imported_people(campaign) if people.raters > 1]
    return max(several, key=lambda people: people.labelled, default=None)


def _agreement_of(campaign: Campaign, people: ImportedPeople) -> Iterable[AspectAgreement]:
    aspects = main_aspects(campaign.protocol)
    said = values_of_imported_people(campaign, people.name, [aspect.name for aspect in aspects])
    for aspect in aspects:
        found = _alpha(aspect, said.get(aspect.name, {}))
        yield AspectAgreement(aspect.name, aspect.title, aspect.scale.kind.distance, found)


def _agreement(campaign: Campaign) -> Iterable[AspectAgreement]:
    aspects = main_aspects(campaign.protocol)
    asked = Q(aspect__in=[aspect.name for aspect in aspects])
    used = values_by_place(answers_in(campaign, USED), asked)
    everything = values_by_place(answers_in(campaign, WITH_EXCLUDED), asked) if n_left_out(campaign) else None
    for aspect in aspects:
        more = _alpha(aspect, everything.get(aspect.name, {})) if everything is not None else None
        distance = aspect.scale.kind.distance
        yield AspectAgreement(aspect.name, aspect.title, distance, _alpha(aspect, used.get(aspect.name, {})), more)


def _alpha(aspect: Aspect, by_unit: ByPlace) -> Estimate:
    bootstrap = Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, watched=WATCHED)
    return krippendorff_alpha(_table(by_unit, aspect), level=aspect.scale.kind.distance, bootstrap=bootstrap)


def _table(by_unit: ByPlace, aspect: Aspect) -> LabelTable:
    """A row per unit (and response). Columns are seats and not people, which changes nothing for α."""
    categories = aspect.scale.kind.categories(value for values in by_unit.values() for value in values)
    place = {value: at for at, value in enumerate(categories)}
    codes = np.full((len(by_unit), max(map(len, by_unit.values()), default=0)), -1, dtype=np.int64)
    for row, values in enumerate(by_unit.values()):
        codes[row, : len(values)] = [place[value] for value in values]
    return LabelTable(codes, categories)
