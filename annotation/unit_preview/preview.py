"""A campaign's units as an annotator gets them, for those who launch it. Nothing of it is stored with the campaign.

The unit is stored in the viewer's session under a random key: so the addresses of a preview are
as silent as those of the study.
"""

import random
from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.core import signing
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.assignment.presentation_order import drawn_order
from annotation.label_page.unit_view import Addresses, Screen, ShownClip, ShownTurn, screen_of
from annotation.listening.clips import NoSuchClip, clip_at
from annotation.models import Assignment
from campaigns.audio.unit_clips import HeardClip
from campaigns.models import Campaign, CampaignUnit

Session = MutableMapping[str, Any]
SESSION_KEY = "previews"
#: So many units of previews are remembered; who has more tabs open than that reloads the first.
MOST_REMEMBERED = 20
_signer = signing.Signer(salt="earshot.preview")


class NoSuchPreview(ValueError):
    """Nothing is previewed under this key, by this person."""


def shown_unit(campaign: Campaign, session: Session, *, at: int, viewer: User) -> Assignment:
    """The unit at this place of the campaign's order, from 0 on and round again; the campaign has units."""
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).select_related("unit__item")
    n = study.count()
    unit = study[at % n]
    order = drawn_order(unit.slots, of_unit=[], of_annotator=[], rng=random.SystemRandom())
    key = uuid4()
    remembered = dict(session.get(SESSION_KEY, {}))
    remembered[key.hex] = {"unit": unit.pk, "order": order, "at": at % n}
    session[SESSION_KEY] = dict(list(remembered.items())[-MOST_REMEMBERED:])
    return _assignment(campaign, unit, key, order, viewer)


def unit_behind(campaign: Campaign, session: Session, key: UUID, *, viewer: User) -> tuple[Assignment, int]:
    """What is shown under this key, and its place. Raises NoSuchPreview."""
    kept = session.get(SESSION_KEY, {}).get(key.hex)
    units = campaign.campaign_units.select_related("unit__item")
    if kept is None or (unit := units.filter(pk=kept["unit"]).first()) is None:
        raise NoSuchPreview("This preview is over; begin again.")
    return _assignment(campaign, unit, key, kept["order"], viewer), kept["at"]


def preview_screen(assignment: Assignment, campaign: Campaign) -> Screen:
    """The annotator's own screen, with addresses of the preview."""
    screen = screen_of(assignment, campaign)
    return replace(screen, turns=tuple(_readdressed(turn, campaign, assignment.pk) for turn in screen.turns))


def preview_addresses(campaign: Campaign, key: UUID) -> Addresses:
    """As in the study, but that nothing is fetched ahead."""
    here = [campaign.slug, key]
    answer, heard = reverse("preview-answer", args=here), reverse("preview-heard", args=here)
    return Addresses(answer=answer, heard=heard, ahead="", give_back=reverse("preview-skip", args=here))


def preview_clip(campaign: Campaign, session: Session, token: str, *, viewer: User) -> HeardClip:
    """The clip to deliver. Raises NoSuchClip."""
    try:
        value = _signer.unsign(token)
        assignment, _at = unit_behind(campaign, session, UUID(value[:32]), viewer=viewer)
    except (signing.BadSignature, NoSuchPreview) as error:
        raise NoSuchClip from error
    return clip_at(assignment, int(value[32:34]), int(value[34:]))


def _assignment(campaign: Campaign, unit: CampaignUnit, key: UUID, order: str, viewer: User) -> Assignment:
    """What an annotator would hold; it is never saved."""
    now = timezone.now()
    return Assignment(
        pk=key,
        campaign=campaign,
        campaign_unit=unit,
        annotator=viewer,
        order=order,
        seat=1,
        reserved_at=now,
        shown_at=now,
        expires_at=now,
    )


def _readdressed(turn: ShownTurn, campaign: Campaign, key: UUID) -> ShownTurn:
    def clip(shown: ShownClip) -> ShownClip:
        token = _signer.sign(f"{key.hex}{shown.place:02d}{shown.turn:03d}")
        return replace(shown, url=reverse("preview-listen", args=[campaign.slug, token]) if shown.url else "")

    prompt = clip(turn.prompt) if turn.prompt else None
    return replace(turn, prompt=prompt, responses=tuple(clip(response) for response in turn.responses))
