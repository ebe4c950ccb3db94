"""Corrected estimates: of simulated systems whose truth is known, with judges that help and judges that do not."""

import numpy as np
import pytest

from analytics.reports.kinds import KINDS
from analytics.reports.kinds.corrected import KIND
from analytics.reports.source import Settings
from campaigns.models import Campaign
from tests.analytics.reports.studies import cells, figures_of, judge_says, make_dataset, make_study, person_says
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db
A, B = "Aardwolf", "Binturong"


def make_pairs(
    seed: int, *, items: int = 400, labelled: int = 120, accuracy: float = 0.85
) -> tuple[Campaign, dict[str, str], dict[str, str]]:
    """B wins 30 % of pairs; the judge is right so often, and else names a."""
    rng = np.random.default_rng(seed)
    campaign = make_study(make_dataset((A, B), items), "forced_choice")
    truth = {f"i{n}/{A}/{B}": "b" if rng.random() < 0.3 else "a" for n in range(items)}
    judged = {key: value if rng.random() < accuracy else "a" for key, value in truth.items()}
    seen = dict(list(truth.items())[:labelled])
    person_says(campaign, {"overall": seen})
    judge_says(campaign, {"overall": judged}, title="Helpful")
    return campaign, seen, judged


def test_registered_and_refuses_what_it_cannot_do() -> None:
    assert KINDS["corrected"] is KIND
    campaign = make_campaign(protocol="forced_choice")
    assert KIND.why_not(campaign) == "No judge was run over this campaign."
    assert (
        KIND.why_not(make_campaign(protocol="rubric")) == "The protocol asks neither who is better nor for a rating."
    )
    assert figures_of(KIND, campaign)["corrected"].instead == "Nobody has answered yet."


def test_judge_that_helps_narrows_the_interval_around_the_truth() -> None:
    campaign, seen, judged = make_pairs(1)

    figure = figures_of(KIND, campaign)["corrected"]

    corrected, people = (cells(figure, name) for name in ("corrected", "people"))
    said = np.array([float(judged[key] == "b") for key in judged])
    label = np.array([float(value == "b") for value in seen.values()])
    weight = cells(figure, "weight")[B]
    by_hand = label.mean() - weight * (said[:120].mean() - said[120:].mean())
    assert corrected[B].estimate == pytest.approx(by_hand)
    assert corrected[A].estimate == pytest.approx(1 - by_hand)
    assert people[B].estimate == pytest.approx(label.mean())
    width = [it[B].interval.high - it[B].interval.low for it in (corrected, people)]
    assert width[0] < 0.85 * width[1]
    saved, worth = cells(figure, "saved")[B], cells(figure, "worth")[B]
    assert worth == pytest.approx(120 + saved)
    assert worth / 120 == pytest.approx((width[1] / width[0]) ** 2, rel=0.05)
    assert cells(figure, "judge")[B] == pytest.approx(said.mean())


def test_judge_that_guesses_is_refused_with_the_reason_and_people_hold() -> None:
    campaign, *_ = make_pairs(2)
    rng = np.random.default_rng(3)
    run = judge_says(
        campaign, {"overall": {f"i{n}/{A}/{B}": rng.choice(["a", "b"]) for n in range(400)}}, title="Guesses"
    )

    figure = figures_of(KIND, campaign, Settings(options={"run": str(run.pk)}))["corrected"]

    refused = cells(figure, "corrected")[B]
    assert refused.estimate is None
    assert "narrow the interval by too little" in refused.reason
    assert cells(figure, "people")[B].interval is not None
    assert cells(figure, "saved")[B] is None
    assert any("the judge does not help" in note for note in figure.notes)


def test_few_labels_are_refused() -> None:
    campaign, *_ = make_pairs(4, items=60, labelled=20)

    found = cells(figures_of(KIND, campaign)["corrected"], "corrected")[B]

    assert found.reason == "20 items with human labels; at least 50 are needed"


def test_what_is_there_is_counted() -> None:
    campaign, *_ = make_pairs(5, items=100, labelled=60)

    found = figures_of(KIND, campaign)["labels"]

    assert cells(found, "labelled")[A] == 60
    assert cells(found, "others")[A] == 40
    assert cells(found, "judge_others")[A].n == 40


def test_ratings_are_corrected_too() -> None:
    rng = np.random.default_rng(6)
    campaign = make_study(make_dataset((A, B), 200), "acr")
    true = {
        f"i{n}/{name}": 2 + place + int(rng.integers(0, 3)) for n in range(200) for place, name in enumerate((A, B))
    }
    person_says(campaign, {"overall": {key: str(value) for key, value in list(true.items())[:160]}})
    judge_says(
        campaign, {"overall": {key: str(min(5, value + int(rng.random() < 0.3))) for key, value in true.items()}}
    )

    figure = figures_of(KIND, campaign)["corrected"]

    found = cells(figure, "corrected")[A]
    truth = np.mean([value for key, value in true.items() if key.endswith(A)])
    assert found.interval.low < truth < found.interval.high
    assert figure.table.columns[1].form == "number"
    assert cells(figure, "saved")[A] > 50
