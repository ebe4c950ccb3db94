"""A comparison that is read while people answer: which intervals it has, where it says so, and the planned size."""

import csv
import io

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics.data.label_arrays import label_arrays
from analytics.judged.cache import comparison_of
from analytics.judged.comparison import Comparison, RaterRow, compare
from analytics.judged.looks import reached_planned_size
from campaigns.audit_log import record_in
from campaigns.launch.later_units import UNITS_ADDED
from campaigns.models import Campaign, Role
from corpus.models import LabelSet
from tests.analytics.saying import judge_says, labels_say, people_say
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
UNITS = 104
EVERY_LOOK = "Look as often as you like"


def wrong_on(truth: list[str], share: float, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [str(rng.choice(["a", "b"])) if rng.random() < share else label for label in truth]


TRUTH = [str(label) for label in np.random.default_rng(1).choice(["a", "b", "both_good"], size=UNITS)]


@pytest.fixture
def campaign() -> Campaign:
    """Three people answer every unit; one judge nearly agrees with them, and one guesses."""
    campaign = make_campaign(units=UNITS, answers_per_unit=3, opened_at=timezone.now())
    people_say(campaign, *(wrong_on(TRUTH, 0.15, seed) for seed in range(3)))
    judge_says(campaign, {"ab": wrong_on(TRUTH, 0.1, 8)}, title="Good")
    judge_says(campaign, {"ab": wrong_on(TRUTH, 0.9, 9)}, title="Poor")
    return campaign


def judge(found: Comparison, title: str = "Good") -> RaterRow:
    return next(row for row in found.rows if row.title == title)


def closed(campaign: Campaign) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(status="closed", closed_at=timezone.now())
    return Campaign.objects.get(pk=campaign.pk)


def test_of_people_every_interval_holds_at_every_look(campaign: Campaign) -> None:
    labels_say(campaign, "Published", wrong_on(TRUTH, 0.15, 1))
    arrays = label_arrays(campaign)

    watched, once = compare(arrays), compare(arrays, "labels-Published")

    assert (watched.looks.name, once.looks.name) == ("every look", "one look")
    assert (watched.over_people, watched.looks.planned) == (False, False)
    for kappa in (row.by_aspect["overall"].kappa for row in watched.rows):
        assert (kappa.interval is None) == (kappa.n < 100)
        assert kappa.interval is None or kappa.interval.method.startswith("confidence sequence over units")
    LabelSet.objects.update(from_campaign="which-one")  # elsewhere, where it was watched, too
    assert compare(label_arrays(campaign), "labels-Published").looks.every
    found = judge(once).by_aspect["overall"].kappa
    assert found.interval is not None
    assert found.interval.method.startswith("percentile bootstrap")


def test_the_judge_that_is_closer_is_named_and_equal_ones_are_not(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": wrong_on(TRUTH, 0.1, 11)}, title="As good")
    judge_says(campaign, {"ab": ["error"] * UNITS}, title="Mute")

    found = compare(label_arrays(campaign)).differences["overall"]

    mute = [it for it in found if it.other.title == "Mute"]
    assert [it.kappa.estimate for it in mute] == [None] * 3
    said = {
        frozenset((it.one.title, it.other.title)): it.closer and it.closer.title for it in found if it not in mute
    }
    assert said == {
        frozenset(("Good", "Poor")): "Good",
        frozenset(("As good", "Poor")): "As good",
        frozenset(("Good", "As good")): None,
    }
    assert all((it.kappa.estimate or 0) >= 0 for it in found)


def test_page_and_files_say_which_intervals_they_have(client: Client, campaign: Campaign) -> None:
    labels_say(campaign, "Published", TRUTH)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    address = reverse("comparison", args=[campaign.slug])

    page, published = (
        client.get(address, {"reference": it}).content.decode() for it in ("people", "labels-Published")
    )
    rows = list(csv.DictReader(io.StringIO(client.get(address[:-1] + ".csv").content.decode())))
    told = client.get(address[:-1] + ".json").json()
    drawn = client.get(address[:-1] + ".svg")
    by_api = client.get(f"/api/v1/campaigns/{campaign.slug}/comparison/").json()

    assert EVERY_LOOK in page
    assert drawn.status_code == 200
    assert "are about these people alone: it takes 5 people to allow for others" in page
    assert "The interval of this pair holds at every look." in page
    assert "planned size" not in page
    assert EVERY_LOOK not in published
    assert "each interval (95 %) is for one look" in published
    assert {row["intervals"] for row in rows if row["kind"] != "baseline"} == {"every look"}
    [pair] = [row for row in rows if row["kind"] == "difference" and row["aspect"] == "overall"]
    assert (pair["rater"], pair["other"], pair["closer"]) == ("Good", "Poor", pair["run"])
    for said in (told, by_api):
        assert (said["intervals"], said["over_people"], said["planned_size_reached"]) == ("every look", False, False)


def test_the_interval_for_the_planned_size_stands_beside_once_the_campaign_closed_at_it(
    client: Client, campaign: Campaign
) -> None:
    assert comparison_of(campaign).looks.planned is False
    campaign = closed(campaign)
    client.force_login(make_member(campaign, Role.RESEARCHER))

    row = judge(comparison_of(campaign)).by_aspect["overall"]
    page = client.get(reverse("comparison", args=[campaign.slug])).content.decode()
    [told] = [
        it
        for it in client.get(reverse("comparison-file", args=[campaign.slug, "json"])).json()["rows"]
        if (it["aspect"], it["rater"], it["kind"]) == ("overall", "Good", "judge")
    ]

    assert row.planned is not None
    assert row.planned.kappa.interval is not None
    assert row.kappa.interval is not None
    assert row.planned.kappa.estimate == row.kappa.estimate
    assert row.kappa.interval.low < row.planned.kappa.interval.low
    assert told["kappa_planned_low"] == round(row.planned.kappa.interval.low, 6)
    assert "planned size: " in page
    assert "closed at the size that was fixed when it opened" in page


def test_other_ends_are_no_planned_size(campaign: Campaign) -> None:
    over = closed(campaign)
    now = timezone.now()

    assert reached_planned_size(over)
    assert not reached_planned_size(Campaign.objects.get(pk=make_campaign(status="open").pk))
    over.stop_reached_at = now
    assert not reached_planned_size(over)
    over.stop_reached_at, over.answers_per_unit = None, 3
    record_in(over, UNITS_ADDED, by=None, units=3)
    assert not reached_planned_size(over)


def test_a_campaign_that_closed_early_did_not_reach_its_size(campaign: Campaign) -> None:
    Campaign.objects.update(answers_per_unit=4)

    assert not reached_planned_size(closed(campaign))
