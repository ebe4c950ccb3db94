"""Whose labels a report takes for people's: the campaign's people, or label sets of one name."""

from analytics.data.inclusion import USED, answers_in
from analytics.data.label_arrays import PEOPLE, Group
from analytics.judged.comparison import reference_group
from analytics.reports.contract import Option
from analytics.reports.source import Source
from campaigns.models import Campaign
from corpus.models import LabelSet
from corpus.models.labels import NO_CHECKS
from infrastructure.wording.phrases import Phrase

REFERENCE = "reference"
THE_PEOPLE = Phrase("The campaign’s people")


def group_title(group: Group | None) -> str:
    if group is None:
        return ""
    return THE_PEOPLE if group.key == PEOPLE else group.title


def group_choices(campaign: Campaign) -> tuple[tuple[str, str], ...]:
    """The campaign's people and the imported sets, from few rows; people who have said nothing yet stand last."""
    people = ((PEOPLE, THE_PEOPLE),)
    sets = LabelSet.objects.filter(dataset=campaign.dataset_id, purpose__in=NO_CHECKS)
    imported = tuple((f"labels-{name}", name) for name in dict.fromkeys(sets.values_list("name", flat=True)))
    return people + imported if answers_in(campaign, USED).exists() else imported + people


def reference_option(campaign: Campaign) -> Option:
    return Option(REFERENCE, Phrase("Compared with"), group_choices(campaign))


def reference_of(source: Source) -> Group | None:
    """The group that was chosen, else the first that said anything."""
    return reference_group(source.arrays, source.option(REFERENCE))
