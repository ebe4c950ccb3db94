"""Sounds of a trial by opaque address: signed to one try, for the trial being made, and silent about which."""

from uuid import UUID

from django.conf import settings
from django.core import signing

from accounts.models import User
from annotation.entry_gates.by_ear.registry import EAR_CHECKS
from campaigns.models import GateTry

_signer = signing.TimestampSigner(salt="earshot.gates")


class NoSuchSound(ValueError):
    """Nothing is to be heard under this address, for this person, now."""


def sound_tokens(one: GateTry) -> list[str]:
    """An address for the sound at each place of the trial that is being made."""
    places = range(1, EAR_CHECKS[one.kind].places + 1)
    return [_signer.sign(f"{one.pk.hex}{len(one.said):02d}{place}") for place in places]


def sound_behind(token: str, user: User) -> bytes:
    """Raises NoSuchSound if the token is forged, expired, not for this user, or of a trial that is over."""
    try:
        value = _signer.unsign(token, max_age=settings.CLIP_URL_SECONDS)
    except signing.BadSignature as error:
        raise NoSuchSound("This address is not valid, or not any more.") from error
    one = (
        GateTry.objects.filter(pk=UUID(value[:32]), annotator=user, outcome=GateTry.Outcome.OPEN)
        .select_related("campaign")
        .first()
    )
    if one is None or len(one.said) != int(value[32:34]):
        raise NoSuchSound("This trial is over, or it is another annotator's.")
    return EAR_CHECKS[one.kind].sound(one, int(value[34:]))
