"""Making every clip of a campaign sound from the same container, at the same rate and loudness."""

import math
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import F, Max, Q, QuerySet

from campaigns.models import Campaign, TrapClip
from corpus.audio.delivery import CEILING_DBTP, QUIETEST_TARGET, TARGET_STEP, Delivered, DeliveryForm, Undeliverable
from corpus.audio.reading import UnreadableAudio
from corpus.audio.reasons import ORIGINAL_GONE
from corpus.clips.storage import keep_delivery, make_delivery
from corpus.models import Clip, DeliveredClip, Item, Response, ResponseTurn, Turn, UnitMember
from infrastructure.background.jobs import InputRefused, JobFailed
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason, ReasonCode, reason_of

PREPARING = ReasonCode("preparing_audio", "Preparing audio")
TARGET_CHANGED = ReasonCode("target_changed", "The loudness target was changed meanwhile; prepare the audio again.")
NOT_DELIVERED = ReasonCode("clips_not_delivered", "Some clips cannot be delivered; the campaign’s page names them.")

HIGHEST_RATE = 48_000
#: The level of our own sounds in campaigns whose clips keep their own levels.
USUAL_LUFS = -23.0
AT_ONCE, AHEAD = 2, 2


def clips_of(campaign: Campaign) -> QuerySet[Clip]:
    """Every clip a rater of this campaign hears: prompts and both sides of every unit, and what traps say."""
    units = campaign.campaign_units.all()
    prompts = Turn.objects.filter(item__in=units.values("unit__item"), clip__isnull=False)
    answers = ResponseTurn.objects.filter(response__in=_responses_of(campaign), clip__isnull=False)
    spoken = TrapClip.objects.filter(campaign_unit__in=units)
    of_any = (Q(pk__in=rows.values("clip")) for rows in (prompts, answers, spoken))
    return Clip.objects.filter(reduce(or_, of_any)).order_by("pk")


def _responses_of(campaign: Campaign) -> QuerySet[Response]:
    units = campaign.campaign_units.values("unit")
    members = UnitMember.objects.filter(unit__in=units)
    pairs = campaign.campaign_units.all()
    return Response.objects.filter(
        Q(pk__in=pairs.values("unit__a")) | Q(pk__in=pairs.values("unit__b")) | Q(pk__in=members.values("response"))
    )


def undelivered_clips(campaign: Campaign) -> QuerySet[Clip]:
    return clips_of(campaign).exclude(deliveries__form=campaign.delivery_form)


def clips_that_cannot_match(campaign: Campaign) -> QuerySet[Clip]:
    """Of all that the systems taking part said, and of what they were asked, the clips that miss the loudness target.

    By what was measured at the import: their true peak would be above the ceiling.
    """
    if campaign.target_lufs is None:
        return Clip.objects.none()
    chosen = campaign.systems.all()
    systems = chosen if chosen.exists() else campaign.dataset.systems.all()
    said = ResponseTurn.objects.filter(response__system__in=systems)
    asked = Turn.objects.filter(item__responses__system__in=systems)
    too_loud = Q(true_peak_dbtp__gt=F("integrated_lufs") + CEILING_DBTP - campaign.target_lufs)
    of_any = Q(pk__in=said.values("clip")) | Q(pk__in=asked.values("clip"))
    return Clip.objects.filter(too_loud, of_any).order_by("pk")


def highest_target_of(clips: Iterable[Clip]) -> float:
    """The loudest target that all of these reach; of clips that have a loudness, one at least."""
    highest = [
        clip.integrated_lufs + CEILING_DBTP - clip.true_peak_dbtp
        for clip in clips
        if clip.integrated_lufs is not None and clip.true_peak_dbtp is not None
    ]
    return math.floor(min(highest) / TARGET_STEP) * TARGET_STEP


def clips_at_other_levels(campaign: Campaign) -> list[DeliveredClip]:
    """What was prepared at another level than the campaign's rule has it, the most lowered first.

    Where loudness is matched, clips that have none: they are delivered as they are. Where it is not, clips that were
    turned down as far as full scale needs.
    """
    other = Q(gain_db__lt=0) if campaign.target_lufs is None else Q(integrated_lufs=None)
    found = DeliveredClip.objects.filter(other, form=campaign.delivery_form, clip__in=clips_of(campaign))
    return list(found.select_related("clip").order_by("gain_db", "clip"))


def units_without_audio(campaign: Campaign) -> list[str]:
    """The keys of units in which a response has a turn without audio, or no turn."""
    silent = Response.objects.filter(Q(turns__isnull=True) | Q(turns__clip__isnull=True))
    units = campaign.campaign_units.filter(
        Q(unit__a__in=silent)
        | Q(unit__b__in=silent)
        | Q(unit__in=UnitMember.objects.filter(response__in=silent).values("unit"))
    )
    return list(units.values_list("unit__key", flat=True))


def items_without_prompt(campaign: Campaign) -> list[str]:
    """The keys of items, in their order, with no prompt, or with a turn of it that has neither words nor audio."""
    asked_nothing = Q(turns__isnull=True) | Q(turns__clip__isnull=True, turns__text="")
    found = Item.objects.filter(asked_nothing, pk__in=campaign.campaign_units.values("unit__item"))
    return list(found.order_by("key").values_list("key", flat=True).distinct())


def prepare_audio_of(subject: str, progress: ShowProgress) -> None:
    """Deliver every clip; name each one that cannot be, and fail, so that nothing passes unnoticed.

    Raises InputRefused where clips cannot take the campaign's form, JobFailed where their originals cannot be read.
    """
    campaign = Campaign.objects.get(pk=subject)
    if campaign.status != Campaign.Status.DRAFT:
        return
    clips = clips_of(campaign)
    campaign.delivery_rate = min(clips.aggregate(rate=Max("rate"))["rate"] or HIGHEST_RATE, HIGHEST_RATE)
    campaign.save(update_fields=["delivery_rate"])
    problems = _deliver_all(campaign, progress)
    current = Campaign.objects.filter(pk=campaign.pk, target_lufs=campaign.target_lufs)
    if not current.update(audio_problems=problems):
        raise JobFailed(TARGET_CHANGED())
    if problems:
        raise failure_of(problems, NOT_DELIVERED())


def audio_problems_of(subject: str) -> list[dict[str, Any]]:
    """What kept each clip of the campaign with this id from being prepared."""
    campaign = Campaign.objects.filter(pk=subject).first()
    return [
        {"row": None, "field": problem["where"], "message": problem["message"], "severity": "error"}
        for problem in (campaign.audio_problems if campaign else [])
    ]


def failure_of(problems: list[dict[str, Any]], why: Reason) -> JobFailed:
    """A fault of the installation only where originals cannot be read; else a matter of the clips themselves."""
    return (JobFailed if any(problem["is_unreadable"] for problem in problems) else InputRefused)(why)


def highest_target_for_all(campaign: Campaign) -> float | None:
    """The loudest target at which every clip that failed would fit; None where none that one may choose helps."""
    highest = [problem["highest_target_lufs"] for problem in campaign.audio_problems]
    known = [float(target) for target in highest if target is not None]
    if not known or len(known) < len(highest) or min(known) < QUIETEST_TARGET:
        return None
    return min(known)


def _deliver_all(campaign: Campaign, progress: ShowProgress) -> list[dict[str, Any]]:
    """Make what is not there yet; return what could not be made, and why."""
    return deliver_clips(campaign, _undelivered(campaign), progress, total=clips_of(campaign).count())


def deliver_clips(
    campaign: Campaign, missing: list[Clip], progress: ShowProgress, *, total: int
) -> list[dict[str, Any]]:
    """Make these clips, the last of `total`, in the campaign's form; return what could not be made, and why."""
    form = DeliveryForm(rate=campaign.delivery_rate or HIGHEST_RATE, target_lufs=campaign.target_lufs)
    problems = []
    for done, (clip, outcome) in enumerate(_made(missing, form), start=total - len(missing) + 1):
        if isinstance(outcome, Delivered):
            keep_delivery(clip, outcome, form_name=campaign.delivery_form)
        else:
            problems.append(
                {
                    "where": where_heard(clip),
                    "message": reason_of(outcome),
                    "highest_target_lufs": getattr(outcome, "highest_target_lufs", None),
                    "is_unreadable": isinstance(outcome, UnreadableAudio),
                }
            )
        progress(done, total, PREPARING())
    return problems


def delivered_to_reviewers(campaign: Campaign, clip: int) -> DeliveredClip | None:
    """The clip (its id) as it was heard; made again where it was removed after the campaign was closed.

    None where it never had that form, or its original is gone.
    """
    row = DeliveredClip.objects.filter(clip=clip, form=campaign.delivery_form).select_related("clip").first()
    if row or campaign.status != Campaign.Status.CLOSED or campaign.delivery_rate is None:
        return row
    original = Clip.objects.get(pk=clip)
    made = _attempt(original, DeliveryForm(rate=campaign.delivery_rate, target_lufs=campaign.target_lufs))
    return keep_delivery(original, made, form_name=campaign.delivery_form) if isinstance(made, Delivered) else None


def _made(clips: list[Clip], form: DeliveryForm) -> Iterator[tuple[Clip, Delivered | ValueError]]:
    """Deliveries two at a time, at most two ahead of the one that is kept, so that memory stays small."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        making: deque[tuple[Clip, Future[Delivered | ValueError]]] = deque()
        for clip in clips:
            making.append((clip, pool.submit(_attempt, clip, form)))
            if len(making) > AHEAD:
                first, outcome = making.popleft()
                yield first, outcome.result()
        while making:
            first, outcome = making.popleft()
            yield first, outcome.result()


def _attempt(clip: Clip, form: DeliveryForm) -> Delivered | ValueError:
    try:
        return make_delivery(clip, form)
    except (Undeliverable, UnreadableAudio) as refusal:
        return refusal
    except OSError as error:
        return UnreadableAudio(ORIGINAL_GONE(fault=error.strerror))


def _undelivered(campaign: Campaign) -> list[Clip]:
    """Clips without a delivery, or whose delivered file is gone."""
    there = DeliveredClip.objects.filter(form=campaign.delivery_form, clip__in=clips_of(campaign))
    kept = {row.clip_id for row in there.select_related("clip") if row.path.is_file()}
    return [clip for clip in clips_of(campaign) if clip.pk not in kept]


def where_heard(clip: Clip) -> str:
    """A name by which the researcher knows the clip."""
    said = ResponseTurn.objects.filter(clip=clip).select_related("response__item", "response__system").first()
    if said:
        return said.path or str(said.response)
    turn = Turn.objects.filter(clip=clip).select_related("item").first()
    if turn:
        return f"the prompt of item {turn.item}"
    trap = TrapClip.objects.filter(clip=clip).select_related("campaign_unit__unit").first()
    return f"the spoken trap in {trap.campaign_unit.unit}" if trap else str(clip)
