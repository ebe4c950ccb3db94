"""How many raters, how many items: the page and the operation say the same, from ratings so far or from numbers."""

from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.planning.ratings.forms import USUAL
from analytics.planning.ratings.pilot import aspects_of_responses, pilot_of
from campaigns.models import Campaign
from stats import reasons
from stats.rater_models.components import variance_components
from stats.rater_models.decision import Size, expected
from stats.rater_models.rated import Rated
from tests.analytics.reports.studies import make_dataset, make_study, person_says
from tests.analytics.saying import labels_say
from tests.api.callers import caller
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
SYSTEMS, ITEMS, RATERS = ("Aardwolf", "Binturong", "Cacomistle"), 5, 4


def rated_campaign() -> tuple[Campaign, Rated]:
    """Everybody rates every response; and the same as arrays, made here."""
    campaign = make_study(make_dataset(SYSTEMS, ITEMS), "acr")
    rng = np.random.default_rng(5)
    rows = []
    for rater in range(RATERS):
        severity, said = rng.normal(0, 0.6), {}
        for item in range(ITEMS):
            for system, name in enumerate(SYSTEMS):
                value = int(np.clip(round(2.8 - severity + 0.6 * system + rng.normal(0, 0.7)), 1, 5))
                said[f"i{item}/{name}"] = str(value)
                rows.append((value, system, item, rater))
        person_says(campaign, {"overall": said}, seat=rater + 1)
    columns = np.array(rows)
    return campaign, Rated(columns[:, 0].astype(float), *(columns[:, at] for at in (1, 2, 3)))


def page_of(client: Client, campaign: Campaign, **given: object) -> Any:
    client.force_login(make_member(campaign, "admin"))
    return client.get(reverse("planning-ratings", args=[campaign.slug]), given)


def reply_to(campaign: Campaign, **given: object) -> Any:
    person = make_member(campaign, "admin")
    return caller(person).get(f"/api/v1/campaigns/{campaign.slug}/rating-plan/", given)


def test_variances_are_those_of_the_ratings_so_far(client: Client) -> None:
    campaign, rated = rated_campaign()

    found = page_of(client, campaign).context["found"]

    true = variance_components(rated)
    assert (found.of_pilot, found.pilot.ratings, found.pilot.raters, found.pilot.items) == (True, 60, 4, 5)
    assert found.pilot.components.variances == pytest.approx(dict(true.variances))
    shown = found.form.components().variances
    assert shown == pytest.approx({name: true.at_least_zero(name) for name in shown}, rel=1e-3)


def test_every_design_is_the_d_study_of_its_size(client: Client) -> None:
    campaign, _rated = rated_campaign()

    response = page_of(client, campaign, per_response=3, raters=12, items=40, pace=30)

    components = response.context["found"].form.components()
    grid = response.context["plan"].grid
    assert {it.found.size.per_response for it in grid} == {3}
    assert (12, 40) in {(it.found.size.raters, it.found.size.items) for it in grid}
    for it in grid:
        size = it.found.size
        assert it.found == expected(components, Size(size.items, size.raters, 3))
        assert (it.ratings, it.hours) == (3 * size.items * 3, pytest.approx(3 * size.items * 3 * 30 / 3600))


def test_page_has_a_line_for_each_number_of_raters_and_says_what_may_be_claimed(client: Client) -> None:
    campaign, _rated = rated_campaign()

    page = page_of(client, campaign, raters=10, items=100, half=0.5).content.decode()

    assert_charts(page, planes=1)
    assert [page.count(f'class="line-{n}" d="M5') for n in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert "What may be claimed from this" in page
    assert "10 raters in all" in page


def test_cheapest_is_the_fewest_ratings_that_reach_the_wanted_width(client: Client) -> None:
    campaign, _rated = rated_campaign()

    plan = page_of(client, campaign, half=0.4, raters=20, items=200).context["plan"]

    assert all(it.found.difference <= 0.4 for it in plan.reaching)
    assert plan.cheapest.ratings == min(it.ratings for it in plan.reaching)
    assert plan.cheapest.ratings < max(it.ratings for it in plan.reaching)


def test_width_that_cannot_be_reached_is_said(client: Client) -> None:
    campaign, _rated = rated_campaign()

    response = page_of(client, campaign, of="mean", half=0.05, raters=5, items=50)

    plan = response.context["plan"]
    assert (plan.cheapest, plan.reaching) == (None, ())
    assert plan.least > 0.05
    assert "cannot be reached with 50 items and 5 raters" in response.content.decode()


def test_typed_variances_are_used_and_those_of_the_ratings_can_be_taken_back(client: Client) -> None:
    campaign, _rated = rated_campaign()

    typed = page_of(client, campaign, rater="2.5").context["found"]
    back = client.get(
        reverse("planning-ratings", args=[campaign.slug]), {"rater": "2.5", "half": "0.3", "from": "ratings"}
    ).context["found"]

    assert (typed.of_pilot, typed.form.components().variances["rater"]) == (False, 2.5)
    assert back.of_pilot
    assert back.form.components().variances["rater"] != 2.5
    assert back.form.cleaned_data["half"] == 0.3


def test_without_ratings_usual_variances_are_assumed_on_the_scale_of_the_question(client: Client) -> None:
    campaign = make_study(make_dataset(SYSTEMS, ITEMS), "multi_stimulus")

    found = page_of(client, campaign).context["found"]

    assert found.of_pilot is False
    assert found.pilot.components.reason == reasons.NOTHING_TO_SEPARATE()
    assert found.form.components().variances == pytest.approx(
        {name: it * 625 for name, it in USUAL.items()}, rel=1e-3
    )


def test_imported_ratings_are_a_pilot_where_nobody_has_answered() -> None:
    campaign = make_campaign(units=4, protocol="acr")
    labels_say(campaign, "elsewhere", ["1", "2", "3", "5"], rater="R1")
    labels_say(campaign, "elsewhere", ["2", "2", "4", "5"], rater="R2")

    found = pilot_of(campaign, aspects_of_responses(campaign.protocol)[0])

    assert (found.imported, found.ratings, found.raters, found.items) == (True, 8, 2, 4)


def test_pilot_is_taken_anew_with_the_next_answer() -> None:
    campaign = make_campaign(units=4, protocol="acr", answers_per_unit=2)
    aspect = aspects_of_responses(campaign.protocol)[0]
    cache.clear()
    before = pilot_of(campaign, aspect).ratings
    person_says(campaign, {"overall": {"0": "3", "1": "4"}})

    assert (before, pilot_of(campaign, aspect).ratings) == (0, 2)


@each(
    "asked",
    [{"half": 0}, {"raters": "many"}, {"rater": -1}, {"per_response": 13}, {"of": "luck"}, {"items": ""}],
    undo=True,
)
def test_nonsense_is_refused_with_a_sentence_on_the_page_and_by_the_api(
    client: Client, asked: dict[str, object]
) -> None:
    campaign = make_study(make_dataset(SYSTEMS, ITEMS), "acr")

    response = page_of(client, campaign, **asked)

    assert response.status_code == 422
    assert list(response.context["found"].form.errors) == list(asked)
    assert "plan" not in response.context
    assert reply_to(campaign, **asked).status_code == 400


def test_ratings_that_never_vary_are_refused(client: Client) -> None:
    campaign = make_study(make_dataset(SYSTEMS, ITEMS), "acr")

    errors = page_of(client, campaign, **dict.fromkeys(USUAL, 0)).context["found"].form.errors

    assert list(errors) == ["residual"]


def test_protocol_without_ratings_leads_to_the_other_plan(client: Client) -> None:
    campaign = make_campaign(units=2, protocol="ccr")

    response = page_of(client, campaign)

    assert response.context["found"] is None
    assert reverse("planning", args=[campaign.slug]) in response.content.decode()
    assert reply_to(campaign).status_code == 422


def test_link_stands_on_the_planning_page_of_ratings_alone(client: Client) -> None:
    linked = []
    for protocol in ("acr", "hcot"):
        campaign = make_campaign(units=2, protocol=protocol)
        client.force_login(make_member(campaign, "admin"))
        page = client.get(reverse("planning", args=[campaign.slug])).content.decode()
        linked.append(reverse("planning-ratings", args=[campaign.slug]) in page)

    assert linked == [True, False]


def test_operation_says_what_the_page_says(client: Client) -> None:
    campaign, _rated = rated_campaign()
    given = {"of": "mean", "half": 0.8, "raters": 9, "items": 30, "per_response": 2}

    plan = page_of(client, campaign, **given).context["plan"]
    said = reply_to(campaign, **given).json()

    assert said["pilot"] == {
        "ratings": 60, "systems": 3, "items": 5, "raters": 4, "imported": False, "used": True,
    }  # fmt: skip
    assert [it["mean"] for it in said["grid"]] == [it.found.mean for it in plan.grid]
    assert [it["generalizability"] for it in said["grid"]] == [it.found.reliability for it in plan.grid]
    assert said["cheapest"]["items"] == plan.cheapest.found.size.items
    assert (said["least"], said["fewest_raters"]) == (plan.least, plan.fewest_raters)


def test_page_costs_the_same_queries_for_one_answer_and_for_many(client: Client) -> None:
    counts = []
    for n in (1, 3):
        campaign = make_campaign(units=n, protocol="acr")
        person_says(campaign, {"overall": {str(at): "3" for at in range(n)}})
        client.force_login(make_member(campaign, "admin"))
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("planning-ratings", args=[campaign.slug]))
        counts.append(len(queries))

    assert counts[0] == counts[1]
