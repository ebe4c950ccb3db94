"""How loud the sounds at the door are: as loud as the campaign's clips, for which the volume was set."""

from campaigns.audio.delivery import DeliveryForm
from campaigns.models import Campaign

#: For campaigns whose clips keep their own levels, and the loudest at which syllables fit below the ceiling.
USUAL_LUFS, LOUDEST_LUFS = -23.0, -16.0
RATE = 16_000


def clip_form(campaign: Campaign) -> DeliveryForm:
    target = USUAL_LUFS if campaign.target_lufs is None else campaign.target_lufs
    return DeliveryForm(rate=RATE, target_lufs=min(LOUDEST_LUFS, target))
