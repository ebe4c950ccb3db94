"""Clips in the form of a campaign, and clips of its own: which go with it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum

from campaigns.models import Campaign, TrapClip, TrapRecording
from corpus.clips.unused import hashes_in_datasets, in_steps
from corpus.models import Clip, Dataset, DeliveredClip


def own_hashes(campaigns: QuerySet[Any]) -> list[str]:
    """Of the clips of their spoken traps."""
    traps = TrapClip.objects.filter(campaign_unit__campaign__in=campaigns).values("clip")
    recordings = TrapRecording.objects.filter(campaign__in=campaigns).values("clip")
    rows = Clip.objects.filter(Q(pk__in=traps) | Q(pk__in=recordings))
    return list(rows.values_list("sha256", flat=True))


def delivered(campaigns: QuerySet[Any]) -> list[list[str]]:
    """Form and hash of each clip that is kept as these campaigns deliver it."""
    found = []
    for campaign in campaigns.exclude(delivery_rate=None):
        heard = _heard(Campaign._base_manager.filter(pk=campaign.pk))
        rows = DeliveredClip.objects.filter(form=campaign.delivery_form, clip__sha256__in=heard)
        found += [[campaign.delivery_form, sha256] for sha256 in rows.values_list("clip__sha256", flat=True)]
    return found


def delivered_size(campaigns: QuerySet[Any]) -> tuple[int, int]:
    """How many delivered clips, and bytes, would go: those that no other campaign delivers."""
    leaving, n, size = list(campaigns.values_list("pk", flat=True)), 0, 0
    for form, hashes in _by_form(delivered(campaigns)).items():
        for some in in_steps(hashes - _heard_in(form, beside=leaving)):
            rows = DeliveredClip.objects.filter(form=form, clip__sha256__in=some)
            found = rows.aggregate(n=Count("pk"), size=Sum("bytes"))
            n, size = n + found["n"], size + (found["size"] or 0)
    return n, size


def drop_unheard(named: Iterable[list[str]]) -> None:
    """Remove those that no campaign delivers any more."""
    for form, hashes in _by_form(named).items():
        folder = Path(settings.MEDIA_ROOT) / "delivered" / form.replace(" ", "_")
        for some in in_steps(hashes - _heard_in(form)):
            DeliveredClip.objects.filter(form=form, clip__sha256__in=some).delete()
            for sha256 in some:
                (folder / sha256[:2] / f"{sha256}.wav").unlink(missing_ok=True)


def _by_form(named: Iterable[list[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for form, sha256 in named:
        found.setdefault(form, set()).add(sha256)
    return found


def _heard_in(form: str, *, beside: Iterable[int] = ()) -> set[str]:
    """What other campaigns deliver in this form; those that are being deleted are no more."""
    others = Campaign.objects.exclude(pk__in=list(beside)).exclude(delivery_rate=None)
    alike = [campaign.pk for campaign in others if campaign.delivery_form == form]
    return _heard(Campaign.objects.filter(pk__in=alike))


def _heard(campaigns: QuerySet[Campaign]) -> set[str]:
    datasets = Dataset._base_manager.filter(pk__in=campaigns.values("dataset"))
    return {*hashes_in_datasets(datasets), *own_hashes(campaigns)}
