from typing import Any

import krippendorff
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from analytics.data.label_arrays import Reading
from analytics.reports.kinds.judges import KIND
from analytics.reports.output.figures import Curves, Figure, Heatmap, Link
from campaigns.models import Campaign
from judges.models import Run, Verdict
from protocols.fusion import fuse
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.analytics.saying import judge_says, labels_say, make_run, people_say, units_of
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db

TRUTH = ["a", "b", "a", "both_good", "b", "both_bad", "a", "a", "b", "a", "b", "a"]
GOOD = ["a", "b", "a", "both_good", "b", "both_bad", "a", "a", "b", "a", "a", "b"]
POOR = ["b", "b", "b", "a", "b", "a", "a", "b", "b", "b", "a", "unparsed"]
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")


@pytest.fixture
def campaign() -> Campaign:
    """Twelve units on which two people agree; a third differs on two of them."""
    campaign = make_campaign(units=len(TRUTH))
    people_say(campaign, TRUTH, TRUTH, ["b", *TRUTH[1:-1], "b"])
    return campaign


def found_in(campaign: Campaign, **options: Any) -> dict[str, Figure]:
    return figures_of(KIND, campaign, **options)


def test_judges_people_and_baselines_stand_side_by_side(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": GOOD}, title="Good")
    judge_says(campaign, {"ab": POOR}, title="Poor")

    table = found_in(campaign)["agreement-overall"]

    good, poor = row_of(table, who="Good"), row_of(table, who="Poor")
    assert good["kappa"].estimate == pytest.approx(cohen_kappa_score(TRUTH, GOOD))
    assert (good["accuracy"].estimate, good["accuracy"].n) == (pytest.approx(accuracy_score(TRUTH, GOOD)), 12)
    assert good["accuracy"].interval.low < 10 / 12 < good["accuracy"].interval.high
    assert (poor["accuracy"].n, poor["missing"], poor["note"]) == (12, 1, "1 could not be read")
    assert row_of(table, who="People, each against the others")["accuracy"].n > 0
    assert row_of(table, who="Chance, all labels alike")["accuracy"].estimate == 0.25
    assert row_of(table, who="Always the most frequent label: a better")["accuracy"].estimate == 0.5


def test_soft_agreement_is_with_all_people_and_what_is_missing_agrees_with_nobody(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": POOR}, title="Poor")
    judge_says(campaign, {"ab": TRUTH}, title="True")

    table = found_in(campaign)["agreement-overall"]

    assert row_of(table, who="True")["soft"].estimate == pytest.approx((10 + 2 * 2 / 3) / 12)
    third = ["b", *TRUTH[1:-1], "b"]
    shares = [
        sum(said == label for label in labels) / 3
        for said, *labels in zip(POOR, TRUTH, TRUTH, third, strict=True)
    ]  # fmt: skip
    assert row_of(table, who="Poor")["soft"].estimate == pytest.approx(sum(shares) / 12)
    assert row_of(table, who="People, each against the others")["soft"].estimate == pytest.approx((10 + 2 / 3) / 12)


def test_mcnemar_of_every_two_judges_is_that_of_statsmodels(campaign: Campaign) -> None:
    said = {"Good": GOOD, "Poor": POOR, "Third": ["a"] * 12}
    for title, answers in said.items():
        judge_says(campaign, {"ab": answers}, title=title)

    figure = found_in(campaign)["judges-differ"]

    expected = []
    for row in rows_of(figure):
        one, other = ([x == y for x, y in zip(said[row[key]], TRUTH, strict=True)] for key in ("one", "other"))
        cells = [[sum((x, y) == cell for x, y in zip(one, other, strict=True)) for cell in cells] for cells in (
            [(True, True), (True, False)], [(False, True), (False, False)])]  # fmt: skip
        assert (row["gain"], row["loss"]) == (cells[0][1], cells[1][0])
        assert row["p"].estimate == pytest.approx(mcnemar(cells, exact=True).pvalue)
        assert row["difference"].estimate == pytest.approx((cells[0][1] - cells[1][0]) / 12)
        expected.append(row["p"].estimate)
    assert len(expected) == 3
    assert [row["p_holm"] for row in rows_of(figure)] == pytest.approx(multipletests(expected, method="holm")[1])
    assert isinstance(figure.picture, Heatmap)
    assert figure.picture.values[0][1] == pytest.approx(-(figure.picture.values[1][0] or 0))


def test_a_cell_of_a_confusion_leads_to_its_units(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": POOR}, title="Poor")

    figure = found_in(campaign, reading=Reading(with_excluded=True))[f"confusion-{run.pk}"]

    labels = ["a", "b", "both_good", "both_bad", "none"]
    expected = confusion_matrix(TRUTH, [it if it in labels else "none" for it in POOR], labels=labels)
    assert figure.table is not None
    counts = [[int(c.text) if isinstance(c, Link) else c for c in row[1:6]] for row in figure.table.rows]
    assert counts == expected[:4].tolist()
    link = figure.table.rows[0][2]
    assert isinstance(link, Link)
    assert (link.to, link.args) == ("disagreements", (campaign.slug,))
    assert link.query == {
        "reference": "people", "aspect": "overall", "judge": str(run.pk), "people": "a", "said": "b", "excluded": "1",
    }  # fmt: skip


def test_a_judge_that_has_to_qualify_is_named_and_has_no_figures(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": GOOD}, title="Good")
    judge_says(campaign, {"ab": GOOD}, title="Near", kind="embedding")

    figures = found_in(campaign)

    row = row_of(figures["agreement-overall"], who="Near")
    assert (row["kappa"], row["accuracy"]) == (None, None)
    assert row["note"] == "It was not put before labelled prompts yet."
    assert "takes two judges" in figures["judges-differ"].instead
    assert [key for key in figures if key.startswith("confusion-")] == [f"confusion-{Run.objects.earliest('pk').pk}"]


def test_the_reference_and_the_aspect_can_be_chosen(campaign: Campaign) -> None:
    labels_say(campaign, "Experts", GOOD)
    run = judge_says(campaign, {"ab": GOOD}, title="Good")
    options = {option.name: [value for value, _ in option.values] for option in KIND.options(campaign)}

    assert options["reference"] == ["people", "labels-Experts"]
    assert options["aspect"][0] == "overall"
    assert options["judge"] == ["", str(run.pk)]
    by_experts = found_in(campaign, reference="labels-Experts")
    assert row_of(by_experts["agreement-overall"], who="Good")["accuracy"].estimate == 1.0
    assert found_in(campaign, aspect="content")["judges-differ"].title.endswith("Content")


def test_a_judge_asked_several_times_is_held_against_shares_of_people() -> None:
    campaign = make_campaign(units=4)
    people_say(campaign, ["a", "a", "a", "b"], ["a", "a", "b", "b"])
    thrice = [*"aaa", *"aab", *"abb", *"bbb"]
    judge_says(campaign, {"ab": thrice}, samples=3)

    figure = found_in(campaign)["calibration"]

    rows = rows_of(figure)
    assert [(round(row["confidence"], 4), row["people"].estimate, row["people"].n) for row in rows] == [
        (0.3333, 0.25, 2), (0.6667, 0.75, 2), (1.0, 1.0, 2),
    ]  # fmt: skip
    assert isinstance(figure.picture, Curves)
    assert figure.picture.diagonal


def test_a_judge_asked_once_has_no_calibration(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": GOOD})

    assert "several samples" in found_in(campaign)["calibration"].instead


def test_dimensions_are_fused_by_every_policy_and_probed() -> None:
    triples = [("a", "b", "b"), ("both_good", "a", "b"), ("both_bad", "a", "both_bad"), ("b", "b", "a")]
    campaign = make_campaign(units=4)
    overall = ["a", "b", "both_bad", "b"]
    people_say(campaign, overall)
    run = judge_says(campaign, {"ab": ["a", "a", "a", "a"]}, title="Good")
    for place, aspect in enumerate(ASPECTS[:3]):
        for verdict, unit in zip(run.verdicts.order_by("pk"), range(4), strict=True):
            verdict.answers.create(aspect=aspect, value=triples[unit][place])
    better = judge_says(campaign, {"ab": ["a", "b", "a", "a"]}, title="Better")
    for aspect in ASPECTS[:3]:
        for verdict in better.verdicts.all():
            verdict.answers.create(aspect=aspect, value="a")

    figures = found_in(campaign, policy="speakbench")

    assert figures["fusion"].picture.rows == ("Better", "Good")
    row = row_of(figures["fusion"], who="Good")
    assert row["said"].estimate == 0.25
    for policy in ("speakbench", "speakbench_dominant", "majority", "s2s_arena"):
        fused = [fuse(policy, content=c, voice_quality=v, paralinguistics=p) for c, v, p in triples]
        right = sum(one == other for one, other in zip(fused, overall, strict=True))
        assert row[policy].estimate == right / 4, policy
    assert row_of(figures["p3"], who="Good")["winner_on_bad"].estimate == 1.0
    assert row_of(figures["p2"], who="Good")["content"].estimate == 0.5
    resolved = row_of(figures["p1"], who="Good", resolved_by="Paralinguistics")
    assert (resolved["share"].estimate, resolved["right"].estimate) == (0.75, pytest.approx(1 / 3))


def test_without_dimensions_the_reports_say_what_is_missing() -> None:
    campaign = make_campaign(units=2, protocol="untyped_tie")
    people_say(campaign, ["a", "b"])
    judge_says(campaign, {"ab": ["a", "b"]})

    figures = found_in(campaign)

    for key in ("p1", "p2", "p3", "fusion"):
        assert figures[key].instead.startswith("This needs a protocol that asks for content")


def test_cost_time_and_what_could_not_be_read_are_counted(campaign: Campaign) -> None:
    run = make_run(campaign, title="Dear", orders="ab")
    judge_says(campaign, {"ab": POOR}, run=run, verdict={"cost_usd": "0.002", "seconds": 1.5})

    row = row_of(found_in(campaign)["spending"], judge="Dear")

    assert row["usd_per_1000"] == pytest.approx(2.0)
    assert row["seconds_per_1000"] == pytest.approx(1500)
    assert (row["units"], row["ok"], row["unparsed"]) == (12, 11, 1)


def test_two_runs_of_one_judge_have_names_of_their_own(campaign: Campaign) -> None:
    first = judge_says(campaign, {"ab": GOOD}, title="Good")
    second = Run.objects.create(
        campaign=campaign, judge=first.judge, started_by=first.started_by, status="done", orders="ab"
    )
    judge_says(campaign, {"ab": POOR}, run=second)

    who = [row["who"] for row in rows_of(found_in(campaign)["agreement-overall"])]

    assert {f"Good ({first.pk})", f"Good ({second.pk})"} < set(who)


def test_without_runs_and_without_labels_it_is_said_why() -> None:
    campaign = make_campaign(units=2)
    assert KIND.why_not(campaign).startswith("No judge has run")
    judge_says(campaign, {"ab": ["a", "b"]})
    assert KIND.why_not(campaign) is None
    assert found_in(campaign)["agreement"].instead.startswith("Nobody has labelled")


def test_a_running_judge_counts_only_where_it_is_through(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": GOOD}, title="Good")
    judge_says(campaign, {"ab": [*GOOD[:4], *["waiting"] * 8]}, title="Slow", status="running")

    figures = found_in(campaign)

    assert row_of(figures["agreement-overall"], who="Slow")["accuracy"].n == 4
    assert rows_of(figures["judges-differ"])[0]["p"].n == 4
    assert Verdict.objects.filter(status="waiting").count() == 8


def test_places_do_not_matter(campaign: Campaign) -> None:
    """Units in another order give the same figures: nothing hangs on where a unit stands."""
    judge_says(campaign, {"ab": GOOD}, title="Good")
    before = row_of(found_in(campaign)["agreement-overall"], who="Good")
    last = len(TRUTH)
    for row in units_of(campaign):
        row.position = 100 + last - row.position
        row.save()

    after = row_of(found_in(campaign)["agreement-overall"], who="Good")

    assert (after["kappa"], after["accuracy"], after["soft"]) == (before["kappa"], before["accuracy"], before["soft"])


def test_judges_are_held_against_each_other_and_themselves(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": GOOD, "ba": POOR}, title="Good")
    judge_says(campaign, {"ab": TRUTH}, title="True")

    rows = rows_of(found_in(campaign)["reliability"])

    both = [(one, other) for one, other in zip(GOOD, POOR, strict=True) if other != "unparsed"]
    own = next(row for row in rows if (row["one"], row["other"]) == ("Good, AB", "Good, BA"))
    assert own["kappa"].estimate == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)))
    codes = {label: place for place, label in enumerate(sorted({*GOOD, *POOR, *TRUTH}))}
    nan = float("nan")
    data = [[nan if it == "unparsed" else codes[it] for it in said] for said in (GOOD, POOR, TRUTH)]
    assert rows[0]["alpha"].estimate == pytest.approx(krippendorff.alpha(data, level_of_measurement="nominal"))


def test_a_tie_is_half_right_where_people_named_winners_alone() -> None:
    campaign = make_campaign(units=4, protocol="untyped_tie")
    people_say(campaign, ["a", "b", "a", "b"])
    judge_says(campaign, {"ab": ["a", "tie", "tie", "a"]}, title="Judge")

    row = row_of(found_in(campaign)["agreement-overall"], who="Judge")

    assert (row["accuracy"].estimate, row["half"].estimate) == (0.25, 0.5)
