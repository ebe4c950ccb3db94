"""What the figures of an HCoT study share: the labels that are chosen, and another pass over the same units."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from analytics.data.label_arrays import PEOPLE, Place, Reading
from analytics.reports.contract import Option
from analytics.reports.label_sets import LabelSets, chosen, run_choices
from analytics.reports.references import group_choices
from analytics.reports.source import Settings, Source
from campaigns.access import RIGHTS, Right
from campaigns.models import Campaign, CampaignUnit, Membership
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from protocols.fusion import FUSED, OVERALL
from stats.judges.diagnostics import Triple

#: As they are stored, in the order of TRACE/HCoT Table 6.
LABELS = ("both_bad", "a", "b", "both_good")
_CAMPAIGN = "campaign-"


def label_set(campaign: Campaign) -> Option:
    return Option("labels", Phrase("Labels of"), (*group_choices(campaign), *run_choices(campaign)))


def other_pass(campaign: Campaign) -> Option:
    """The first set comes after the others, because it is what they are compared with unless another is chosen."""
    first, *others = group_choices(campaign)
    campaigns = tuple(
        (f"{_CAMPAIGN}{it.slug}", Phrase("Campaign %(title)s", title=repr(it.title)))
        for it in other_campaigns(campaign)
    )
    return Option("other", Phrase("Compared with"), (*others, *run_choices(campaign), first, *campaigns))


def other_campaigns(campaign: Campaign) -> list[Campaign]:
    """Over the same dataset, and open to all who may view this one, so that other campaigns are not revealed."""
    roles = [role for role, rights in RIGHTS.items() if Right.VIEW in rights]
    held = Membership.objects.filter(campaign__dataset=campaign.dataset_id, role__in=roles, ended_at=None)
    viewers: dict[int, set[int]] = {}
    for pk, user in held.values_list("campaign", "user"):
        viewers.setdefault(pk, set()).add(user)
    ours = viewers.get(campaign.pk, set())
    open_to_us = [pk for pk, theirs in viewers.items() if pk != campaign.pk and ours <= theirs]
    return list(Campaign.objects.filter(pk__in=open_to_us).order_by("pk"))


def compared_campaign(source: Source) -> Campaign | None:
    """The other campaign whose people's labels are compared, where that is chosen."""
    key = chosen(source, other_pass(source.campaign))
    if not key.startswith(_CAMPAIGN):
        return None
    slug = key.removeprefix(_CAMPAIGN)
    return next((it for it in other_campaigns(source.campaign) if it.slug == slug), None)


def named(title: str) -> str:
    """As part of a sentence: typed names are quoted, and are the same in every language."""
    return title if isinstance(title, Phrase) else repr(title)


@dataclass(frozen=True)
class Rows:
    """The units with all four labels, as they are fused; of those `left_out` a label is missing or has no type."""

    units: tuple[int, ...]
    dimensions: tuple[Triple, ...]
    overall: tuple[str, ...]
    left_out: int


@dataclass
class Study:
    """Of several raters of one unit, their majority is the label, and there is none where they have none."""

    source: Source

    @cached_property
    def aspects(self) -> dict[str, Aspect]:
        """The dimensions in the order in which they are fused, then the overall one."""
        by_name = {aspect.name: aspect for aspect in self.source.aspects}
        return {name: by_name[name] for name in (*FUSED, OVERALL)}

    @cached_property
    def sets(self) -> LabelSets:
        return LabelSets(self.source)

    @cached_property
    def key(self) -> str:
        return chosen(self.source, label_set(self.source.campaign))

    @cached_property
    def other_key(self) -> str:
        return chosen(self.source, other_pass(self.source.campaign))

    @cached_property
    def title(self) -> str:
        return dict(label_set(self.source.campaign).values).get(self.key, self.key)

    @cached_property
    def other_title(self) -> str:
        return dict(other_pass(self.source.campaign).values).get(self.other_key, self.other_key)

    @cached_property
    def labels(self) -> dict[str, Mapping[Place, str]]:
        return {name: self.sets.labels(aspect, self.key) for name, aspect in self.aspects.items()}

    @cached_property
    def other_labels(self) -> dict[str, Mapping[Place, str]]:
        """By those aspects that the other pass was asked about, too."""
        campaign = compared_campaign(self.source)
        if campaign is None:
            return {name: self.sets.labels(aspect, self.other_key) for name, aspect in self.aspects.items()}
        reading = self.source.settings.reading
        other = Source(campaign, Settings(Reading(reading.category, "", reading.order, reading.with_excluded)))
        asked, sets = {aspect.name: aspect for aspect in other.aspects}, LabelSets(other)
        return {name: sets.labels(asked[name], PEOPLE) for name in self.aspects if name in asked}

    @cached_property
    def rows(self) -> Rows:
        columns = [self.labels[name] for name in self.aspects]
        said = [(unit, [column.get((unit, "")) for column in columns]) for unit in self.source.arrays.units]
        labelled = [(unit, labels) for unit, labels in said if any(label is not None for label in labels)]
        whole = [(unit, labels) for unit, labels in labelled if all(label in LABELS for label in labels)]
        dimensions = tuple((str(one), str(two), str(three)) for _, (one, two, three, _) in whole)
        overall = tuple(str(labels[-1]) for _, labels in whole)
        return Rows(tuple(unit for unit, _ in whole), dimensions, overall, len(labelled) - len(whole))

    @cached_property
    def reviewed_as(self) -> dict[int, tuple[int, int]]:
        """By unit, its number in the queue of review, and the row under which its clips are heard there."""
        study = self.source.campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
        rows = study.order_by("position").values_list("unit", "pk")
        return {unit: (number, pk) for number, (unit, pk) in enumerate(rows, start=1)}

    def notes(self, *more: str) -> tuple[str, ...]:
        n = self.rows.left_out
        left_out = Phrase(
            "Units that are left out, because one of the four labels is missing or undecided: %(n)s.", n=n
        )
        return (*more, *((left_out,) if n else ()))
