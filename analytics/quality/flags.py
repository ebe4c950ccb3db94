"""The flags that stand: signals that were raised about annotators, and how many annotators wait for a decision."""

from django.db.models import Exists, Max, OuterRef, QuerySet

from analytics.models import QualityFlag
from annotation.models import AnnotatorDecision, Assignment
from campaigns.models import Campaign, CampaignUnit

Event = QualityFlag.Event


def open_flags(campaign: Campaign) -> set[tuple[int, str]]:
    """Membership and signal wherever the last word of the signal is that it spoke up."""
    return set(_standing(campaign).values_list("membership", "signal"))


def n_raised(campaign: Campaign) -> int:
    """How many annotators raised signals whose answers are used, and about whom no person decided since. One query.

    Each part of it is found by an index: flags by membership, answers and decisions by campaign and annotator.
    """
    flag = {"campaign": OuterRef("membership__campaign"), "annotator": OuterRef("membership__user")}
    used = Assignment.objects.filter(
        **flag, status=Assignment.Status.ANSWERED, excluded=False, campaign_unit__purpose=CampaignUnit.Purpose.STUDY
    )
    decided = AnnotatorDecision.objects.filter(**flag, by__isnull=False, made_at__gte=OuterRef("made_at"))
    lifted = QualityFlag.objects.filter(
        membership=OuterRef("membership"), signal=OuterRef("signal"), event=Event.LIFTED, pk__gt=OuterRef("pk")
    )
    waiting = _standing(campaign).filter(Exists(used), ~Exists(decided), ~Exists(lifted))
    waiting = waiting.filter(membership__answers_withdrawn_at=None).order_by()
    return waiting.values("membership").distinct().count()


def _standing(campaign: Campaign) -> QuerySet[QualityFlag]:
    said = QualityFlag.objects.filter(membership__campaign=campaign).exclude(event=Event.LIFTED).order_by()
    newest = said.values("membership", "signal").annotate(newest=Max("pk")).values("newest")
    return QualityFlag.objects.filter(pk__in=newest, event=Event.CROSSED)
