"""Clips by opaque address: signed to one assignment, expiring, and silent about what lies behind them."""

from uuid import UUID

from django.conf import settings
from django.core import signing
from django.db.models import Q

from accounts.models import User
from annotation.assignments import IN_HAND
from annotation.models import Assignment
from campaigns.access import Right, rights_in
from campaigns.models import CampaignUnit, DeliveredClip, ResponseTurn, TrapClip, Turn
from campaigns.units import slots_of

#: The prompt's place; responses are at 1, 2, …
PROMPT = 0
#: Of training it is told afterwards what was expected, beside the clips.
OF_TRAINING = Q(status=Assignment.Status.ANSWERED, campaign_unit__purpose=CampaignUnit.Purpose.TRAINING)
#: Assignments whose clips may be fetched: in hand, likely to come next, or being explained.
AUDIBLE = IN_HAND | Q(status=Assignment.Status.PLANNED) | OF_TRAINING
_signer = signing.TimestampSigner(salt="earshot.listening")


class NoSuchClip(ValueError):
    """Nothing is to be heard under this address, for this person, now."""


def clip_token(assignment: Assignment, place: int, turn: int) -> str:
    """An address for the clip heard at `place` in `turn`, for this assignment alone."""
    return _signer.sign(f"{assignment.pk.hex}{place:02d}{turn:03d}")


def clip_behind(token: str, user: User) -> DeliveredClip:
    """The clip to deliver. Raises NoSuchClip if the token is forged, expired, or not for this user."""
    try:
        value = _signer.unsign(token, max_age=settings.CLIP_URL_SECONDS)
    except signing.BadSignature as error:
        raise NoSuchClip("This address is not valid, or not any more.") from error
    assignment = (
        Assignment.objects.filter(AUDIBLE, pk=UUID(value[:32]), annotator=user)
        .select_related("campaign", "campaign_unit__unit")
        .first()
    )
    if assignment is None or Right.LABEL not in rights_in(assignment.campaign, user):
        raise NoSuchClip("This address belongs to another person or to something already answered.")
    return clip_at(assignment, int(value[32:34]), int(value[34:]))


def clip_at(assignment: Assignment, place: int, turn: int) -> DeliveredClip:
    """The clip heard at `place` in `turn`. Raises NoSuchClip."""
    delivered = DeliveredClip.objects.filter(
        clip=_clip_id(assignment, place, turn), form=assignment.campaign.delivery_form
    )
    if (row := delivered.select_related("clip").first()) is None:
        raise NoSuchClip("There is no such clip.")
    return row


def responses_by_place(assignment: Assignment) -> list[int]:
    """The responses (their ids) as they are heard, from place 1 on. An identical pair is one response twice."""
    slots = slots_of(assignment.campaign_unit.unit)
    if assignment.campaign_unit.purpose == CampaignUnit.Purpose.IDENTICAL:
        return [slots["a"]] * len(assignment.order)
    return [slots[slot] for slot in assignment.order]


def trap_clips(assignment: Assignment) -> dict[tuple[int, int], TrapClip]:
    """What is heard in place of a response's own clip, by place and turn, where the unit is a spoken trap."""
    if assignment.campaign_unit.purpose != CampaignUnit.Purpose.TRAP:
        return {}
    spoken = assignment.campaign_unit.trap_clips.select_related("clip")
    return {(assignment.order.index(row.slot) + 1, row.turn): row for row in spoken}


def _clip_id(assignment: Assignment, place: int, turn: int) -> int | None:
    if place == PROMPT:
        prompts = Turn.objects.filter(item=assignment.campaign_unit.unit.item_id, position=turn)
        return prompts.values_list("clip", flat=True).first()
    if spoken := trap_clips(assignment).get((place, turn)):
        return spoken.clip_id
    response = dict(enumerate(responses_by_place(assignment), start=1)).get(place)
    said = ResponseTurn.objects.filter(response=response, position=turn)
    return said.values_list("clip", flat=True).first()
