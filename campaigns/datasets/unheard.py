"""Clips in the form of a campaign, and clips of its own: which go with it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from campaigns.models import Campaign, TrapClip, TrapRecording
from corpus.clips.unused import clips_in_datasets, in_steps
from corpus.models import Clip, Dataset, DeliveredClip


def own_hashes(campaigns: QuerySet[Any]) -> list[str]:
    """Of the clips of their spoken traps."""
    return list(_own_clips(campaigns).values_list("sha256", flat=True))


def delivered(campaigns: QuerySet[Any]) -> list[list[str]]:
    """Form and hash of each clip that is kept as these campaigns deliver it."""
    found = []
    for campaign in campaigns.exclude(delivery_rate=None):
        rows = _delivered_in([campaign.pk], campaign.delivery_form)
        found += [[campaign.delivery_form, sha256] for sha256 in rows.values_list("clip__sha256", flat=True)]
    return found


def leaving_delivered(campaigns: QuerySet[Any]) -> list[tuple[QuerySet[Any], str]]:
    """The delivered clips that would go: those that no other campaign delivers."""
    leaving: dict[str, list[int]] = {}
    for campaign in campaigns.exclude(delivery_rate=None):
        leaving.setdefault(campaign.delivery_form, []).append(campaign.pk)
    there, found = list(campaigns.values_list("pk", flat=True)), []
    for form, pks in leaving.items():
        rows = _delivered_in(pks, form)
        if others := _others_alike(form, beside=there):
            rows = rows.exclude(clip__in=_clips_heard(others))
        found.append((rows, "bytes"))
    return found


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


def _delivered_in(campaigns: list[int], form: str) -> QuerySet[DeliveredClip]:
    return DeliveredClip.objects.filter(form=form, clip__in=_clips_heard(campaigns))


def _heard_in(form: str) -> set[str]:
    """The clips that campaigns deliver in this form."""
    return set(_clips_heard(_others_alike(form)).values_list("sha256", flat=True))


def _others_alike(form: str, *, beside: Iterable[int] = ()) -> list[int]:
    """Other campaigns that deliver in this form; those that are being deleted are no more."""
    others = Campaign.objects.exclude(pk__in=list(beside)).exclude(delivery_rate=None)
    return [campaign.pk for campaign in others if campaign.delivery_form == form]


def _clips_heard(campaigns: list[int]) -> QuerySet[Clip]:
    """Of their datasets, and what their traps say."""
    rows = Campaign._base_manager.filter(pk__in=campaigns)
    datasets = Dataset._base_manager.filter(pk__in=rows.values("dataset"))
    return clips_in_datasets(datasets) | _own_clips(rows)


def _own_clips(campaigns: QuerySet[Any]) -> QuerySet[Clip]:
    traps = TrapClip.objects.filter(campaign_unit__campaign__in=campaigns).values("clip")
    recordings = TrapRecording.objects.filter(campaign__in=campaigns).values("clip")
    return Clip.objects.filter(Q(pk__in=traps) | Q(pk__in=recordings))
