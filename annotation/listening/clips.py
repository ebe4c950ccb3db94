"""Clips by opaque address: signed to one assignment, expiring, and silent about what lies behind them."""

from uuid import UUID

from django.conf import settings
from django.core import signing

from accounts.models import User
from annotation.models import Assignment
from campaigns.access import Right, rights_in
from campaigns.audio.unit_clips import HeardClip, heard_clip, heard_responses
from campaigns.models import CampaignUnit

#: The columns that decide whether and which clip is delivered; the other columns of these wide rows are not read.
_NEEDED = (
    "order", "status", "reopened_at", "campaign__delivery_rate", "campaign__target_lufs", "campaign__status",
    "campaign__closes_at", "campaign_unit__purpose", "campaign_unit__unit__kind", "campaign_unit__unit__item",
    "campaign_unit__unit__a", "campaign_unit__unit__b",
)  # fmt: skip
_signer = signing.TimestampSigner(salt="earshot.listening")


class NoSuchClip(ValueError):
    """Nothing is to be heard under this address, for this person, now. It does not say which of these it is."""

    def __init__(self) -> None:
        super().__init__("There is nothing to hear under this address, for you, now.")


def clip_token(assignment: Assignment, place: int, turn: int) -> str:
    """An address for the clip heard at `place` in `turn`, for this assignment alone."""
    return _signer.sign(f"{assignment.pk.hex}{place:02d}{turn:03d}")


def clip_behind(token: str, user: User) -> HeardClip:
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
    """Open, likely to be next, or being explained: after a training unit its expected answers are shown.

    Nothing is heard once the campaign is paused or closed: from that moment no answer is taken either.
    """
    if not assignment.campaign.takes_answers:
        return False
    is_training = assignment.campaign_unit.purpose == CampaignUnit.Purpose.TRAINING
    after_training = is_training and assignment.status == Assignment.Status.ANSWERED
    return assignment.is_in_hand or assignment.status == Assignment.Status.PLANNED or after_training


def clip_at(assignment: Assignment, place: int, turn: int) -> HeardClip:
    """The clip heard at `place` in `turn`. Raises NoSuchClip."""
    form = assignment.campaign.delivery_form
    if (clip := heard_clip(assignment.campaign_unit, assignment.order, place, turn, form=form)) is None:
        raise NoSuchClip
    return clip


def responses_by_place(assignment: Assignment) -> list[int]:
    """The responses (their ids) as they are heard, from place 1 on."""
    return heard_responses(assignment.campaign_unit, assignment.order)
