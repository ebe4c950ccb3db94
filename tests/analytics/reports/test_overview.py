"""The overview counts each answer once, and says where there is nothing to say."""

import pytest
from krippendorff import alpha

from analytics.reports.kinds.overview import KIND
from annotation.models import Assignment
from campaigns.models import Campaign
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.analytics.saying import judge_says, people_say, units_of
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db

ONE = ["a", "b", "a", "both_good", "both_bad", "b"]
OTHER = ["a", "a", "a", "both_bad", "both_bad", "b"]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=6, answers_per_unit=3)
    people_say(campaign, ONE, OTHER)
    return campaign


def steps(campaign: Campaign) -> dict[str, int]:
    return {row["step"]: row["n"] for row in rows_of(figures_of(KIND, campaign)["answers"])}


def test_assignments_are_counted_by_what_became_of_them(campaign: Campaign) -> None:
    Assignment.objects.filter(pk=Assignment.objects.filter(status="answered").first().pk).update(excluded=True)
    make_assignment(campaign, make_member(campaign), campaign_unit=units_of(campaign)[0], seat=0, status="returned")

    assert steps(campaign) == {
        "Answers wanted": 18,
        "Units given out": 13,
        "Returned": 1,
        "Expired": 0,
        "Answered": 12,
        "Withdrawn by the person": 0,
        "Left out of the analysis": 1,
        "Used": 11,
    }


def test_who_withdrew_is_not_among_the_used(campaign: Campaign) -> None:
    person = Assignment.objects.filter(campaign=campaign).first().annotator
    campaign.memberships.filter(user=person).update(answers_withdrawn_at="2026-01-01T00:00Z")

    found = steps(campaign)

    assert (found["Answered"], found["Withdrawn by the person"], found["Used"]) == (12, 6, 6)


def test_agreement_is_that_of_an_independent_library(campaign: Campaign) -> None:
    found = row_of(figures_of(KIND, campaign)["alpha"], "Overall")["alpha"]
    weights = {"a": 0, "b": 1, "both_good": 2, "both_bad": 3}
    codes = [[weights[it] for it in said] for said in (ONE, OTHER)]

    def distance(one: object, other: object, **_: object) -> object:
        """1 between winners and between kinds of tie, ½ between a winner and a tie."""
        apart = (one >= 2) != (other >= 2)  # type: ignore[operator]
        return (one != other) * (1.0 - 0.5 * apart)  # type: ignore[operator]

    assert found.estimate == pytest.approx(alpha(codes, value_domain=[0, 1, 2, 3], level_of_measurement=distance))
    assert found.n == 6


def test_judges_stand_beside_people_with_what_they_miss(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["a", "b", "a", "a", "unparsed", "b"]}, title="Ear of tin")

    found = row_of(figures_of(KIND, campaign)["judges"], "Ear of tin")

    assert found["accuracy"].n == 4, "two units have no majority"
    assert found["accuracy"].estimate == pytest.approx(3 / 4)
    assert found["missing"] == 1


def test_nobody_has_said_anything() -> None:
    found = figures_of(KIND, make_campaign(units=2))

    assert found["who"].instead == "Nobody has answered yet."
    assert found["alpha"].instead == "It takes two people who answered the same units."
    assert found["judges"].instead == "No judge has run here yet, or nobody has labelled what it judged."
