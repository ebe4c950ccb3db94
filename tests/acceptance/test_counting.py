"""Judges beside people on 1,000 published pairs, counted in each way that papers count.

What is expected is taken from the file of the source alone, by pandas and scikit-learn.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from analytics.reports.kinds import judges
from analytics.reports.kinds import systems as systems_kind
from campaigns.models import Campaign
from tests.acceptance.importing import import_verdicts, table_at, written
from tests.acceptance.test_audiojudge import CHATBOT, clips_compared
from tests.analytics.reports.shown import figures_of, row_of, rows_of

pytestmark = pytest.mark.django_db
TURNED = {"1": "2", "2": "1"}
#: Verdicts that are taken away, so that some are missing: every tenth pair in the first order.
EVERY = 10


@pytest.fixture
def rows(shared_data: Path) -> list[dict[str, str]]:
    found = [it for it in table_at(shared_data / "audiojudge" / "chatbotarena_judges.csv") if it["n_shots"] == "0"]
    keys = list(dict.fromkeys(it["item_id"] for it in found))
    gone = set(keys[::EVERY])
    return [it | {"verdict": "" if it["item_id"] in gone and it["order"] == "AB" else it["verdict"]} for it in found]


@pytest.fixture
def campaign(rows: list[dict[str, str]], tmp_path: Path) -> Campaign:
    campaign = clips_compared(rows, tmp_path / "pairs.csv", protocol="untyped_tie", title="ChatbotArena")
    import_verdicts(campaign, written(tmp_path / "v.csv", ({it: row[it] for it in CHATBOT} for row in rows)))
    return campaign


def frame(rows: list[dict[str, str]]) -> pd.DataFrame:
    """A row per pair: what people say, and what the judge says in each order, turned back; None where missing."""
    table = pd.DataFrame(rows)
    back = table["verdict"].where(table["order"] == "AB", table["verdict"].map(lambda it: TURNED.get(it, it)))
    table["said"] = back.where(back != "", None)
    wide = table.pivot(index="item_id", columns="order", values="said")
    wide["people"] = table.groupby("item_id")["label_human"].first()
    return wide.astype(object).where(wide.notna(), None)


def together(row: "pd.Series[Any]") -> str | None:
    """What both orders say: nothing where one is missing, `differ` where they disagree."""
    if row["AB"] is None or row["BA"] is None:
        return None
    return str(row["AB"]) if row["AB"] == row["BA"] else "differ"


def test_every_way_of_counting_is_that_of_pandas(
    campaign: Campaign, rows: list[dict[str, str]], client: Client
) -> None:
    client.force_login(campaign.created_by)
    table = frame(rows)
    said = table.apply(together, axis=1)
    plain, tied = said.mask(said == "differ", None), said.replace("differ", "tie")
    people, both = table["people"], pd.concat([table["AB"], table["BA"]])
    twice = pd.concat([table["people"], table["people"]])
    is_tie, missing = people == "tie", plain.isna()
    ways = {
        (): (plain, people, 0.0),
        (("missing", "left_out"),): (plain[~missing], people[~missing], 0.0),
        (("missing", "half"),): (plain, people, 0.5),
        (("differ", "tie"),): (tied, people, 0.0),
        (("differ", "tie"), ("missing", "left_out")): (tied[tied.notna()], people[tied.notna()], 0.0),
        (("differ", "two"),): (both, twice, 0.0),
        (("differ", "two"), ("missing", "left_out")): (both[both.notna()], twice[both.notna()], 0.0),
        (("ties", "out"),): (plain[~is_tie], people[~is_tie], 0.0),
        (("ties", "winners"), ("missing", "left_out")): (
            plain[~is_tie & ~missing & (plain != "tie")], people[~is_tie & ~missing & (plain != "tie")], 0.0
        ),
    }  # fmt: skip
    for chosen, (judge, reference, for_missing) in ways.items():
        expected = ((judge == reference) + for_missing * judge.isna()).mean()
        kappa = cohen_kappa_score(judge.fillna("(none)").astype(str), reference.astype(str))
        page = client.get(reverse("comparison-file", args=[campaign.slug, "json"]), dict(chosen)).json()
        api = client.get(f"/api/v1/campaigns/{campaign.slug}/comparison/?{urlencode(chosen)}").json()
        found = row_of(figures_of(judges.KIND, campaign, **dict(chosen))["agreement-overall"], who="gpt-4o-audio")
        for document in (page, api):
            (row,) = [it for it in document["rows"] if it["kind"] == "judge"]
            assert document["counting"] == dict(chosen)
            assert (row["n"], row["accuracy"]) == (len(judge), pytest.approx(expected, abs=1e-6)), chosen
            assert row["kappa"] == pytest.approx(kappa, abs=1e-6), chosen
        assert found["accuracy"].estimate == pytest.approx(expected), chosen
        assert found["kappa"].estimate == pytest.approx(kappa), chosen


def test_people_over_judged_pairs_and_orders_as_a_tie_are_those_of_scipy(
    rows: list[dict[str, str]], tmp_path: Path
) -> None:
    """Win rates where the judge was asked about the second half of the pairs alone."""
    table = frame(rows)
    asked = set(table.index[len(table) // 2 :])
    campaign = clips_compared(rows, tmp_path / "pairs.csv", protocol="untyped_tie", title="ChatbotArena")
    theirs = [{it: row[it] for it in CHATBOT} for row in rows if row["item_id"] in asked]
    import_verdicts(campaign, written(tmp_path / "v.csv", theirs))
    systems = pd.DataFrame(rows).groupby("item_id")[["system_a", "system_b"]].first()
    said = table.apply(together, axis=1).replace("differ", "tie").loc[sorted(asked)]
    judge = win_rates(systems, said[said.notna()])
    everything, half = win_rates(systems, table["people"]), win_rates(systems, table.loc[sorted(asked), "people"])
    for over, people in (("", everything), ("judged", half)):
        figures = figures_of(systems_kind.KIND, campaign, over=over, orders="tie")
        (row,) = rows_of(figures["correlations"])
        both = pd.concat([people.rename(0), judge.rename(1)], axis=1).dropna()
        assert row["spearman"].n == len(both)
        rho = spearmanr(both[0].rank(), both[1].rank()).statistic
        assert row["spearman"].estimate == pytest.approx(rho), over


def win_rates(systems: pd.DataFrame, said: "pd.Series[Any]") -> "pd.Series[Any]":
    """By system, wins and half the ties; rounded, so that equal ones stay equal."""
    score = said.map({"1": 1.0, "2": 0.0, "tie": 0.5})
    named = systems.loc[said.index]
    one = pd.DataFrame({"system": named["system_a"], "won": score})
    other = pd.DataFrame({"system": named["system_b"], "won": 1 - score})
    return pd.concat([one, other]).groupby("system")["won"].mean().round(9)
