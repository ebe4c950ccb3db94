"""What is asked about a campaign: the form of the page, filled with what is given and else with usual values."""

from collections.abc import Mapping
from dataclasses import dataclass

from analytics.planning.designs import design_of
from analytics.planning.ratings.forms import MOST_ITEMS, MOST_RATERS, MOST_SYSTEMS, USUAL, PlanForm
from analytics.planning.ratings.pilot import Pilot, aspects_of_responses, pilot_of
from campaigns.launch.sample_units import guessed_seconds
from campaigns.models import Campaign, CampaignUnit
from protocols import Aspect
from stats.rater_models.components import FACETS, RESIDUAL
from stats.rater_models.decision import MOST_PER_RESPONSE

#: The points of the scale that the usual variances are of.
_USUAL_RANGE = 4.0
#: Where nobody has rated yet.
_RATERS, _ITEMS, _SYSTEMS = 20, 50, 5
#: `from=ratings`: the variances of the ratings so far, whatever others are given.
FROM, RATINGS = "from", "ratings"


@dataclass(frozen=True)
class Planning:
    """The form, of which question it is, and the ratings so far; `of_pilot` says whether its variances are theirs."""

    form: PlanForm
    aspect: Aspect
    pilot: Pilot
    of_pilot: bool


def planning_of(campaign: Campaign, given: Mapping[str, str]) -> Planning | None:
    """None where the protocol asks for no ratings of single responses."""
    aspects = aspects_of_responses(campaign.protocol)
    if not aspects:
        return None
    aspect = next((it for it in aspects if it.name == given.get("aspect")), aspects[0])
    pilot = pilot_of(campaign, aspect)
    variances = _variances(aspect, pilot)
    usual = _usual(campaign, aspect, pilot) | variances
    anew = given.get(FROM) == RATINGS
    said = {name: given[name] for name in usual if name in given and not (anew and name in variances)}
    form = PlanForm(usual | said, aspects=aspects)
    of_pilot = not pilot.components.reason and all(said.get(name, it) == it for name, it in variances.items())
    return Planning(form, aspect, pilot, of_pilot)


def _variances(aspect: Aspect, pilot: Pilot) -> dict[str, str]:
    """Those of the ratings so far; where they have none, the usual ones, on the scale of this question."""
    if not pilot.components.reason:
        return {name: f"{pilot.components.at_least_zero(name):.4g}" for name in (*FACETS, RESIDUAL)}
    return {name: f"{USUAL[name] * (_range(aspect) / _USUAL_RANGE) ** 2:.4g}" for name in (*FACETS, RESIDUAL)}


def _usual(campaign: Campaign, aspect: Aspect, pilot: Pilot) -> dict[str, str]:
    study = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)
    n_items = study.order_by().values("unit__item").distinct().count()
    design = design_of(campaign)
    raters = max(min(pilot.raters or _RATERS, MOST_RATERS), 3)
    return {
        "aspect": aspect.name,
        "of": "difference",
        "half": f"{_range(aspect) / 16:.3g}",
        "raters": str(raters),
        "items": str(min(n_items or _ITEMS, MOST_ITEMS)),
        "per_response": str(min(campaign.answers_per_unit, raters, MOST_PER_RESPONSE)),
        "systems": str(min(design.n_systems if design else _SYSTEMS, MOST_SYSTEMS)),
        "pace": str(campaign.units_choice.get("pace") or guessed_seconds(campaign.dataset, campaign.protocol)),
    }


def _range(aspect: Aspect) -> float:
    ends = aspect.scale.kind.ends
    return ends[1] - ends[0] if ends else _USUAL_RANGE
