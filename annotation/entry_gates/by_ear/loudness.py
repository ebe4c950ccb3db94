"""How loud the sounds at the door are: as loud as the campaign's clips, for which the volume was set."""

from annotation.listening.volume import USUAL_LUFS
from campaigns.audio.delivery import DeliveryForm
from campaigns.models import Campaign

#: The loudest at which the syllables stay below the ceiling of clips.
LOUDEST_LUFS = -16.0
RATE = 16_000


def level_lufs(campaign: Campaign) -> float:
    return min(LOUDEST_LUFS, USUAL_LUFS if campaign.target_lufs is None else campaign.target_lufs)


def clip_form(campaign: Campaign) -> DeliveryForm:
    return DeliveryForm(rate=RATE, target_lufs=level_lufs(campaign))
