"""Pairs drawn, boards and standings: they go with their campaign, and with their dataset's label sets."""

from django.utils.translation import ngettext_lazy

from arena.models import ArenaSettings, Board, Draw, Entry, Standing
from campaigns.models import Campaign
from corpus.models import Dataset
from infrastructure.deletion.subjects import Counted, Part, counts, goes_with, has_jobs


def register_deletion() -> None:
    goes_with(
        Campaign,
        *(Part(model, "campaign") for model in (ArenaSettings, Board, Draw, Standing)),
        Part(Entry, "membership__campaign"),
    )
    goes_with(Dataset, Part(Board, "label_set__dataset"), Part(Standing, "label_set__dataset"))
    counts(Campaign, Counted(Standing, "campaign", ngettext_lazy("%(n)s standing", "%(n)s standings", "n")))
    has_jobs(Campaign, "prepare-arena")
