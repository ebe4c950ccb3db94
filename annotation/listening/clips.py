"""Clips by opaque address: signed to one assignment, expiring, and silent about what lies behind them."""

from collections.abc import Collection
from functools import cache
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.db.models import Q, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.models import Assignment
from campaigns.access import Right, rights_in
from campaigns.datasets.units import slots_of
from campaigns.models import CampaignUnit, DeliveredClip, ResponseTurn, TrapClip, Turn
from infrastructure.compiled_queries import Given, Prepared

#: The prompt's place; responses are at 1, 2, …
PROMPT = 0
#: What tells whether and which clip is heard; of the rest of these wide rows nothing is read for each clip.
_NEEDED = (
    "order", "status", "reopened_at", "campaign__delivery_rate", "campaign__target_lufs", "campaign__status",
    "campaign__closes_at", "campaign_unit__purpose", "campaign_unit__unit__kind", "campaign_unit__unit__item",
    "campaign_unit__unit__a", "campaign_unit__unit__b",
)  # fmt: skip
_TURN = ("response", "position", "clip__seconds")
#: What was asked in each turn: its number, its text, and its length in seconds, or None without a clip.
asked_turns: Prepared[tuple[int, str, float | None]] = Prepared(
    lambda: Turn.objects.filter(item=Given("item")).order_by().values_list("position", "text", "clip__seconds"),
)
_signer = signing.TimestampSigner(salt="earshot.listening")


class NoSuchClip(ValueError):
    """Nothing is to be heard under this address, for this person, now. It does not say which of these it is."""

    def __init__(self) -> None:
        super().__init__("There is nothing to hear under this address, for you, now.")


def clip_token(assignment: Assignment, place: int, turn: int) -> str:
    """An address for the clip heard at `place` in `turn`, for this assignment alone."""
    return _signer.sign(f"{assignment.pk.hex}{place:02d}{turn:03d}")


def clip_behind(token: str, user: User) -> DeliveredClip:
    """The clip to deliver. Raises NoSuchClip if the token is forged, expired, or not for this user."""
    try:
        value = _signer.unsign(token, max_age=settings.CLIP_URL_SECONDS)
    except signing.BadSignature as error:
        raise NoSuchClip from error
    rows = Assignment.objects.select_related("campaign", "campaign_unit__unit").only(*_NEEDED)
    try:
        assignment = rows.get(pk=UUID(value[:32]), annotator=user)
    except Assignment.DoesNotExist as error:
        raise NoSuchClip from error
    if not (_is_audible(assignment) and Right.LABEL in rights_in(assignment.campaign, user)):
        raise NoSuchClip
    return clip_at(assignment, int(value[32:34]), int(value[34:]))


def _is_audible(assignment: Assignment) -> bool:
    """In hand, likely to come next, or being explained: of training it is told afterwards what was expected.

    Nothing is heard once the campaign is paused or closed: from that moment no answer is taken either.
    """
    if not assignment.campaign.takes_answers:
        return False
    is_training = assignment.campaign_unit.purpose == CampaignUnit.Purpose.TRAINING
    after_training = is_training and assignment.status == Assignment.Status.ANSWERED
    return assignment.is_in_hand or assignment.status == Assignment.Status.PLANNED or after_training


def clip_at(assignment: Assignment, place: int, turn: int) -> DeliveredClip:
    """The clip heard at `place` in `turn`. Raises NoSuchClip."""
    heard = DeliveredClip.objects.filter(_is_heard(assignment, place, turn), form=assignment.campaign.delivery_form)
    try:
        return heard.select_related("clip").get()  # a clip has one row in each form
    except DeliveredClip.DoesNotExist as error:
        raise NoSuchClip from error


def responses_by_place(assignment: Assignment) -> list[int]:
    """The responses (their ids) as they are heard, from place 1 on. An identical pair is one response twice."""
    slots = slots_of(assignment.campaign_unit.unit)
    if assignment.campaign_unit.purpose == CampaignUnit.Purpose.IDENTICAL:
        return [slots["a"]] * len(assignment.order)
    return [slots[slot] for slot in assignment.order]


def spoken_turns(responses: Collection[int]) -> list[tuple[int, int, float | None]]:
    """Each turn of these responses: the response's id, the turn, and its seconds, or None without a clip."""
    ids = {f"response{n}": response for n, response in enumerate(dict.fromkeys(responses))}
    return _spoken(len(ids)).rows(**ids)


@cache
def _spoken(n: int) -> Prepared[tuple[int, int, float | None]]:
    of_any = Q()
    for number in range(n):
        of_any |= Q(response=Given(f"response{number}"))
    return Prepared(lambda: ResponseTurn.objects.filter(of_any).order_by().values_list(*_TURN))


def trap_clips(assignment: Assignment) -> dict[tuple[int, int], TrapClip]:
    """What is heard in place of a response's own clip, by place and turn, where the unit is a spoken trap."""
    if assignment.campaign_unit.purpose != CampaignUnit.Purpose.TRAP:
        return {}
    spoken = assignment.campaign_unit.trap_clips.select_related("clip")
    return {(assignment.order.index(row.slot) + 1, row.turn): row for row in spoken}


def _is_heard(assignment: Assignment, place: int, turn: int) -> Q:
    """Of the one clip that is heard there, or of none. A spoken trap costs no query more than any other unit."""
    if place == PROMPT:
        asked = Turn.objects.filter(item=assignment.campaign_unit.unit.item_id, position=turn)
        return Q(clip__in=asked.values("clip"))
    response = dict(enumerate(responses_by_place(assignment), start=1)).get(place)
    said = ResponseTurn.objects.filter(response=response, position=turn)
    slot = assignment.order[place - 1 : place]
    spoken = TrapClip.objects.filter(campaign_unit=assignment.campaign_unit_id, slot=slot, turn=turn)
    return Q(clip=Coalesce(Subquery(spoken.values("clip")[:1]), Subquery(said.values("clip")[:1])))
