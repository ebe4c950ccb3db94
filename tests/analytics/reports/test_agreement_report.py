"""Agreement as a report: of which labels, at which level, and what it says where there is none."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analytics.data.label_arrays import Reading
from analytics.reports.kinds.agreement import KIND
from analytics.reports.output.figures import Dots
from annotation.models import Annotation, Answer
from campaigns.models import CampaignUnit
from corpus.models import LabelSet
from stats.agreement.coefficients import gwet_ac1, krippendorff_alpha
from stats.agreement.labels import label_table
from tests.analytics.reports.shown import figures_of, row_of, rows_of
from tests.analytics.saying import judge_says, labels_say, people_say, units_of
from tests.factories import make_assignment, make_campaign, make_label

pytestmark = pytest.mark.django_db
TYPED = ("a", "b", "both_good", "both_bad")
ONE = ["a", "a", "b", "both_bad", "both_good", "b", "a", "both_bad"]
OTHER = ["a", "b", "b", "both_bad", "both_bad", "b", "a", "a"]
#: Choices, labels of people, imported ones and runs, facts of units, repeats.
QUERIES = 15


def alphas(figure):
    return {row["coefficient"]: row["value"].estimate for row in rows_of(figure)}


def test_two_people_have_the_coefficients_of_their_labels():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    found = alphas(figures_of(KIND, campaign)["coefficients-overall"])

    table = label_table([ONE, OTHER], categories=TYPED)
    assert found["Cohen’s κ"] == pytest.approx(cohen_kappa_score(ONE, OTHER))
    assert found["Krippendorff’s α (typed-tie distance)"] == krippendorff_alpha(table, level="typed_tie").estimate
    assert found["Gwet’s AC1"] == gwet_ac1(table).estimate
    assert list(found) == [
        "Cohen’s κ", "Cohen’s κ, typed-tie weights", "Fleiss’ κ", "Krippendorff’s α (nominal)",
        "Krippendorff’s α (typed-tie distance)", "Gwet’s AC1",
    ]  # fmt: skip


def test_percent_is_of_labels_as_given_of_ties_merged_and_of_winners():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    row = rows_of(figures_of(KIND, campaign)["percent"])[0]

    assert (row["as_given"].estimate, row["as_given"].n) == (5 / 8, 8)
    assert row["ties_merged"].estimate == 6 / 8
    assert (row["winners"].estimate, row["winners"].n) == (4 / 5, 5)
    assert (row["ceiling"].estimate, row["ceiling"].n) == (5 / 8, 16)


def test_words_stand_beside_the_coefficient_that_they_are_for():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    found = row_of(figures_of(KIND, campaign)["coefficients-overall"], "Cohen’s κ")
    alpha = row_of(figures_of(KIND, campaign)["coefficients-overall"], "Krippendorff’s α (nominal)")

    assert (found["landis_koch"], found["krippendorff"]) == ("moderate", None)
    assert (alpha["landis_koch"], alpha["krippendorff"]) == (None, "unreliable")


def test_a_scale_without_ties_has_neither_two_nor_three_ways_and_has_the_levels_of_numbers():
    campaign = make_campaign(units=5, protocol="acr")
    aspect = campaign.protocol.aspects[0].name
    people_say(campaign, ["1", "2", "3", "4", "5"], ["1", "3", "3", "5", "5"], aspect=aspect)

    found = figures_of(KIND, campaign)

    row = rows_of(found["percent"])[0]
    assert (row["ties_merged"], row["winners"]) == (None, None)
    assert [name for name in alphas(found[f"coefficients-{aspect}"]) if "α" in name or "weights" in name] == [
        "Cohen’s κ, linear weights", "Cohen’s κ, quadratic weights", "Krippendorff’s α (nominal)",
        "Krippendorff’s α (ordinal)", "Krippendorff’s α (interval)",
    ]  # fmt: skip


def test_ties_without_a_type_among_typed_ones_are_all_taken_without_and_it_is_said():
    campaign = make_campaign(units=4, protocol="blind_overall")
    people_say(campaign, ["a", "b", "both_good", "both_bad"])
    labels_say(campaign, "original", ["a", "a", "tie", "tie"])

    found = figures_of(KIND, campaign, labels="everybody")

    row = rows_of(found["percent"])[0]
    assert (row["as_given"], row["ties_merged"].estimate) == (None, 3 / 4)
    assert any("no type" in note for note in found["percent"].notes)
    assert [name for name in alphas(found["coefficients-overall"]) if "α" in name] == ["Krippendorff’s α (nominal)"]


def test_everybody_is_people_imported_labels_and_runs_as_their_orders_agree():
    campaign = make_campaign(units=4, protocol="blind_overall")
    people_say(campaign, ["a", "b", "a", "b"])
    labels_say(campaign, "Gold", ["a", "b", "b", None])
    judge_says(campaign, {"ab": ["a", "b", "a", "a"], "ba": ["a", "b", "b", "a"]})

    row = rows_of(figures_of(KIND, campaign, labels="everybody")["agreement"])[0]

    table = label_table([list("abab"), ["a", "b", "b", None], ["a", "b", None, "a"]], categories=TYPED)
    assert row["raters"] == 3
    assert row["alpha"].estimate == krippendorff_alpha(table, level="typed_tie").estimate


def test_the_ceiling_is_of_people_alone():
    campaign = make_campaign(units=2, protocol="blind_overall")
    people_say(campaign, ["a", "b"], ["a", "b"])
    judge_says(campaign, {"ab": ["b", "a"]})

    assert rows_of(figures_of(KIND, campaign, labels="everybody")["percent"])[0]["ceiling"].estimate == 1.0


def test_imported_labels_are_chosen_where_nobody_has_answered():
    campaign = make_campaign(units=4, protocol="blind_overall")
    labels_say(campaign, "Gold", list("abab"), rater="one")
    labels_say(campaign, "Gold", list("abba"), rater="two")

    (labels, _over) = KIND.options(campaign)

    assert [value for value, _ in labels.values] == ["labels-Gold", "people", "everybody"]
    assert rows_of(figures_of(KIND, campaign)["percent"])[0]["as_given"].estimate == 0.5


def test_a_filter_that_leaves_nobody_does_not_pass_to_other_labels():
    campaign = make_campaign(units=2, protocol="blind_overall")
    people_say(campaign, list("ab"), list("ab"))
    labels_say(campaign, "Gold", list("ab"), rater="one")
    labels_say(campaign, "Gold", list("ab"), rater="two")

    found = figures_of(KIND, campaign, Reading(group="link-0"))

    assert found["agreement"].instead


def test_undefined_is_a_result_with_its_reason():
    campaign = make_campaign(units=3, protocol="blind_overall")
    people_say(campaign, list("aaa"), list("aaa"))

    row = rows_of(figures_of(KIND, campaign)["agreement"])[0]

    assert row["alpha"].estimate is None
    assert row["alpha"].reason == "all labels are the same, so there is nothing to tell apart"
    assert (row["alpha_words"], row["kappa_words"]) == (None, None)
    assert row["gwet_ac1"].estimate == 1.0


def test_one_rater_agrees_with_nobody():
    campaign = make_campaign(units=3, protocol="blind_overall")
    people_say(campaign, list("aab"))

    found = figures_of(KIND, campaign)

    assert found["agreement"].table is None
    assert "two" in found["agreement"].instead


def test_categories_are_told_apart():
    campaign = make_campaign(units=4, protocol="blind_overall")
    for row, category in zip(units_of(campaign), ("song", "song", "whisper", "whisper"), strict=True):
        row.unit.item.category = category
        row.unit.item.save()
    people_say(campaign, list("abab"), list("abba"))

    figure = figures_of(KIND, campaign)["categories-overall"]

    assert {row["category"]: row["as_given"].estimate for row in rows_of(figure)} == {"song": 1.0, "whisper": 0.0}
    assert isinstance(figure.picture, Dots)
    assert figure.picture.labels == ("song", "whisper")


def test_items_are_drawn_whole_where_that_is_asked_for():
    campaign = make_campaign(units=8, protocol="blind_overall")
    rows = units_of(campaign)
    for row in rows[1:4]:
        row.unit.item = rows[0].unit.item
        row.unit.save()
    people_say(campaign, ONE, OTHER)

    by_unit = rows_of(figures_of(KIND, campaign)["agreement"])[0]["alpha"]
    by_item = rows_of(figures_of(KIND, campaign, over="items")["agreement"])[0]["alpha"]

    assert by_unit.estimate == by_item.estimate
    assert by_unit.interval.method == "delete-one jackknife over 8 units, Student's t"
    assert by_item.interval.method == "delete-one jackknife over 5 clusters, Student's t"


def test_the_same_answers_give_the_same_report():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    assert figures_of(KIND, campaign) == figures_of(KIND, campaign)


def repeat(campaign, person, said):
    """The same person answers these units of the campaign a second time."""
    for position, (place, value) in enumerate(said.items(), start=100):
        unit = units_of(campaign)[place].unit
        again = CampaignUnit.objects.create(campaign=campaign, unit=unit, position=position, purpose="repeat")
        assignment = make_assignment(campaign, person, campaign_unit=again, seat=1, status="answered")
        annotation = Annotation.objects.create(
            assignment=assignment, shown_at=assignment.shown_at, idempotency_key=f"again-{position}"
        )
        Answer.objects.create(annotation=annotation, aspect="overall", value=value)


def test_raters_are_compared_with_themselves_on_repeats():
    campaign = make_campaign(units=4, protocol="blind_overall")
    people_say(campaign, list("abab"), list("abba"))
    person = campaign.memberships.order_by("pk").first().user
    repeat(campaign, person, {0: "a", 1: "a", 2: "a", 3: "b"})

    row = rows_of(figures_of(KIND, campaign)["repeats"])[0]

    assert (row["raters"], row["same"].estimate, row["same"].n) == (1, 0.75, 4)
    assert row["cohen_kappa"].estimate == pytest.approx(cohen_kappa_score(list("abab"), list("aaab")))
    assert figures_of(KIND, campaign)["percent"].table == figures_of(KIND, campaign)["percent"].table


def test_imported_repeats_are_compared_with_the_same_raters_first_labels():
    campaign = make_campaign(units=2, protocol="blind_overall")
    labels_say(campaign, "Spring", list("ab"), rater="one")
    again = LabelSet.objects.create(
        dataset=campaign.dataset, name="Spring", rater="one", purpose="repeat", created_by=campaign.created_by
    )
    for row in units_of(campaign):
        make_label(again, row.unit, "a")

    assert rows_of(figures_of(KIND, campaign)["repeats"])[0]["same"].estimate == 0.5


def test_without_repeats_it_says_what_is_missing():
    campaign = make_campaign(units=8, protocol="blind_overall")
    people_say(campaign, ONE, OTHER)

    assert "repeats" in figures_of(KIND, campaign)["repeats"].instead


def test_queries_do_not_grow_with_answers(django_assert_num_queries):
    small, large = (make_campaign(units=n, protocol="hcot") for n in (2, 8))
    rng = np.random.default_rng(0)
    for campaign, n, people in ((small, 2, 2), (large, 8, 5)):
        for aspect in ("overall", "content"):
            said = [list(rng.choice(list("ab"), n)) for _ in range(people)]
            people_say(campaign, *said, aspect=aspect, first_seat=1 if aspect == "overall" else 10)

    with django_assert_num_queries(QUERIES):
        figures_of(KIND, small)
    with django_assert_num_queries(QUERIES):
        figures_of(KIND, large)
