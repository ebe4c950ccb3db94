"""What somebody said of the same unit a second time, beside the first: the answers to repeats."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analytics.data.inclusion import Use, answers_in
from analytics.data.label_arrays import PEOPLE, LabelArrays, Place
from annotation.models import Answer
from campaigns.models import CampaignUnit, Label, LabelSet

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
    told = "annotation__assignment"
    columns = (f"{told}__annotator", "aspect", f"{told}__campaign_unit__unit", "slot", "value")
    names = dict(campaign.memberships.values_list("user_id", "pseudonym"))
    rows = Answer.objects.filter(annotation__in=again.order_by().values("pk")).order_by("pk")
    for person, aspect, unit, slot, value in rows.values_list(*columns):
        yield f"annotator-{names.get(person, '')}", aspect, (unit, slot), value


def _imported(arrays: LabelArrays, group: str) -> Iterator[_Row]:
    """An imported set has its rater's answers to repeats in a set of their own, of the same name."""
    sets = LabelSet.objects.filter(dataset=arrays.campaign.dataset_id, name=group.removeprefix("labels-"))
    first = {row.rater: row.pk for row in sets if not row.is_of_checks}
    again = {row.pk: first[row.rater] for row in sets if row.purpose == REPEAT and row.rater in first}
    rows = Label.objects.filter(label_set__in=again).order_by("pk")
    for pk, unit, aspect, slot, value in rows.values_list("label_set", "unit", "aspect", "slot", "value"):
        yield f"labels-{again[pk]}", aspect, (unit, slot), value
