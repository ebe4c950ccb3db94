"""A study with everything that reports can be about, said in bulk: `server.shell("from … import fill; fill()")`."""

import random
from collections.abc import Mapping
from dataclasses import replace

from accounts.models import User
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Response, Unit
from judges.models import Run
from measurements.models import MetricScore
from protocols import SHIPPED, Listening
from tests.analytics.reports.studies import judge_says, person_says
from tests.analytics.saying import judge_says as judge_says_in_order
from tests.analytics.saying import labels_say

PAIRS = "demo-which-answer-is-better"
TYPED = ("a", "b", "both_good", "both_bad")
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")
#: A category of the demo's items of which nobody has rated any response.
UNRATED = "conversation"


def fill() -> None:
    """Everybody on the demo's pairs; beside it an arena, a rubric, ratings, and a campaign without answers."""
    rng = random.Random(1)
    pairs = Campaign.objects.get(slug=PAIRS)
    Run.objects.filter(campaign=pairs).delete()
    _compared(rng, pairs)
    couples = [row.unit for row in pairs.campaign_units.select_related("unit").order_by("position")]
    responses = list(Response.objects.filter(item__dataset=pairs.dataset).select_related("item", "system"))
    single = [
        Unit(dataset=pairs.dataset, item=it.item, kind="single", key=f"single {it.pk}", a=it) for it in responses
    ]
    singles = Unit.objects.bulk_create(single)
    _voted(rng, _study(pairs, "arena", couples))
    _checked(rng, _study(pairs, "rubric", singles))
    _rated(rng, _study(pairs, "acr", singles))
    _study(pairs, "p835", singles)
    for name in ("wer", "utmos"):
        MetricScore.objects.bulk_create(
            MetricScore(
                system=it.system, response=it, metric=name, version="1", source="imported",
                value=_strength(it) + rng.gauss(0, 0.2),
            )
            for it in responses
        )  # fmt: skip


def _study(beside: Campaign, protocol: str, units: list[Unit]) -> Campaign:
    chosen = replace(SHIPPED[protocol], listening=Listening("none"))
    user = User.objects.get(username="researcher")
    campaign = create_campaign(
        beside.dataset, title=f"{protocol.title()} study", protocol=chosen, units=units, user=user
    )
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    return campaign


def _compared(rng: random.Random, campaign: Campaign) -> None:
    rows = campaign.campaign_units.select_related("unit").order_by("position")
    truth = {aspect: {row.unit.key: rng.choice(TYPED) for row in rows} for aspect in ASPECTS}
    for seat in (1, 2, 3):
        person_says(campaign, {aspect: _like(rng, truth[aspect], 0.75) for aspect in ASPECTS}, seat=seat)
    once, turned = (list(_like(rng, truth["overall"], 0.65).values()) for _ in range(2))
    turned = [*turned[:-2], "unparsed", "error"]
    judge_says_in_order(campaign, {"ab": once, "ba": turned}, title="Ear of tin")
    judge_says(campaign, {aspect: _like(rng, truth[aspect], 0.5) for aspect in ASPECTS}, title="Four answers")
    labels_say(campaign, "Experts", list(_like(rng, truth["overall"], 0.9).values()))


def _voted(rng: random.Random, campaign: Campaign) -> None:
    rows = _units(campaign)
    for seat in (1, 2):
        won = {
            it.unit.key: "a" if rng.random() < 0.5 + _strength(it.unit.a) - _strength(it.unit.b) else "b"
            for it in rows
        }
        person_says(campaign, {"overall": won}, seat=seat)
    judge_says(campaign, {"overall": won}, title="Arena judge")


def _checked(rng: random.Random, campaign: Campaign) -> None:
    asked = [it.name for it in campaign.protocol.aspects if it.scale.kind.is_counted]
    rows = _units(campaign)
    for seat in (1, 2):
        met = {name: {it.unit.key: rng.choice(("yes", "no")) for it in rows} for name in asked}
        person_says(campaign, met, seat=seat)


def _rated(rng: random.Random, campaign: Campaign) -> None:
    rows = [it for it in _units(campaign) if it.unit.item.category != UNRATED]

    def grades() -> dict[str, str]:
        found = {it.unit.key: round(5 * _strength(it.unit.a) + rng.gauss(0, 1)) for it in rows}
        return {key: str(min(5, max(1, grade))) for key, grade in found.items()}

    for seat in (1, 2):
        person_says(campaign, {"overall": grades()}, seat=seat)
    judge_says(campaign, {"overall": grades()}, title="Rating judge")


def _units(campaign: Campaign) -> list[CampaignUnit]:
    return list(campaign.campaign_units.select_related("unit__item", "unit__a__system", "unit__b__system"))


def _like(rng: random.Random, said: Mapping[str, str], right: float) -> dict[str, str]:
    return {key: value if rng.random() < right else rng.choice(TYPED) for key, value in said.items()}


def _strength(response: Response | None) -> float:
    """From 0 to 1 by the name of the system."""
    return (ord(response.system.name[0]) - ord("a")) / 6 if response else 0.0
