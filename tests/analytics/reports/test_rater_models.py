"""Severity and reliability of ratings, and the labels behind what several say: figures beside the arithmetic."""

import numpy as np
import pytest

from analytics.reports.kinds.rater_models import KIND
from stats.agreement.labels import label_table
from stats.judges.judged import majority
from stats.rater_models.dawid_skene import dawid_skene, said_of
from stats.rater_models.glad import glad
from tests.analytics.reports.shown import figures_of, rows_of
from tests.analytics.reports.worlds import WORLDS, build
from tests.analytics.saying import judge_says, people_say
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


def labelled(n: int = 30) -> list[list[str]]:
    rng = np.random.default_rng(1)
    truth = rng.choice(["a", "b", "both_good", "both_bad"], n)
    return [np.where(rng.random(n) < it, truth, rng.choice(["a", "both_bad"], n)).tolist() for it in (0.9, 0.7, 0.5)]


def test_labels_by_majority_stand_beside_dawid_skene_of_people_and_judges_together():
    said = labelled()
    campaign = make_campaign(units=30, protocol="blind_overall", answers_per_unit=2)
    people_say(campaign, *said[:2])
    judge_says(campaign, {"ab": said[2]})

    figures = figures_of(KIND, campaign, labels="everybody")

    expected = dawid_skene(said_of(label_table(said, categories=["a", "b", "both_good", "both_bad"])))
    rows = rows_of(figures["accuracy-overall"])
    assert [row["labels"] for row in rows] == [30, 30, 30]
    assert sorted(row["accuracy"].estimate for row in rows) == pytest.approx(sorted(expected.accuracy), abs=1e-6)
    shares = [row["dawid_skene"].estimate for row in rows_of(figures["latent-overall"])]
    assert sorted(shares) == pytest.approx(sorted(expected.prevalence), abs=1e-6)
    majorities = sum(row["majority"].estimate for row in rows_of(figures["latent-overall"]))
    assert majorities == pytest.approx(1)
    assert {row["rater"] for row in rows_of(figures["confusion-overall"])} == {row["rater"] for row in rows}


def test_units_have_the_labels_of_both_models_and_the_least_certain_come_first():
    said = labelled()
    campaign = make_campaign(units=30, protocol="blind_overall", answers_per_unit=2)
    people_say(campaign, *said[:2])
    judge_says(campaign, {"ab": said[2]})

    rows = rows_of(figures_of(KIND, campaign, labels="everybody")["units-overall"])

    of_labels = said_of(label_table(said, categories=["a", "b", "both_good", "both_bad"]))
    expected, other = dawid_skene(of_labels), glad(of_labels)
    probabilities = [row["dawid_skene_probability"] for row in rows]
    assert probabilities == sorted(probabilities)
    assert sorted(probabilities) == pytest.approx(sorted(expected.posterior.max(axis=1)), abs=1e-6)
    assert sorted(row["glad_probability"] for row in rows) == pytest.approx(
        sorted(other.posterior.max(axis=1)), abs=1e-4
    )
    assert {row["labels"] for row in rows} == {3}
    assert len({row["item"] for row in rows}) == 30
    majorities = np.array([row["majority"] != "" for row in rows]).sum()
    assert majorities == (majority(label_table(said)) >= 0).sum()


def test_one_person_has_no_model_and_a_reason():
    campaign = make_campaign(units=3, protocol="blind_overall")
    people_say(campaign, ["a", "b", "a"])

    figure = figures_of(KIND, campaign)["latent-overall"]

    assert figure.table is None
    assert "no unit has labels from two raters" in str(figure.instead)


def test_ratings_have_plain_and_adjusted_means_severities_and_a_plan():
    campaign = next(it for it in build(WORLDS["multi-turn"]) if it.protocol.aspects[0].scale.kind.is_ordered)
    aspect = campaign.protocol.aspects[0].name

    figures = figures_of(KIND, campaign, labels="everybody")

    means = rows_of(figures[f"means-{aspect}"])
    assert len(means) == 3
    assert all(row["plain"].n == row["adjusted"].n > 0 for row in means)
    severities = rows_of(figures[f"severity-{aspect}"])
    assert sum(row["ratings"] for row in severities) == sum(row["plain"].n for row in means)
    assert [row["icc"] for row in rows_of(figures[f"reliability-{aspect}"])] == [
        "ICC(1,1)", "ICC(1,k)", "ICC(2,1)", "ICC(2,k)",
    ]  # fmt: skip
    assert f"plan-{aspect}" in figures


def test_it_is_for_those_who_may_review():
    assert KIND.about_people
