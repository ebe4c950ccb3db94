"""How loud a campaign's own sounds are: as loud as its clips, for which the volume is set."""

from campaigns.audio.delivery import HIGHEST_RATE, USUAL_LUFS
from campaigns.models import Campaign
from corpus.audio.delivery import DeliveryForm

#: The loudest at which the syllables stay below the ceiling of clips.
LOUDEST_LUFS = -16.0
GATE_RATE = 16_000


def volume_form(campaign: Campaign) -> DeliveryForm:
    """Of the noise by which people set their volume."""
    return DeliveryForm(rate=campaign.delivery_rate or HIGHEST_RATE, target_lufs=_target_lufs(campaign))


def gate_form(campaign: Campaign) -> DeliveryForm:
    """Of the sounds of entry gates."""
    return DeliveryForm(rate=GATE_RATE, target_lufs=gate_lufs(campaign))


def gate_lufs(campaign: Campaign) -> float:
    return min(LOUDEST_LUFS, _target_lufs(campaign))


def _target_lufs(campaign: Campaign) -> float:
    return USUAL_LUFS if campaign.target_lufs is None else campaign.target_lufs
