"""The ratings that a campaign has so far, as a pilot: where they vary, and of how many systems, items and raters."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache
from django.db.models import Q

from analytics.data.inclusion import USED, answers_in
from analytics.data.label_arrays import stamp_of
from analytics.data.labels import Said, said_by_people, said_in_labels
from analytics.data.unit_facts import UnitFacts, unit_facts
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Label, LabelSet
from corpus.models.labels import NO_CHECKS
from protocols import Aspect, Protocol
from stats.rater_models.components import Components, variance_components
from stats.rater_models.rated import Rated

KEPT_S = 3600
#: Of what is kept.
VERSION = "1"


@dataclass(frozen=True)
class Pilot:
    """How many ratings there are and of what; `components` is of them, and has a reason where it has no numbers."""

    ratings: int
    systems: int
    items: int
    raters: int
    components: Components
    imported: bool = False


def aspects_of_responses(protocol: Protocol) -> list[Aspect]:
    """The questions whose answers are ratings of one response, the overall one first."""
    found = [
        it
        for it in protocol.aspects
        if it.scale.kind.is_ordered and not it.scale.kind.is_signed and (protocol.unit == "single" or it.per_response)
    ]
    return sorted(found, key=lambda it: it.name != "overall")


def pilot_of(campaign: Campaign, aspect: Aspect) -> Pilot:
    """Of people's answers; where there are none, of what people said whose answers were imported.

    From the cache where nothing was said since.
    """
    key, stamp = f"pilot-{VERSION}-{campaign.pk}-{aspect.name}", stamp_of(campaign)
    kept: tuple[object, Pilot] | None = cache.get(key)
    if kept and kept[0] == stamp:
        return kept[1]
    facts = _facts_of_study(campaign)
    rated = _rated(said_by_people(answers_in(campaign, USED), Q(aspect=aspect.name)), facts, aspect)
    imported = False
    if not len(rated):
        rated = _rated(_said_in_imports(campaign, aspect), facts, aspect)
        imported = len(rated) > 0
    systems, items, raters = (len(np.unique(of)) for of in (rated.systems, rated.items, rated.raters))
    found = Pilot(len(rated), systems, items, raters, variance_components(rated), imported)
    cache.set(key, (stamp, found), KEPT_S)
    return found


def _facts_of_study(campaign: Campaign) -> dict[int, UnitFacts]:
    study = set(
        campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by().values_list("unit", flat=True)
    )
    return {unit: it for unit, it in unit_facts(campaign).items() if unit in study}


def _said_in_imports(campaign: Campaign, aspect: Aspect) -> Iterable[Said]:
    sets = LabelSet.objects.filter(dataset=campaign.dataset_id, purpose__in=NO_CHECKS)
    rows = Label.objects.filter(annotation__label_set__in=sets.order_by().values("pk"), aspect=aspect.name)
    return said_in_labels(rows)


def _rated(said: Iterable[Said], facts: dict[int, UnitFacts], aspect: Aspect) -> Rated:
    """An entry per rating of one response; what is no number, and what is about no unit of the study, is left out."""
    system_at: dict[str, int] = {}
    rows: list[tuple[float, int, int, int]] = []
    for it in said:
        about = facts.get(it.unit)
        slot = it.slot or (next(iter(about.systems)) if about and len(about.systems) == 1 else "")
        number = aspect.scale.kind.number(it.value)
        if about and number is not None and slot in about.systems:
            name = about.systems[slot]
            rows.append((number, system_at.setdefault(name, len(system_at)), about.item, it.rater))
    found = np.array(rows, dtype=np.float64).reshape(-1, 4)
    whole = (np.ascontiguousarray(found[:, at], dtype=np.int64) for at in range(1, 4))
    return Rated(found[:, 0], *whole)
