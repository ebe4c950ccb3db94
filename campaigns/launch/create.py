"""A draft all at once, for programs: the steps of a launch one after the other, all of them or none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.launch.edit import set_answers, set_protocol, set_systems, set_units
from campaigns.launch.lifecycle import create_campaign, prepare_audio
from campaigns.launch.sample_units import UnitsChoice, units_chosen
from campaigns.models import Campaign
from corpus.models import Dataset, Response, System
from protocols import Protocol


@dataclass(frozen=True)
class Draft:
    """What the steps of a launch ask. `repeat_share` is in percent of the units."""

    title: str
    dataset: Dataset
    systems: tuple[System, ...]
    protocol: Protocol
    how: str
    per_pair: int | None = None
    repeat_share: int = 0
    target_lufs: float | None = -23.0
    show_waveform: bool = True
    answers_per_unit: int = 1
    closes_at: datetime | None = None
    closes_when_complete: bool = False
    stops_when: Mapping[str, Any] = field(default_factory=dict)
    pairs: tuple[tuple[Response, Response], ...] = ()


@transaction.atomic
def draft_campaign(draft: Draft, *, user: User) -> Campaign:
    """The campaign with its units; its audio is being prepared. Raises ValueError where there is no such unit."""
    campaign = create_campaign(draft.dataset, title=draft.title, protocol=draft.protocol, units=[], user=user)
    set_systems(campaign, title=draft.title, dataset=draft.dataset, systems=draft.systems)
    set_protocol(campaign, protocol=draft.protocol, target_lufs=draft.target_lufs, show_waveform=draft.show_waveform)
    _choose_units(campaign, draft)
    _set_end(campaign, draft)
    prepare_audio(campaign, user=user)
    return campaign


@transaction.atomic
def change_draft(campaign: Campaign, draft: Draft, *, user: User, choose_units: bool, may_drop: bool) -> Campaign:
    """Make the campaign like `draft`; its audio is prepared again where that changed.

    Its units are chosen again with `choose_units`, and where they were of other systems or of another kind.
    Raises NotADraft, ValueError; DropsUnits where units made by hand would go and not `may_drop`.
    """
    target_before = campaign.target_lufs
    new = set_systems(campaign, title=draft.title, dataset=draft.dataset, systems=draft.systems, may_drop=may_drop)
    new |= set_protocol(
        campaign,
        protocol=draft.protocol,
        target_lufs=draft.target_lufs,
        show_waveform=draft.show_waveform,
        may_drop=may_drop,
    )
    if new or choose_units:
        _choose_units(campaign, draft)
    _set_end(campaign, draft)
    if new or choose_units or target_before != draft.target_lufs:
        prepare_audio(campaign, user=user)
    return campaign


def _choose_units(campaign: Campaign, draft: Draft) -> None:
    systems = tuple(system.pk for system in draft.systems)
    choice = UnitsChoice(draft.protocol.unit, draft.how, draft.per_pair, systems, draft.pairs)
    units = units_chosen(draft.dataset, choice)
    if not units:
        raise ValueError(_("These systems have no such unit. Choose another way, or other systems."))
    kept = {"how": draft.how, "per_pair": draft.per_pair}
    set_units(campaign, units=units, choice=kept, repeats=round(len(units) * draft.repeat_share / 100))


def _set_end(campaign: Campaign, draft: Draft) -> None:
    set_answers(
        campaign,
        answers_per_unit=draft.answers_per_unit,
        closes_at=draft.closes_at,
        closes_when_complete=draft.closes_when_complete,
        stops_when=draft.stops_when,
    )
