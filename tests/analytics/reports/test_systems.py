from fractions import Fraction

import pytest
from django.utils.translation import override
from scipy import stats

from analytics.reports.kinds.systems import KIND
from analytics.reports.output.figures import Dots, Figure, Heatmap, Scatter
from analytics.reports.output.wording import reason
from campaigns.models import Campaign
from corpus.models import Response, System
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.analytics.saying import judge_says, people_say, units_of
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db

#: Every pair of four systems, twice.
PAIRS = [*("AB", "AC", "AD", "BC", "BD", "CD") * 2]
PEOPLE = ["a", "a", "a", "a", "b", "a", "both_good", "a", "a", "a", "b", "both_bad"]
JUDGE = ["a", "b", "a", "a", "b", "a", "a", "a", "b", "a", "both_good", "a"]
AGAIN = ["b", "b", "a", "a", "b", "a", "a", "unparsed", "b", "a", "a", "a"]
SCORES = {"a": Fraction(1), "b": Fraction(0), "both_good": Fraction(1, 2), "both_bad": Fraction(1, 2)}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=len(PAIRS))
    for row, pair in zip(units_of(campaign), PAIRS, strict=True):
        for slot, name in zip("ab", pair, strict=True):
            system, _ = System.objects.get_or_create(dataset=campaign.dataset, name=name)
            Response.objects.filter(pk=getattr(row.unit, f"{slot}_id")).update(system=system)
    people_say(campaign, PEOPLE)
    return campaign


def rates(*votes: list[str], against: str = "") -> dict[str, Fraction]:
    won: dict[str, list[Fraction]] = {}
    for said in votes:
        for (a, b), value in zip(PAIRS, said, strict=True):
            if value in SCORES and against in ("", a, b):
                if against != a:
                    won.setdefault(a, []).append(SCORES[value])
                if against != b:
                    won.setdefault(b, []).append(1 - SCORES[value])
    return {name: sum(scores, Fraction(0)) / len(scores) for name, scores in won.items()}


def exact(figure: Figure, key: str) -> dict[str, Fraction]:
    return {row["system"]: Fraction(row[f"{key}-exact"]) for row in rows_of(figure) if row[f"{key}-exact"]}


def test_win_rates_count_ties_as_half_exactly(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": JUDGE}, title="Judge")

    figure = figures_of(KIND, campaign)["win-rates"]

    assert exact(figure, "people") == rates(PEOPLE)
    assert exact(figure, f"run-{run.pk}") == rates(JUDGE)
    assert [row["system"] for row in rows_of(figure)] == sorted(rates(PEOPLE), key=lambda name: -rates(PEOPLE)[name])
    row = row_of(figure, system="A")
    assert (row["people"].n, row["people-rank"]) == (6, 1.0)
    assert row["people"].interval.low < float(rates(PEOPLE)["A"])


def test_both_orders_are_votes_of_their_own_or_one_where_they_agree(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": JUDGE, "ba": AGAIN})
    agreed = [one if one == other else "none" for one, other in zip(JUDGE, AGAIN, strict=True)]

    each = figures_of(KIND, campaign)["win-rates"]
    reconciled = figures_of(KIND, campaign, orders="reconciled")["win-rates"]

    assert exact(each, f"run-{run.pk}") == rates(JUDGE, AGAIN)
    assert exact(reconciled, f"run-{run.pk}") == rates(agreed)


def test_judges_may_count_against_one_system_alone_and_people_with_them(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": JUDGE})

    judge_only = figures_of(KIND, campaign, against="B")["win-rates"]
    both = figures_of(KIND, campaign, against="B", people_against="same")["win-rates"]

    assert exact(judge_only, f"run-{run.pk}") == rates(JUDGE, against="B")
    assert exact(judge_only, "people") == rates(PEOPLE)
    assert exact(both, "people") == rates(PEOPLE, against="B")
    assert any("only votes against 'B' count" in note for note in judge_only.notes)


def test_dimensions_together_are_one_vote(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ["b"] * 12})
    for place, verdict in enumerate(run.verdicts.order_by("pk")):
        for aspect, value in zip(("content", "voice_quality", "paralinguistics"), "aab", strict=True):
            if place or aspect != "content":
                verdict.answers.create(aspect=aspect, value=value)
    # On the first unit two dimensions answered, one each way: a tie.
    expected = rates(["both_good", *["a"] * 11])

    figure = figures_of(KIND, campaign, vote="together")["win-rates"]

    assert exact(figure, f"run-{run.pk}") == expected
    assert exact(figure, "people") == rates(PEOPLE)


def test_judges_rank_systems_as_far_as_scipy_says(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": JUDGE}, title="Judge")
    one, other = rates(PEOPLE), rates(JUDGE)
    pairs = [[float(side[name]) for name in "ABCD"] for side in (one, other)]

    row = row_of(figures_of(KIND, campaign)["correlations"], who="Judge")

    assert row["pearson"].estimate == pytest.approx(stats.pearsonr(*pairs).statistic)
    assert row["spearman"].estimate == pytest.approx(stats.spearmanr(*pairs).statistic)
    assert row["kendall"].estimate == pytest.approx(stats.kendalltau(*pairs).statistic)
    assert (row["spearman"].n, row["spearman"].interval) == (4, None)
    assert row["kendall"].reason == "an interval needs 5 systems, and there are 4"


def test_judges_stand_in_the_order_of_how_well_they_rank_systems(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": [{"a": "b", "b": "a"}.get(it, it) for it in PEOPLE]}, title="Reversed")
    judge_says(campaign, {"ab": PEOPLE}, title="As people")

    figure = figures_of(KIND, campaign)["correlations"]

    assert [row["who"] for row in rows_of(figure)] == ["As people", "Reversed"]
    assert isinstance(figure.picture, Dots)
    assert figure.picture.labels == ("As people", "Reversed")


def test_why_there_is_no_interval_is_said_in_german_too(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": JUDGE}, title="Judge")
    found = row_of(figures_of(KIND, campaign)["correlations"], who="Judge")["kendall"]

    with override("de"):
        assert reason(found) == "ein Intervall braucht 5 Systeme, und es sind 4"


def test_pictures_set_judge_over_people_and_system_against_system(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": JUDGE}, title="Judge")

    figures = figures_of(KIND, campaign)

    scatter, matrix = figures[f"scatter-run-{run.pk}"].picture, figures["matrix-people"].picture
    assert isinstance(scatter, Scatter)
    assert dict(zip(scatter.names, scatter.x, strict=True)) == pytest.approx(
        {name: float(rate) for name, rate in rates(PEOPLE).items()}
    )
    assert isinstance(matrix, Heatmap)
    at = {name: place for place, name in enumerate(matrix.rows)}
    assert matrix.values[at["A"]][at["B"]] == 0.75
    assert matrix.values[at["B"]][at["A"]] == 0.25
    assert matrix.values[at["A"]][at["A"]] is None


def test_without_people_there_are_rates_and_no_correlation() -> None:
    campaign = make_campaign(units=2)
    judge_says(campaign, {"ab": ["a", "b"]}, title="Judge")

    figures = figures_of(KIND, campaign)

    assert "win-rates" in figures
    assert figures["correlations"].instead.startswith("It takes votes of people")


def test_numbers_from_minus_three_to_three_are_votes_by_their_sign() -> None:
    campaign = make_campaign(units=3, protocol="ccr")
    aspect = campaign.protocol.aspects[0].name
    people_say(campaign, ["-2", "0", "3"], aspect=aspect)

    figure = figures_of(KIND, campaign)["win-rates"]

    assert sorted(exact(figure, "people").values()) == [Fraction(1, 2), Fraction(1, 2)]
    assert {row["people"].n for row in rows_of(figure)} == {3}


def test_campaigns_that_compare_nothing_are_refused() -> None:
    campaign = make_campaign(units=2, protocol="acr")

    assert KIND.why_not(campaign).startswith("Systems win or lose where two responses are compared")
    assert figures_of(KIND, campaign)["win-rates"].instead == KIND.why_not(campaign)


def test_options_name_aspects_systems_and_references(campaign: Campaign) -> None:
    options = {option.name: [value for value, _ in option.values] for option in KIND.options(campaign)}

    assert options["vote"] == ["overall", "content", "voice_quality", "paralinguistics", "together"]
    assert {"", "A", "B", "C", "D"} <= set(options["against"])
    assert options["reference"] == ["people"]
