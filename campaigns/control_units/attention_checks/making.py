"""Making a campaign's spoken traps, in the background, while it is a draft."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns import reasons
from campaigns.access import require_draft
from campaigns.audio.delivery import HIGHEST_RATE, prepare_audio_of
from campaigns.control_units.attention_checks.speaking import Speaker
from campaigns.control_units.attention_checks.speaking_over import (
    PAUSE_S,
    SHORTEST_LEAD_S,
    DoesNotFit,
    as_wav,
    latest_lead,
    with_sentence,
)
from campaigns.models import Campaign, CampaignUnit, SpokenTraps, TrapClip
from corpus.audio.delivery import DeliveryForm, Undeliverable, deliver
from corpus.audio.reading import Sound, UnreadableAudio, read_sound
from corpus.clips.storage import drop_unused_clips, examine_clip, keep_clip
from corpus.datasets.units import slots_of
from corpus.imports.files.audio_files import sha256_of
from corpus.models import Clip, ResponseTurn, Unit
from infrastructure.background.jobs import JobFailed, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import ReasonCode, reason_of
from protocols import for_item
from protocols.presentation.spoken import Instruction, NothingToSay, instructions

CREATING = ReasonCode("creating_traps", "Creating spoken traps")
NO_TRAP = ReasonCode("no_trap", "No unit could become a spoken trap; the reasons are below.")

KIND = "make-traps"
MOST = 100
Purpose = CampaignUnit.Purpose


@dataclass(frozen=True)
class SpokenClip:
    """A clip of a trap, still in memory."""

    slot: str
    turn: int
    sound: Sound
    sentence: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Trap:
    """A unit that can become a trap, and what passes."""

    unit: Unit
    clips: tuple[SpokenClip, ...]
    expected: dict[str, list[str]]


@transaction.atomic
def start_traps(campaign: Campaign, *, n: int, user: User, seed: int = 0) -> Job:
    """Have so many spoken traps made, in place of those there are. Only while the campaign is a draft.

    Raises ValueError where it has opened, or where the protocol leaves a voice nothing to say.
    """
    require_draft(campaign)
    if n and (reason := why_no_traps(campaign)):
        raise ValueError(reason)
    SpokenTraps.objects.update_or_create(
        campaign=campaign, defaults={"wanted": min(n, MOST), "seed": seed, "skipped": []}
    )
    return start_job(KIND, subject=campaign.pk, started_by=user)


def traps_job(campaign: Campaign) -> Job | None:
    return latest_job(KIND, campaign.pk)


def possible_instructions(campaign: Campaign) -> list[Instruction]:
    """Every instruction that fits some unit of the study: what would have to be recorded."""
    found: dict[str, Instruction] = {}
    facts = campaign.campaign_units.filter(purpose=Purpose.STUDY).values_list("unit__item__facts", flat=True)
    for known in {repr(sorted(one.items())): one for one in facts}.values():
        for instruction in instructions_for(campaign, known):
            found.setdefault(instruction.name, instruction)
    return list(found.values())


def why_no_traps(campaign: Campaign) -> str:
    """A sentence where the protocol cannot have spoken traps; empty where it can."""
    if possible_instructions(campaign):
        return ""
    return _(
        "This protocol cannot have spoken traps: it has no choice that is always asked and that a voice could name, "
        "whatever the order of the clips."
    )


def make_traps_of(subject: str, progress: ShowProgress) -> None:
    """Make the traps that were asked for. Fails where not one could be made."""
    order = SpokenTraps.objects.select_related("campaign").get(campaign_id=int(subject))
    if order.campaign.status != Campaign.Status.DRAFT:
        return
    made: list[Trap] = []
    skipped: list[dict[str, Any]] = []
    for unit, outcome in _attempts(order):
        if isinstance(outcome, Trap):
            made.append(outcome)
        else:
            skipped.append({"unit": unit.key, "reason": reason_of(outcome)})
        progress(len(made), order.wanted, CREATING())
        if len(made) == order.wanted:
            break
    _store(order, made, skipped)
    if made and order.campaign.delivery_rate:
        prepare_audio_of(subject, progress)
    if order.wanted and not made:
        raise JobFailed(NO_TRAP())


def _attempts(order: SpokenTraps) -> Iterator[tuple[Unit, Trap | ValueError]]:
    """Units of the study in an order drawn by the seed, instructions in turn: the same seed makes the same traps."""
    rng = random.Random(order.seed)  # noqa: S311 - a draw, not a secret
    speaker = Speaker(order.campaign, seed=order.seed)
    study = order.campaign.campaign_units.filter(purpose=Purpose.STUDY).select_related("unit__item")
    units = [row.unit for row in study.order_by("unit__key")]
    turn = 0
    for unit in rng.sample(units, len(units)) if order.wanted else ():
        sayable = [one for one in instructions_for(order.campaign, unit.item.facts) if speaker.can_say(one)]
        if not sayable:
            yield unit, DoesNotFit(reasons.NO_RECORDING_FITS())
            continue
        try:
            yield unit, _trap(order.campaign, unit, sayable[turn % len(sayable)], speaker=speaker, rng=rng)
            turn += 1
        except (DoesNotFit, Undeliverable, UnreadableAudio) as refusal:
            yield unit, refusal


def instructions_for(campaign: Campaign, facts: dict[str, object]) -> tuple[Instruction, ...]:
    """What a voice can ask for in a unit of an item of which these facts are known."""
    try:
        return instructions(for_item(campaign.protocol, facts))
    except NothingToSay:
        return ()


def _trap(campaign: Campaign, unit: Unit, instruction: Instruction, *, speaker: Speaker, rng: random.Random) -> Trap:
    """Raises DoesNotFit, Undeliverable, UnreadableAudio."""
    slots = slots_of(unit)
    one = rng.choice(sorted(slots))
    speaking = [one] if instruction.by_one else sorted(slots)
    sentence = speaker.say(instruction)
    clips = tuple(_spoken(campaign, slot, slots[slot], instruction, sentence, rng=rng) for slot in speaking)
    return Trap(unit, clips, instruction.expected(one))


def _spoken(
    campaign: Campaign, slot: str, response: int, instruction: Instruction, sentence: Sound, *, rng: random.Random
) -> SpokenClip:
    """The last turn of the response with the sentence in it. Raises DoesNotFit, Undeliverable, UnreadableAudio."""
    said = ResponseTurn.objects.filter(response=response, clip__isnull=False).select_related("clip").last()
    if said is None or said.clip is None:
        raise DoesNotFit(reasons.UNIT_WITHOUT_AUDIO())
    original = _read(said.clip)
    rule = campaign.protocol.listening
    within = rule.seconds if rule.rule == "seconds" else None
    lead = rng.uniform(SHORTEST_LEAD_S, latest_lead(original, sentence, within_s=within))
    sound = with_sentence(original, sentence, lead_s=lead)
    deliver(sound, DeliveryForm(rate=campaign.delivery_rate or HIGHEST_RATE, target_lufs=campaign.target_lufs))
    start = lead + PAUSE_S
    return SpokenClip(slot, said.position, sound, instruction.sentence, start, start + sentence.seconds)


def _read(clip: Clip) -> Sound:
    try:
        with clip.path.open("rb") as file:
            return read_sound(file, name="", max_seconds=settings.MAX_CLIP_SECONDS)
    except OSError as error:
        raise DoesNotFit(reasons.AUDIO_NOT_THERE()) from error


def _store(order: SpokenTraps, made: list[Trap], skipped: list[dict[str, Any]]) -> None:
    """Put these in place of those there were. Raises JobFailed where the campaign opened meanwhile."""
    campaign = order.campaign
    # Files are written before the transaction, which holds SQLite's one write lock.
    rows = [(trap, [_row(spoken) for spoken in trap.clips]) for trap in made]
    earlier = TrapClip.objects.filter(campaign_unit__campaign=campaign)
    gone = list(earlier.values_list("clip__sha256", flat=True))
    with transaction.atomic():
        try:
            require_draft(campaign)
        except ValueError as refusal:
            raise JobFailed(reason_of(refusal)) from refusal
        campaign.campaign_units.filter(purpose=Purpose.TRAP).delete()
        first = (campaign.campaign_units.aggregate(last=Max("position"))["last"] or 0) + 1
        for n, (trap, clips) in enumerate(rows, start=first):
            unit = campaign.campaign_units.create(
                unit=trap.unit, position=n, purpose=Purpose.TRAP, expected=trap.expected
            )
            for clip in clips:
                clip.campaign_unit = unit
            TrapClip.objects.bulk_create(clips)
        SpokenTraps.objects.filter(pk=order.pk).update(skipped=skipped)
    drop_unused_clips(gone)


def _row(spoken: SpokenClip) -> TrapClip:
    """The row of a clip that is kept as a file; its unit comes later."""
    file = as_wav(spoken.sound)
    clip = keep_clip(file, examine_clip(file, name="", sha256=sha256_of(file)))
    return TrapClip(
        slot=spoken.slot,
        turn=spoken.turn,
        clip=clip,
        sentence=spoken.sentence,
        start_s=round(spoken.start_s, 3),
        end_s=round(spoken.end_s, 3),
    )
