"""How soon a campaign's own rules notice an annotator who guesses, by its control units alone."""

from analytics.quality.guessing.sessions import acting, noticed
from analytics.quality.rules import rules_of
from annotation.assignment.control_units import APART
from campaigns.control_units.forecast import ControlUnit, GuesserForecast, Noticed
from campaigns.control_units.guessing import control_units
from campaigns.models import Campaign, CampaignUnit
from campaigns.quality.rule import Action


def forecast_guesser(campaign: Campaign) -> GuesserForecast | None:
    """None without control units, or without units of the study.

    What others answer, and how fast this one is, would notice some guessers sooner; that is not counted.
    """
    control = tuple(control_units(campaign, apart=APART))
    units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()
    if not control or not units:
        return None
    return GuesserForecast(
        units=units,
        apart=APART,
        out_of_reach=sum(it.after > units for it in control),
        flagged=_noticed(campaign, control, units, Action.WARN),
        stopped=_noticed(campaign, control, units, Action.PAUSE),
    )


def _noticed(campaign: Campaign, control: tuple[ControlUnit, ...], units: int, least: Action) -> Noticed | None:
    rules = acting(rules_of(campaign), {it.kind for it in control}, least=least)
    return noticed(control, rules, units=units, check_every=campaign.check_every) if rules else None
