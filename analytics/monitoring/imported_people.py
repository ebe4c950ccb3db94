"""People whose labels of a campaign's units were imported: how many they are, and how many units they labelled."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, QuerySet

from campaigns.models import Campaign, CampaignUnit
from corpus.models import ImportedAnnotation, Label, LabelSet
from corpus.models.labels import NO_CHECKS

#: How long what was counted is kept (s).
KEPT_S = 60


@dataclass(frozen=True)
class ImportedPeople:
    """The raters of the label sets with one name."""

    name: str
    raters: int
    units: int
    labelled: int


def imported_people(campaign: Campaign) -> tuple[ImportedPeople, ...]:
    """By name of their label sets; label sets without a rater are of nobody in particular. One query, or none."""
    key = f"imported-people-{campaign.pk}"
    found: tuple[ImportedPeople, ...] | None = cache.get(key)
    if found is None:
        study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by().values("unit")
        rows = ImportedAnnotation.objects.filter(label_set__in=_of_raters(campaign), excluded="", unit__in=study)
        counted = (
            rows.order_by()
            .values("label_set__name")
            .annotate(
                raters=Count("label_set", distinct=True), units=Count("unit", distinct=True), labelled=Count("pk")
            )
        )
        found = tuple(
            ImportedPeople(row["label_set__name"], row["raters"], row["units"], row["labelled"])
            for row in counted.order_by("label_set__name")
        )
        cache.set(key, found, KEPT_S)
    return found


def values_of_imported_people(
    campaign: Campaign, name: str, aspects: Iterable[str]
) -> dict[str, dict[tuple[int, str], list[str]]]:
    """By aspect, and by unit and slot, every label that these raters gave the units of the study."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).order_by().values("unit")
    rows = Label.objects.filter(
        annotation__label_set__in=_of_raters(campaign).filter(name=name), annotation__excluded="",
        annotation__unit__in=study, aspect__in=list(aspects),
    )  # fmt: skip
    found: dict[str, dict[tuple[int, str], list[str]]] = {}
    for unit, aspect, slot, value in rows.order_by("pk").values_list("annotation__unit", "aspect", "slot", "value"):
        found.setdefault(aspect, {}).setdefault((unit, slot), []).append(value)
    return found


def _of_raters(campaign: Campaign) -> QuerySet[LabelSet]:
    return LabelSet.objects.filter(dataset=campaign.dataset_id, purpose__in=NO_CHECKS).exclude(rater="")
