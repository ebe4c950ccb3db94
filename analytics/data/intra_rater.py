"""What somebody said of the same unit a second time, beside the first: the answers to repeats."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analytics.data.inclusion import Use, answers_in
from analytics.data.label_arrays import PEOPLE, LabelArrays, Place
from analytics.data.labels import pseudonyms, said_by_people, said_in_labels
from campaigns.models import CampaignUnit
from corpus.models import Label, LabelSet

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
