"""Units of a campaign that runs, for items and systems that came into its dataset since its units were chosen.

Nothing of the campaign changes by an import. A manager adds the new units, and they are handed out only once all of
their audio is prepared; if some of it cannot be, none is added.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from campaigns import reasons
from campaigns.audio.delivery import deliver_clips
from campaigns.audit_log import record_in
from campaigns.launch.lifecycle import WrongStatus
from campaigns.launch.sample_units import How
from campaigns.models import Campaign, CampaignUnit
from corpus.datasets.units import (
    as_units,
    imported_pairs,
    paired_responses,
    responses_of,
    shared_items,
    single_responses,
    whole_items,
)
from corpus.models import Clip, Item, Response, ResponseTurn, System, Turn, Unit
from infrastructure.background.jobs import InputRefused, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.live.announcements import announce, campaign_topic
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason
from protocols import for_item

KIND = "add-units"
UNITS_ADDED = AuditEvent("units_added", gettext_lazy("%(units)s units were added while it ran."))
RUNNING = (Campaign.Status.OPEN, Campaign.Status.PAUSED)
Purpose = CampaignUnit.Purpose
#: The responses that one unit puts before a rater.
Together = tuple[Response, ...]


@dataclass(frozen=True)
class News:
    """What came into the dataset since the campaign's units were chosen. `systems` are those that are new."""

    items: int
    systems: list[System]
    responses: int


def news_for(campaign: Campaign) -> News | None:
    """None where nothing came, or the campaign does not run."""
    if campaign.status not in RUNNING:
        return None
    since = campaign.dataset.versions.filter(number__gt=campaign.dataset_version).values_list("added", flat=True)
    added: Counter[str] = sum((Counter(it) for it in since), Counter())
    if not (added["items"] or added["systems"] or added["responses"]):
        return None
    newest = campaign.dataset.systems.order_by("-pk")[: added["systems"]]
    return News(added["items"], sorted(newest, key=str), added["responses"])


def why_not(campaign: Campaign) -> Reason | None:
    """Why no units can be added to this campaign at all."""
    if campaign.status not in RUNNING:
        return reasons.NOT_RUNNING()
    if campaign.is_open_ended:
        return reasons.ARENA_DRAWS()
    if campaign.protocol.item_criteria:
        return reasons.CRITERIA_FROZEN()
    how = campaign.units_choice.get("how")
    if how == How.FILE:
        return reasons.UNITS_FROM_FILE()
    return None if how else reasons.UNITS_CHOICE_UNKNOWN()


def makes_units(campaign: Campaign) -> bool:
    """Whether what came into the dataset makes a unit, with all new systems; where it cannot be told, it may."""
    return why_not(campaign) is not None or bool(later_responses(campaign, _new_systems(campaign)))


def takes_systems(campaign: Campaign) -> bool:
    """Whether new systems can join: not where a unit is a whole item, whose responses were compared already."""
    return campaign.protocol.unit != "item"


def later_responses(campaign: Campaign, systems: Collection[System]) -> list[Together]:
    """What the units that can be added consist of, with these systems beside those that take part. Writes nothing."""
    taking_part = {system.pk for system in campaign.systems.all() or campaign.dataset.systems.all()}
    new = {system.pk for system in systems} if takes_systems(campaign) else set()
    if not campaign.systems.exists():
        taking_part -= {it.pk for it in _new_systems(campaign)} - new
    together = _chosen_again(campaign, taking_part | new)
    there = _there(campaign)
    found = [it for it in together if frozenset(row.pk for row in it) not in there]
    if campaign.units_choice["how"] == How.SUBSET:
        found = [it for it in found if any(row.system_id in new for row in it)]
    if campaign.protocol.unit == "item":
        items = set(_study(campaign).values_list("unit__item", flat=True))
        found = [it for it in found if it[0].item_id not in items]
    return found


def units_by_system(campaign: Campaign, later: Iterable[Together]) -> dict[str, tuple[int, int]]:
    """In how many units each system is now, and in how many it would be."""
    names = dict(campaign.dataset.systems.values_list("pk", "name"))
    systems = dict(Response.objects.filter(item__dataset=campaign.dataset).values_list("pk", "system"))
    now = Counter(names[systems[pk]] for unit in _there(campaign) for pk in unit)
    more = Counter(names[row.system_id] for unit in later for row in unit)
    return {name: (now[name], now[name] + more[name]) for name in sorted(now | more)}


def start_adding(campaign: Campaign, *, systems: Collection[System], user: User) -> Job:
    """Queue the preparation of the new units' audio, after which they are added. Raises WrongStatus."""
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if reason := why_not(row):
            raise WrongStatus(reason)
        if not later_responses(row, systems):
            raise WrongStatus(reasons.NO_LATER_UNITS())
        row.adding_systems = sorted(system.pk for system in systems)
        row.save(update_fields=["adding_systems"])
        return start_job(KIND, subject=row.pk, started_by=user)


def adding(campaign: Campaign) -> Job | None:
    """The newest job that adds units to it."""
    return latest_job(KIND, campaign.pk)


def decline(campaign: Campaign) -> None:
    """Offer again only what comes after today."""
    Campaign.objects.filter(pk=campaign.pk).update(dataset_version=campaign.dataset.versions.count())


def add_later_units(subject: str, progress: ShowProgress) -> None:
    """Prepare the audio of the new units, and add them. Raises InputRefused; then nothing was added."""
    campaign = Campaign.objects.get(pk=subject)
    version = campaign.dataset.versions.count()
    if reason := why_not(campaign):
        raise InputRefused(reason)
    systems = list(campaign.dataset.systems.filter(pk__in=campaign.adding_systems))
    later = later_responses(campaign, systems)
    _require_askable(campaign, later)
    _prepare(campaign, later, progress)
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if row.status not in RUNNING:
            raise InputRefused(reasons.NOT_RUNNING())
        n = _add(row, later)
        if row.systems.exists() and takes_systems(row):
            row.systems.add(*systems)
        row.dataset_version, row.adding_systems = version, []
        row.save(update_fields=["dataset_version", "adding_systems"])
        job = adding(row)
        record_in(row, UNITS_ADDED, by=job.started_by if job else None, units=n)
        announce(campaign_topic(row.slug))


def clips_to_prepare(campaign: Campaign, later: Iterable[Together]) -> list[Clip]:
    """What the new units are heard with and is not yet in the campaign's form."""
    responses, items = {row.pk for it in later for row in it}, {row.item_id for it in later for row in it}
    said = ResponseTurn.objects.filter(response__item__dataset=campaign.dataset, clip__isnull=False)
    asked = Turn.objects.filter(item__dataset=campaign.dataset, clip__isnull=False)
    wanted = {clip for response, clip in said.values_list("response", "clip") if response in responses}
    wanted |= {clip for item, clip in asked.values_list("item", "clip") if item in items}
    ready = set(Clip.objects.filter(deliveries__form=campaign.delivery_form).values_list("pk", flat=True))
    return list(Clip.objects.in_bulk(sorted(wanted - ready)).values())


def _study(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose=Purpose.STUDY)


def _new_systems(campaign: Campaign) -> list[System]:
    news = news_for(campaign)
    return news.systems if news else []


def _there(campaign: Campaign) -> set[frozenset[int]]:
    """The responses of each unit of the study."""
    units = _study(campaign)
    found = {frozenset(pk for pk in it if pk) for it in units.values_list("unit__a", "unit__b")}
    members: dict[int, set[int]] = {}
    for unit, response in units.exclude(unit__members=None).values_list("unit", "unit__members__response"):
        members.setdefault(unit, set()).add(response)
    return (found | {frozenset(it) for it in members.values()}) - {frozenset()}


def _chosen_again(campaign: Campaign, systems: Collection[int]) -> list[Together]:
    dataset, choice = campaign.dataset, campaign.units_choice
    if campaign.protocol.unit == "single":
        return [(row,) for row in responses_of(dataset, systems=systems)]
    if campaign.protocol.unit == "item":
        return [tuple(rows) for rows in shared_items(dataset, systems=systems).values()]
    if choice["how"] == How.IMPORTED:
        rows = {row.pk: row for row in responses_of(dataset, systems=systems)}
        return [(rows[it.a_id], rows[it.b_id]) for it in imported_pairs(dataset, systems=systems)]  # type: ignore[index]
    per_pair = choice.get("per_pair") if choice["how"] == How.SUBSET else None
    return [tuple(it) for it in paired_responses(dataset, per_pair=per_pair, systems=systems)]


def _require_askable(campaign: Campaign, later: list[Together]) -> None:
    """Raises InputRefused where a unit lacks audio, or the protocol cannot be asked about an item."""
    if not later:
        raise InputRefused(reasons.NO_LATER_UNITS())
    silent = ResponseTurn.objects.filter(response__item__dataset=campaign.dataset, clip=None)
    mute = set(silent.values_list("response", flat=True))
    mute |= set(responses_of(campaign.dataset).filter(turns=None).values_list("pk", flat=True))
    lacking = [it for it in later if any(row.pk in mute for row in it)]
    if lacking:
        raise InputRefused(reasons.NEW_UNIT_WITHOUT_AUDIO(n=len(lacking), item=lacking[0][0].item.key))
    for item in Item.objects.in_bulk({it[0].item_id for it in later}).values():
        try:
            for_item(campaign.protocol, dict(item.facts))
        except ValueError as error:
            raise InputRefused(reasons.NEW_ITEM_NOT_ASKED(item=item.key, why=str(error))) from error


def _prepare(campaign: Campaign, later: list[Together], progress: ShowProgress) -> None:
    missing = clips_to_prepare(campaign, later)
    problems = deliver_clips(campaign, missing, progress, total=len(missing))
    if problems:
        first = problems[0]
        why = reasons.NEW_CLIPS_NOT_DELIVERED(n=len(problems), first=first["where"], why=first["message"])
        raise InputRefused(why)


def _add(campaign: Campaign, later: list[Together]) -> int:
    """After the units that are there, in a random order that is drawn once; return how many."""
    units = _as_units(campaign, later)
    there = set(_study(campaign).values_list("unit", flat=True))
    new = [unit for unit in units if unit.pk not in there]
    last = campaign.campaign_units.aggregate(last=Max("position"))["last"]
    rows = [
        CampaignUnit(campaign=campaign, unit=unit, position=position)
        for position, unit in enumerate(random.sample(new, len(new)), start=0 if last is None else last + 1)
    ]
    CampaignUnit.objects.bulk_create(rows, 500)
    return len(rows)


def _as_units(campaign: Campaign, later: list[Together]) -> list[Unit]:
    dataset, wanted = campaign.dataset, {frozenset(row.pk for row in it) for it in later}
    systems = {row.system_id for it in later for row in it}
    if campaign.protocol.unit == "single":
        return [unit for unit in single_responses(dataset, systems=systems) if frozenset([unit.a_id]) in wanted]
    if campaign.protocol.unit == "item":
        items = {it[0].item_id for it in later}
        return [unit for unit in whole_items(dataset, systems=systems) if unit.item_id in items]
    if campaign.units_choice["how"] == How.IMPORTED:
        return [it for it in imported_pairs(dataset) if frozenset([it.a_id, it.b_id]) in wanted]
    return as_units(dataset, [(a, b) for a, b in later])
