"""The control units of a campaign to an annotator who guesses; and how soon its rules notice one."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from campaigns.control_units.forecast import ControlUnit, GuesserForecast, Noticed
from campaigns.control_units.reach import chance_of_guessing
from campaigns.models import CHECKS, Campaign, CampaignUnit

Purpose = CampaignUnit.Purpose

#: The rules and their evidence belong to an app above.
Forecast = Callable[[Campaign], GuesserForecast | None]
_FORECASTS: list[Forecast] = []


def register(forecast: Forecast) -> None:
    _FORECASTS.append(forecast)


def guesser_forecast(campaign: Campaign) -> GuesserForecast | None:
    """None in an arena, where nobody knows how many units a voter will answer, and without control units."""
    if campaign.is_open_ended:
        return None
    return next((found for forecast in _FORECASTS if (found := forecast(campaign))), None)


def control_units(campaign: Campaign, *, apart: int) -> list[ControlUnit]:
    """Every control unit, with repeats `apart` units after the first time.

    Units of the study are counted in their order, in which the first annotators get them. A repeat is passed with the
    same main answer again.
    """
    rows = campaign.campaign_units.filter(purpose__in=CHECKS).order_by("position")
    found = list(rows.values_list("purpose", "unit", "expected"))
    if not found:
        return []
    study = campaign.campaign_units.filter(purpose=Purpose.STUDY).order_by("position")
    places = {unit: n for n, unit in enumerate(study.values_list("unit", flat=True), start=1)}
    n_choices = {it.name: len(it.scale.kind.values) for it in campaign.protocol.counted_aspects}
    main = campaign.protocol.main_aspect
    same_again = {main.name: [""]} if main else {}
    return [
        ControlUnit(
            purpose,
            chance_of_guessing(same_again if purpose == Purpose.REPEAT else expected, n_choices),
            places.get(unit, 0) + apart if purpose == Purpose.REPEAT else 0,
        )
        for purpose, unit, expected in found
    ]


def noticed_text(found: Noticed | None, *, units: int) -> str:
    """After how many units, or why never, in words; `units` is how many the session has of the study."""
    if found is None:
        return _("never, as no rule about these control units does that")
    if not found.chance:
        return _("never, as too few control units come for the rules")
    parameters = {"n": found.typical, "percent": found.percent, "units": units}
    if found.typical is None:
        return _("fewer than half of those who guess, %(percent)s %% by the end of %(units)s units") % parameters
    return _("typically after %(n)s units, %(percent)s %% by the end of %(units)s units") % parameters
