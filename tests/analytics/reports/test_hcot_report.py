"""The HCoT study as a report: of which labels, beside which, and for which protocols."""

import pytest

from analytics.reports.kinds.hcot import KIND, passes
from analytics.reports.output.figures import Heatmap, Link
from analytics.reports.source import Settings, Source
from campaigns.launch.lifecycle import create_campaign
from campaigns.models import Campaign, Membership, Role
from protocols.fusion import POLICIES
from tests.analytics.reports.shown import figures_of, links_of, row_of, rows_of
from tests.analytics.saying import judge_says, labels_say, people_say, units_of
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")
#: Content, voice quality, paralinguistics, overall: all follow from SpeakBench's rule but the last.
SAID = [
    ("a", "b", "both_bad", "a"),
    ("b", "both_good", "b", "b"),
    ("both_good", "a", "both_good", "a"),
    ("both_bad", "b", "both_bad", "both_bad"),
    ("both_good", "both_good", "both_good", "both_good"),
    ("a", "a", "both_bad", "both_bad"),
]


def studied(said=SAID, **fields) -> Campaign:
    campaign = make_campaign(units=len(said), protocol="hcot", **fields)
    for at, aspect in enumerate(ASPECTS):
        people_say(campaign, [labels[at] for labels in said], aspect=aspect, first_seat=at + 1)
    return campaign


def again(campaign, **fields) -> Campaign:
    """Another campaign over the same dataset and units."""
    units = [row.unit for row in units_of(campaign)]
    return create_campaign(
        campaign.dataset,
        title="Second pass",
        protocol=campaign.protocol,
        units=units,
        user=campaign.created_by,
        **fields,
    )


def test_labels_are_counted_as_in_table_6():
    row = row_of(figures_of(KIND, studied())["counts"], "Content")

    assert [row[key] for key in ("both_bad", "winner", "both_good", "a", "b", "undecided")] == [1, 3, 2, 2, 1, 0]


def test_of_several_raters_the_majority_counts_and_where_there_is_none_it_is_said():
    campaign = make_campaign(units=2, protocol="hcot")
    people_say(campaign, ["a", "a"], ["a", "b"])

    row = row_of(figures_of(KIND, campaign)["counts"], "Overall")

    assert (row["a"], row["b"], row["undecided"]) == (1, 0, 1)


@pytest.mark.parametrize("policy", ["speakbench", "speakbench_dominant", "majority"])
def test_rules_are_right_as_often_as_they_are(policy):
    expected = {"speakbench": (4, 0), "speakbench_dominant": (5, 0), "majority": (3, 1)}[policy]

    row = row_of(figures_of(KIND, studied())["fusion"], POLICIES[policy].title)

    assert (row["equal"], row["undefined"]) == expected
    assert (row["share"].estimate, row["share"].n) == (expected[0] / 6, 6)
    assert row["share"].interval.method == "Wilson"


def test_rules_stand_in_the_order_of_how_often_they_are_right():
    *rules, best = rows_of(figures_of(KIND, studied())["fusion"])
    equal = [row["equal"] for row in rules]

    assert len(set(equal)) > 2
    assert equal == sorted(equal, reverse=True)
    assert best["policy"] == "The best that any rule could do on these units"


def test_the_best_rule_looks_labels_up():
    row = row_of(figures_of(KIND, studied())["fusion"], "The best that any rule could do on these units")

    assert row["equal"] == 6


def test_units_with_a_label_missing_are_left_out_and_counted():
    campaign = studied()
    labels_say(campaign, "Other", ["a"] * 6)

    figures = figures_of(KIND, campaign, labels="labels-Other")

    assert figures["counts"].table
    assert figures["coherence"].instead
    assert "fusion" not in figures
    part = studied([*SAID[:5], ("a", "a", "a", None)])
    assert row_of(figures_of(KIND, part)["fusion"], POLICIES["speakbench"].title)["share"].n == 5
    assert figures_of(KIND, part)["fusion"].notes[-1].endswith("undecided: 1.")


def test_what_the_overall_label_hangs_on_is_a_heatmap_of_weights():
    figure = figures_of(KIND, studied(SAID * 5))["coherence-weights"]

    assert (figure.picture.x_title, figure.picture.title) == ("Overall label", "Log-odds")

    assert isinstance(figure.picture, Heatmap)
    assert len(figure.picture.values) == 3 * 4
    found = {(row["dimension"], row["label"]): row for row in rows_of(figure)}
    row = found["Content", "b better"]
    assert row["overall_b"] == max(row[f"overall_{label}"] for label in ("both_bad", "a", "b", "both_good"))
    assert sum(row[f"overall_{label}"] for label in ("both_bad", "a", "b", "both_good")) == pytest.approx(0, abs=1e-9)


def test_too_few_units_have_no_model_and_all_else():
    figures = figures_of(KIND, studied(SAID[:2]))

    row = rows_of(figures["coherence"])[0]
    assert (row["right"].estimate, row["right"].reason) == (None, "fewer than 5 units with all labels")
    assert "coherence-weights" not in figures
    assert rows_of(figures["p3"])[0]["winner_slice"].n == 2


def test_units_whose_overall_label_does_not_follow_lead_to_their_clips():
    campaign = studied()

    figure = figures_of(KIND, campaign)["unlike"]
    (row,) = rows_of(figure)

    last = units_of(campaign)[5]
    assert links_of(figure, "unit") == [Link("Unit 6", "review-unit", (campaign.slug, last.pk))]
    assert (row["overall"], row["more_0"]) == ("both bad", "a better")


def test_no_system_is_named():
    """Whoever may see the report need not know yet who is who: the keys of units often say so."""
    campaign = studied()
    for row in units_of(campaign):
        row.unit.key = f"{RARE_A} | {RARE_B} | {row.unit.key}"
        row.unit.save()
    labels_say(campaign, "Second", ["b"] * 6)

    told = repr(figures_of(KIND, campaign))

    assert RARE_A not in told
    assert RARE_B not in told


def test_long_lists_are_cut_and_it_is_said(monkeypatch):
    monkeypatch.setattr(passes, "MOST_LISTED", 2)

    figure = figures_of(KIND, studied([("a", "a", "a", "b")] * 3))["unlike"]

    assert len(rows_of(figure)) == 2
    assert figure.notes == ("The first 2 of 3 units, in the order of the campaign.",)


def test_imported_labels_without_types_are_compared_with_all_ties_alike():
    campaign = studied()
    labels_say(campaign, "Original", ["a", "b", "b", "tie", "tie", "tie"])

    figures = figures_of(KIND, campaign)

    (row,) = rows_of(figures["passes"])
    assert (row["as_given"], row["ties_merged"].estimate, row["ties_merged"].n) == (None, 5 / 6, 6)
    assert (row["winners"].estimate, row["winners"].n) == (2 / 3, 3)
    assert row["cohen_kappa"].estimate == row["kappa_ties_merged"].estimate
    assert [it["more_0"] for it in rows_of(figures["disagreements"])] == ["b better"]


def test_confusion_counts_what_labels_became_of_each_other():
    campaign = studied()
    labels_say(campaign, "Second", ["a", "b", "both_good", "both_bad", "both_good", "a"])

    rows = {row["label"]: row for row in rows_of(figures_of(KIND, campaign)["confusion"])}

    assert rows["a better"] == {
        "label": "a better",
        "other_a": 1,
        "other_b": 0,
        "other_both_good": 1,
        "other_both_bad": 0,
    }
    assert rows["both bad"]["other_a"] == 1


def test_a_judges_run_is_a_pass_too():
    campaign = studied()
    run = judge_says(campaign, {"ab": ["a", "b", "a", "a", "a", "a"]})

    row = row_of(figures_of(KIND, campaign, other=f"run-{run.pk}")["passes"], "Overall")

    assert row["as_given"].estimate == 3 / 6


def test_another_campaign_over_the_same_units_is_a_pass():
    campaign = studied()
    other = again(campaign)
    Membership.objects.create(campaign=campaign, user=campaign.created_by, role=Role.RESEARCHER)
    for at, aspect in enumerate(ASPECTS):
        said = {row.unit_id: labels[at] for row, labels in zip(units_of(campaign), SAID, strict=True)}
        people_say(other, [said[row.unit_id] for row in units_of(other)], aspect=aspect, first_seat=at + 1)

    figures = figures_of(KIND, campaign, other=f"campaign-{other.slug}")

    assert {row["aspect"]: row["as_given"].estimate for row in rows_of(figures["passes"])} == {
        "Content": 1.0, "Voice quality": 1.0, "Paralinguistics": 1.0, "Overall": 1.0,
    }  # fmt: skip
    assert "'Second pass'" in figures["passes"].title


def test_what_another_campaign_says_makes_the_report_anew():
    campaign = studied()
    other = again(campaign)
    Membership.objects.create(campaign=campaign, user=campaign.created_by, role=Role.RESEARCHER)
    source = Source(campaign, Settings(options={"other": f"campaign-{other.slug}"}))
    before = KIND.more_stamps(source)

    people_say(other, ["a"] * len(SAID))

    assert KIND.more_stamps(source) != before
    assert KIND.more_stamps(Source(campaign)) == ()


def test_campaigns_that_not_everybody_here_may_see_are_not_offered():
    campaign = studied()
    Membership.objects.create(campaign=campaign, user=campaign.created_by, role=Role.RESEARCHER)
    slug = again(campaign).slug
    assert f"campaign-{slug}" in dict(KIND.options(campaign)[1].values)

    make_member(campaign, Role.REVIEWER)

    assert f"campaign-{slug}" not in dict(KIND.options(campaign)[1].values)


def test_a_pass_is_not_compared_with_itself():
    assert figures_of(KIND, studied())["passes"].instead


def test_protocols_without_the_dimensions_are_refused_with_what_they_lack():
    assert KIND.why_not(studied()) is None
    assert "typed ties" in KIND.why_not(make_campaign(protocol="blind_overall"))
