"""Exports that were made, in few words."""

from pathlib import Path

from analytics.exports.making import begin_exports, make_export, write_export
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from analytics.models import Export
from campaigns.models import Campaign


def quiet(done: int, total: int, note: str) -> None:
    pass


def made_export(campaign: Campaign, name: str = "csv", **wanted: object) -> Export:
    [row] = begin_exports(campaign, [name], wanted=Wanted(**wanted), user=campaign.created_by)
    make_export(str(row.pk), quiet)
    return Export.objects.get(pk=row.pk)


def written(campaign: Campaign, name: str, folder: Path, **wanted: object) -> Path:
    path = folder / f"export.{name}"
    write_export(Source(campaign, Wanted(**wanted), quiet), name, path)
    return path
