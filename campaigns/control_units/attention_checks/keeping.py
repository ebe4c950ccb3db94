"""Which spoken traps still fit after the units of a draft, or its questions, have changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from campaigns.control_units.attention_checks.making import instructions_for
from campaigns.models import Campaign, CampaignUnit, TrapClip
from corpus.clips.storage import drop_unused_clips
from corpus.datasets.units import slots_of

Purpose = CampaignUnit.Purpose


@dataclass(frozen=True)
class KeptTraps:
    """How many spoken traps there still are, and how many were dropped."""

    kept: int = 0
    dropped: int = 0


def drop_traps_that_do_not_fit(campaign: Campaign, *, units: Iterable[int]) -> KeptTraps:
    """Keep the traps made of one of these units that ask for an answer which can be given there; drop the others.

    Call it within a transaction; files that no other clip shares are removed once it is committed.
    """
    among = set(units)
    traps = campaign.campaign_units.filter(purpose=Purpose.TRAP).select_related("unit__item")
    dropped = [
        it.pk for it in traps.prefetch_related("trap_clips") if it.unit_id not in among or not _fits(campaign, it)
    ]
    gone = list(TrapClip.objects.filter(campaign_unit__in=dropped).values_list("clip__sha256", flat=True))
    traps.filter(pk__in=dropped).delete()
    transaction.on_commit(lambda: drop_unused_clips(gone))
    return KeptTraps(traps.count(), len(dropped))


def _fits(campaign: Campaign, trap: CampaignUnit) -> bool:
    """Whether what its voice says is still an answer of the protocol, with the same questions behind it."""
    sentences = {clip.sentence for clip in trap.trap_clips.all()}
    return any(
        instruction.sentence in sentences and instruction.expected(slot) == trap.expected
        for instruction in instructions_for(campaign, trap.unit.item.facts)
        for slot in slots_of(trap.unit)
    )
