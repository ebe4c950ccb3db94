"""Exports that were made, in few words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from analytics.data.votes.covariates import context_of
from analytics.data.votes.table import ballot
from analytics.exports.making import begin_exports, make_export, write_export
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from analytics.models import Export
from arena.standings.choices import Settings
from arena.standings.tables import board_table
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


def board_at_one_look(campaign: Campaign, settings: Settings) -> dict[str, Any]:
    """The board as that of labels from elsewhere: some forms do not say that votes were read while they came."""
    votes = ballot(campaign, settings.selection)
    context = context_of(campaign, votes) if settings.method == "contextual" else None
    return board_table(replace(votes, grows=False), settings, context)
