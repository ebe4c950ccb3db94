"""The page on which annotators set their volume before they begin, and the noise they set it by."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.audio.calibration import EDGE, PERIOD, volume_noise
from campaigns.audio.delivery import DeliveryForm
from campaigns.clips.audio_delivery import HIGHEST_RATE
from campaigns.models import Campaign

#: For campaigns whose clips keep their own levels.
USUAL_LUFS = -23.0


@require_safe
def volume(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    return render(request, "annotation/volume.html", {"campaign": campaign, **noise_context()})


def noise_context() -> dict[str, float]:
    """Between which of its seconds the noise goes round."""
    return {"loop_start": EDGE, "loop_end": EDGE + PERIOD}


@require_safe
def noise(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    response = HttpResponse(volume_noise(_form_of(campaign)), content_type="audio/wav")
    # The address stays the same when the campaign's loudness changes.
    response["Cache-Control"] = "private, no-cache"
    return response


def _form_of(campaign: Campaign) -> DeliveryForm:
    target = USUAL_LUFS if campaign.target_lufs is None else campaign.target_lufs
    return DeliveryForm(rate=campaign.delivery_rate or HIGHEST_RATE, target_lufs=target)
