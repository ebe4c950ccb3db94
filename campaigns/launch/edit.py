"""Changes of a campaign before it opens, step by step. There are no answers yet."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from campaigns import reasons
from campaigns.control_units.attention_checks.keeping import KeptTraps, drop_traps_that_do_not_fit
from campaigns.control_units.checks import set_identical_pairs, set_repeats
from campaigns.models import BEFORE_FIRST_UNIT, LABEL, Campaign, CampaignUnit
from corpus.models import Dataset, System, Unit
from infrastructure.slugs import unique_slug
from infrastructure.wording.reasons import Reasoned
from protocols import Protocol, digest, to_document

Purpose = CampaignUnit.Purpose
#: What of a protocol's document gold answers depend on.
ASKED = ("aspects", "unit", "item_criteria", "criteria_only_if")


#: Units that a researcher chose, answered or made; all others are drawn again.
BY_HAND = (Purpose.GOLD, Purpose.TRAP, *BEFORE_FIRST_UNIT)


class NotADraft(Reasoned, ValueError):
    """The campaign has opened, so this is fixed."""


class DropsUnits(Exception):
    """The change would drop `n` units that were made by hand; nothing was changed."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.n = n


@transaction.atomic
def set_systems(
    campaign: Campaign, *, title: str, dataset: Dataset, systems: Iterable[System], may_drop: bool = True
) -> bool:
    """Choose over what a draft is; return whether its units have to be chosen again.

    Raises NotADraft; DropsUnits where units made by hand would go and not `may_drop`.

    A new title brings a new address: the old one may name what the title must not.
    """
    draft = _locked_draft(campaign)
    n_by_hand = _n_by_hand(draft)
    chosen = set(systems)
    before = set(draft.systems.all()) or set(draft.dataset.systems.all())
    changed = draft.dataset_id != dataset.pk or before != chosen
    if draft.title != title:
        draft.title, draft.slug = title, unique_slug(Campaign, title)
    draft.dataset = dataset
    draft.save(update_fields=["title", "slug", "dataset"])
    draft.systems.set(chosen)
    if changed:
        forget_units(draft)
    _require_kept(draft, n_by_hand, may_drop=may_drop)
    campaign.refresh_from_db()
    return changed


@transaction.atomic
def set_protocol(
    campaign: Campaign,
    *,
    protocol: Protocol,
    target_lufs: float | None,
    show_waveform: bool,
    may_drop: bool = True,
) -> bool:
    """Choose what is asked and how clips are heard; return whether units have to be chosen again.

    Checks with answers to other questions than those asked now are forgotten. Raises NotADraft; DropsUnits where
    units made by hand would go and not `may_drop`.
    """
    draft = _locked_draft(campaign)
    n_by_hand = _n_by_hand(draft)
    before, document = draft.protocol_document, to_document(protocol)
    if target_lufs != draft.target_lufs:
        draft.audio_problems = []
    draft.protocol_document, draft.protocol_digest = document, digest(document)
    draft.target_lufs, draft.show_waveform = target_lufs, show_waveform
    draft.save(
        update_fields=["protocol_document", "protocol_digest", "target_lufs", "show_waveform", "audio_problems"]
    )
    if any(before.get(part) != document.get(part) for part in ASKED):
        draft.campaign_units.filter(purpose__in=[Purpose.GOLD, Purpose.IDENTICAL]).delete()
        draft.__dict__.pop("protocol", None)
        drop_traps_that_do_not_fit(draft, units=draft.campaign_units.values_list("unit", flat=True))
    changed = bool(before["unit"] != protocol.unit)
    if changed:
        forget_units(draft)
        draft.label_page, draft.answers_are_final = LABEL, False  # a page of its own is about units of one kind
        draft.save(update_fields=["label_page", "answers_are_final"])
    _require_kept(draft, n_by_hand, may_drop=may_drop)
    pass_step(draft, "launch-protocol")
    campaign.refresh_from_db()
    campaign.__dict__.pop("protocol", None)
    return changed


@transaction.atomic
def require_written_answers(campaign: Campaign, *, required: bool) -> None:
    """Say whether the questions that are answered in words may be left out. Raises NotADraft."""
    draft = _locked_draft(campaign)
    before = draft.protocol
    aspects = (replace(it, required=required) if it.scale.kind.is_written else it for it in before.aspects)
    document = to_document(replace(before, aspects=tuple(aspects)))
    draft.protocol_document, draft.protocol_digest = document, digest(document)
    draft.save(update_fields=["protocol_document", "protocol_digest"])
    campaign.refresh_from_db()
    campaign.__dict__.pop("protocol", None)


@transaction.atomic
def set_units(campaign: Campaign, *, units: list[Unit], choice: dict[str, Any], repeats: int) -> KeptTraps:
    """Put these units into a draft instead of those there were, in a random order. Raises NotADraft, ValueError.

    Gold units and those before the first unit stay, and so do spoken traps made of one of these units; identical
    pairs and repeats are drawn again, as many as there were and as are asked for.
    """
    draft = _locked_draft(campaign)
    if any(unit.kind != draft.protocol.unit for unit in units):
        raise ValueError(f"the protocol {draft.protocol.name} is about another kind of unit")
    n_identical = draft.campaign_units.filter(purpose=Purpose.IDENTICAL).count()
    traps = drop_traps_that_do_not_fit(draft, units=(unit.pk for unit in units))
    draft.campaign_units.exclude(purpose__in=BY_HAND).delete()
    _move_behind(draft, len(units))
    add_units(draft, units)
    set_identical_pairs(draft, n_identical)
    set_repeats(draft, repeats)
    draft.units_choice = choice
    draft.save(update_fields=["units_choice"])
    campaign.refresh_from_db()
    return traps


def _move_behind(draft: Campaign, n: int) -> None:
    """Give the units there are positions from `n` on, in their order."""
    rows = list(draft.campaign_units.order_by("position"))
    free = max((row.position for row in rows), default=0) + n + 1
    for first in (free, n):  # two steps, since no two may have one position at any moment
        for place, row in enumerate(rows, start=first):
            row.position = place
        CampaignUnit.objects.bulk_update(rows, ["position"], 500)


@transaction.atomic
def set_answers(
    campaign: Campaign,
    *,
    answers_per_unit: int,
    closes_at: datetime | None,
    closes_when_complete: bool,
    stops_when: Mapping[str, Any] | None = None,
) -> None:
    """Choose how many people answer each unit, and when the campaign ends by itself. Raises NotADraft.

    `stops_when` is the rule of stopping, {} for none; without it the rule stays as it is.
    """
    draft = _locked_draft(campaign)
    draft.answers_per_unit, draft.closes_at = answers_per_unit, closes_at
    draft.closes_when_complete = closes_when_complete
    if stops_when is not None:
        draft.stops_when = dict(stops_when)
    draft.save(update_fields=["answers_per_unit", "closes_at", "closes_when_complete", "stops_when"])
    pass_step(draft, "launch-answers")
    campaign.refresh_from_db()


def add_units(campaign: Campaign, units: list[Unit]) -> None:
    """The units of the study, in a random order that is drawn once."""
    shuffled = random.sample(units, len(units))
    campaign.dataset_version = campaign.dataset.versions.count()
    campaign.save(update_fields=["dataset_version"])
    CampaignUnit.objects.bulk_create(
        [CampaignUnit(campaign=campaign, unit=unit, position=n) for n, unit in enumerate(shuffled)], 500
    )


def forget_units(draft: Campaign) -> None:
    """Take every unit out, gold and other checks included: they are units, too."""
    draft.campaign_units.all().delete()
    draft.units_choice = {}
    draft.save(update_fields=["units_choice"])


def pass_step(draft: Campaign, step: str) -> None:
    """Record that this step of the launch was completed."""
    if step not in draft.launch_steps:
        draft.launch_steps = [*draft.launch_steps, step]
        draft.save(update_fields=["launch_steps"])


def _n_by_hand(draft: Campaign) -> int:
    return draft.campaign_units.filter(purpose__in=BY_HAND).count()


def _require_kept(draft: Campaign, n_before: int, *, may_drop: bool) -> None:
    """Raises DropsUnits, which takes the whole change back."""
    if not may_drop and n_before and (n := n_before - _n_by_hand(draft)):
        raise DropsUnits(n)


def _locked_draft(campaign: Campaign) -> Campaign:
    """Raises NotADraft."""
    draft = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if draft.status != Campaign.Status.DRAFT:
        raise NotADraft(reasons.FIXED_ONCE_OPEN())
    return draft
