"""Choosing metrics: what was planted in a table is found in the report."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analytics.data.label_arrays import Reading
from analytics.reports.kinds import KINDS
from analytics.reports.kinds.metrics import KIND
from analytics.reports.source import Settings
from campaigns.models import Campaign
from corpus.models import Response
from measurements.models import MetricScore
from measurements.scores.tables import import_scores
from tests.analytics.reports.studies import cells, figures_of, make_dataset, make_study, person_says

pytestmark = pytest.mark.django_db
SYSTEMS = tuple(f"System {letter}" for letter in "ABCDEFGH")
#: Two signals: ChrF and BLEU carry the first, and so does UTMOS across axes; WER the second; SLC says nothing.
FIRST, SECOND = (2, 1, 4, 3, 6, 5, 8, 7), (8, 3, 5, 1, 7, 2, 6, 4)


def table(tmp_path: Path) -> Path:
    rows = {
        "BLEU": FIRST, "ChrF": [it + 0.1 for it in FIRST], "WER": SECOND,
        "UTMOS-v2": [10 * it for it in FIRST], "RDE": [0.5] * 8,
    }  # fmt: skip
    names = {"RDE": "Relative duration error"}
    path = tmp_path / "metrics.csv"
    lines = [",".join(["metric", *SYSTEMS])]
    lines += [",".join([names.get(name, name), *map(str, values)]) for name, values in rows.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_study(make_dataset(SYSTEMS, 3), "acr")
    assert not import_scores(campaign.dataset, table(tmp_path)).problems
    return campaign


def test_registered_and_waits_for_metrics() -> None:
    assert KINDS["metrics"] is KIND
    campaign = make_study(make_dataset(SYSTEMS[:3], 1), "acr")
    assert KIND.why_not(campaign).startswith("No metric was measured")
    MetricScore.objects.create(
        system=campaign.dataset.systems.first(), metric="wer", version="1", source="imported", value=1
    )
    assert KIND.why_not(campaign) is None
    assert "At least two metrics" in figures_of(KIND, campaign)["correlations"].instead


def test_correlations_are_scipys_and_those_alike_stand_together(campaign: Campaign) -> None:
    figure = figures_of(KIND, campaign)["correlations"]

    names = [row[0] for row in figure.table.rows]
    rho = {(row[0], name): value for row in figure.table.rows for name, value in zip(names, row[1:], strict=True)}
    assert rho["BLEU", "WER"] == pytest.approx(abs(stats.spearmanr(FIRST, SECOND).statistic))
    assert rho["BLEU", "UTMOS-v2"] == pytest.approx(1)
    places = sorted(names.index(name) for name in ("BLEU", "ChrF", "UTMOS-v2"))
    assert places[-1] - places[0] == 2
    assert figure.picture.rows == tuple(names)


def test_what_says_the_same_is_merged_and_one_stands_for_it(campaign: Campaign) -> None:
    found = figures_of(KIND, campaign)

    merged = found["merged"].table.rows
    assert {merged[0][1], merged[0][2]} == {"Translation quality (text)", "Audio naturalness"}
    assert merged[0][3] == pytest.approx(1)
    chosen = cells(found["scores"], "chosen")
    assert sum(it == "yes" for name, it in chosen.items() if name in ("BLEU", "ChrF", "UTMOS-v2")) == 1
    assert chosen["WER"] == "yes"
    clusters = cells(found["scores"], "cluster")
    assert clusters["BLEU"] == clusters["ChrF"] == clusters["UTMOS-v2"]
    assert cells(found["left-out"], "reason")["Relative duration error"] == "it is the same for every system"
    variation = cells(found["scores"], "discriminability")
    assert (max(variation.values()), min(variation.values())) == (1, 0)


def test_people_stand_beside_metrics(campaign: Campaign) -> None:
    rated = {f"i0/{name}": str(1 + level // 2) for name, level in zip(SYSTEMS, FIRST, strict=True)}
    person_says(campaign, {"overall": rated})

    figure = figures_of(KIND, campaign)["scores"]

    expected = stats.spearmanr([1 + level // 2 for level in FIRST], SECOND).statistic
    assert cells(figure, "people_1")["WER"].estimate == pytest.approx(expected)


def test_stability_is_over_categories(tmp_path: Path) -> None:
    campaign = make_study(make_dataset(SYSTEMS[:4], 4, categories=("de", "fr")), "acr")
    rng = np.random.default_rng(1)
    for response in Response.objects.select_related("system", "item"):
        level = SYSTEMS.index(response.system.name)
        turned = -level if response.item.category == "fr" else level
        for metric, value in (("utmos", level + rng.normal(0, 0.01)), ("nisqa", turned), ("wer", rng.normal())):
            MetricScore.objects.create(
                system=response.system, response=response, metric=metric, version="1", source="imported", value=value
            )

    found = figures_of(KIND, campaign)
    one = figures_of(KIND, campaign, Settings(options={"languages": "none"}))
    german = figures_of(KIND, campaign, Settings(Reading(category="de")))

    stable = cells(found["scores"], "stability")
    assert stable["UTMOS-v2"] == 1
    assert "NISQA-MOS" not in stable  # up in one and down in the other: the same for every system
    assert cells(one["scores"], "stability")["UTMOS-v2"] is None
    assert cells(german["scores"], "cluster")["UTMOS-v2"] == cells(german["scores"], "cluster")["NISQA-MOS"]
