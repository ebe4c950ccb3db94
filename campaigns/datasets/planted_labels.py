"""The demo's labels by its script: what was planted is known, so nobody has to listen for it."""

from django.db import transaction

from accounts.models import User
from campaigns.demo.planted import planted_labels
from campaigns.models import Campaign, Label, LabelSet

NAME = "What was planted"


@transaction.atomic
def label_what_was_planted(campaign: Campaign, *, user: User) -> LabelSet:
    """Labels of the campaign's pairs by what was planted in their systems. Once more, it changes nothing."""
    row, _made = LabelSet.objects.get_or_create(dataset=campaign.dataset, name=NAME, defaults={"created_by": user})
    units = campaign.campaign_units.values_list("unit", "unit__a__system__name", "unit__b__system__name")
    labels = [
        Label(label_set=row, unit_id=unit, aspect=aspect, value=value, acceptable_a=good_a, acceptable_b=good_b)
        for unit, a, b in units
        for aspect, value, good_a, good_b in planted_labels(a, b)
    ]
    Label.objects.bulk_create(labels, ignore_conflicts=True)
    return row
