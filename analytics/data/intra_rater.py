"""What somebody said of the same unit a second time, beside the first: the answers to repeats."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analytics.data.inclusion import Use, answers_in
from analytics.data.label_arrays import PEOPLE, LabelArrays, Place
from analytics.data.labels import pseudonyms, said_by_people, said_in_labels
from analytics.data.preferences import preferences_of_scale
from campaigns.models import CampaignUnit
from corpus.models import Label, LabelSet, Unit
from protocols import Aspect

REPEAT = CampaignUnit.Purpose.REPEAT


@dataclass(frozen=True)
class Again:
    """What one rater said of one place, both times."""

    rater: str
    title: str
    place: Place
    first: str
    second: str


def said_again(arrays: LabelArrays, *, group: str, with_excluded: bool = False) -> Mapping[str, list[Again]]:
    """By aspect, for a group of the arrays. First answers are those that the arrays have, whatever they are of."""
    found: dict[str, list[Again]] = defaultdict(list)
    raters = {rater.key: rater for it in arrays.groups if it.key == group for rater in it.raters}
    rows = _people(arrays, with_excluded) if group == PEOPLE else _imported(arrays, group)
    for key, aspect, place, value in rows:
        rater = raters.get(key)
        first = rater.said.get(aspect, {}).get(place) if rater else None
        if rater and first is not None:
            found[aspect].append(Again(key, rater.title, place, first, value))
    return found


_Row = tuple[str, str, Place, str]


def _people(arrays: LabelArrays, with_excluded: bool) -> Iterator[_Row]:
    campaign = arrays.campaign
    again = answers_in(campaign, Use(excluded=with_excluded, checks=True)).filter(
        assignment__campaign_unit__purpose=REPEAT
    )
    names = pseudonyms(campaign)
    for said in said_by_people(again):
        yield f"annotator-{names[said.rater]}", said.aspect, (said.unit, said.slot), said.value


def _imported(arrays: LabelArrays, group: str) -> Iterator[_Row]:
    """An imported set has its rater's answers to repeats in a set of their own, of the same name."""
    sets = LabelSet.objects.filter(dataset=arrays.campaign.dataset_id, name=group.removeprefix("labels-"))
    first = {row.rater: row.pk for row in sets if not row.is_of_checks}
    again = {row.pk: first[row.rater] for row in sets if row.purpose == REPEAT and row.rater in first}
    for said in said_in_labels(Label.objects.filter(annotation__label_set__in=again), with_excluded=True):
        yield f"labels-{again[said.rater]}", said.aspect, (said.unit, said.slot), said.value
    yield from _same_clips(arrays, group)


def _same_clips(arrays: LabelArrays, group: str) -> Iterator[_Row]:
    """Pairs that a source has under several keys with the same two responses, whichever of them is a.

    Later ones are answers to the first again, turned round where its responses are.
    """
    sides = dict(_sides(arrays))
    first: dict[frozenset[int], int] = {}
    later = {unit: at for unit, both in sides.items() if (at := first.setdefault(frozenset(both), unit)) != unit}
    if not later:
        return
    preferring = {it.name for it in arrays.campaign.protocol.aspects if _turns(it)}
    raters = [rater for it in arrays.groups if it.key == group for rater in it.raters]
    for rater in raters:
        for aspect in preferring & rater.said.keys():
            for (unit, slot), value in rater.said[aspect].items():
                if unit in later and not slot:
                    turned = sides[unit] != sides[later[unit]]
                    yield rater.key, aspect, (later[unit], slot), _TURNED.get(value, value) if turned else value


_TURNED = {"a": "b", "b": "a"}


def _turns(aspect: Aspect) -> bool:
    """Whether answers name a, b or a tie, so that they can be turned round."""
    preferences = preferences_of_scale(aspect.scale)
    return preferences is not None and not preferences.signed and not aspect.per_response


def _sides(arrays: LabelArrays) -> Iterator[tuple[int, tuple[int, int]]]:
    """The two responses of each pair of the study, in the order of its units."""
    wanted = arrays.campaign.campaign_units.order_by().values("unit")
    rows = Unit.objects.filter(pk__in=wanted, kind=Unit.Kind.PAIR).values_list("pk", "a", "b")
    found = {pk: (a, b) for pk, a, b in rows if a and b}
    return ((unit, found[unit]) for unit in arrays.units if unit in found)
