"""The page on which annotators set their volume before they begin, and the noise they set it by."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.audio.levels import volume_form
from campaigns.audio.signals.calibration import EDGE, PERIOD, volume_noise


@require_safe
def volume(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    return render(request, "annotation/listening/volume.html", {"campaign": campaign, **noise_context()})


def noise_context() -> dict[str, float]:
    """Between which of its seconds the noise goes round."""
    return {"loop_start": EDGE, "loop_end": EDGE + PERIOD}


@require_safe
def noise(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    response = HttpResponse(volume_noise(volume_form(campaign)), content_type="audio/wav")
    # The address stays the same when the campaign's loudness changes.
    response["Cache-Control"] = "private, no-cache"
    return response
