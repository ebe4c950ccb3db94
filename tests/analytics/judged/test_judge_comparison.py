import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from sklearn.metrics import cohen_kappa_score

from analytics.data.label_arrays import label_arrays, stamp_of
from analytics.judged.cache import comparison_of, qualify_judge
from analytics.judged.comparison import Comparison, RaterRow, compare
from annotation.models import Assignment
from campaigns.models import Campaign, Membership
from judges.models import JudgeQualification, Run, Verdict
from judges.runs.lifecycle import cancel_run
from tests.analytics.saying import judge_says, labels_say, make_run, people_say
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db

TRUTH = ["a", "b", "a", "both_good", "b", "both_bad"]


def compared(campaign: Campaign, reference: str = "") -> Comparison:
    return compare(label_arrays(campaign), reference)


def row_of(comparison: Comparison, title: str) -> RaterRow:
    return next(row for row in comparison.rows if title in (row.title, row.kind))


@pytest.fixture
def campaign() -> Campaign:
    """Six units on which three people agree, but for one answer of the third."""
    campaign = make_campaign(units=6)
    people_say(campaign, TRUTH, TRUTH, [*TRUTH[:5], "a"])
    return campaign


def test_a_judge_is_compared_with_what_most_people_said(campaign: Campaign) -> None:
    said = ["a", "b", "b", "both_good", "b", "both_bad"]
    judge_says(campaign, {"ab": said})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    assert (found.accuracy.estimate, found.accuracy.n) == (pytest.approx(5 / 6), 6)
    assert found.kappa.estimate == pytest.approx(cohen_kappa_score(TRUTH, said))
    assert found.kappa.reason == "an interval for every look needs 100 units; 6 so far"
    assert found.gain.estimate == pytest.approx(5 / 6 - 2 / 6)


def test_what_is_missing_counts_as_wrong_and_lowers_kappa(campaign: Campaign) -> None:
    said = ["a", "b", "unparsed", "refused", "error", None]
    judge_says(campaign, {"ab": said})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    as_labels = [value if value in ("a", "b") else "none" for value in said]
    assert (found.accuracy.estimate, found.accuracy.n) == (pytest.approx(2 / 6), 6)
    assert found.kappa.estimate == pytest.approx(cohen_kappa_score(TRUTH, as_labels))
    assert found.missing == (("error", 1), ("not_judged", 1), ("refused", 1), ("unparsed", 1))


def test_what_is_still_to_do_is_left_out_and_told(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["a", "b", "waiting", "waiting", "waiting", "waiting"]}, status="running")

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    assert (found.accuracy.estimate, found.accuracy.n, found.to_do, found.missing) == (1.0, 2, 4, ())


def test_what_was_cancelled_is_no_more_to_do(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": ["a", "b", "waiting", "waiting", "waiting", "waiting"]}, status="running")
    before = comparison_of(campaign)
    cancel_run(run)
    nothing = judge_says(campaign, {"ab": ["waiting"] * 6}, title="Nothing")
    cancelled = Run.objects.filter(pk=nothing.pk).update(status="cancelled")

    after = comparison_of(campaign)

    first, second = (row_of(found, "Judge").by_aspect["overall"] for found in (before, after))
    assert (cancelled, first.to_do, first.cancelled) == (1, 4, 0)
    assert (second.accuracy.estimate, second.accuracy.n, second.to_do, second.cancelled) == (1.0, 2, 0, 4)
    silent = row_of(after, "Nothing").by_aspect["overall"]
    assert (silent.accuracy.n, silent.to_do, silent.cancelled, silent.missing) == (0, 0, 6, ())


def test_both_orders_count_where_they_agree_and_are_inconsistent_where_not(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": TRUTH, "ba": ["a", "b", "b", "both_good", "a", "unparsed"]})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    assert (found.accuracy.estimate, found.inconsistent, found.both) == (0.5, 2, 5)
    assert found.missing == (("inconsistent", 2), ("unparsed", 1))


def test_of_several_samples_the_most_frequent_answer_counts(campaign: Campaign) -> None:
    thrice = [value for truth in TRUTH for value in (truth, "both_good", truth)]
    judge_says(campaign, {"ab": thrice}, samples=3)

    assert row_of(compared(campaign), "Judge").by_aspect["overall"].accuracy.estimate == 1.0


def test_people_are_compared_with_the_others(campaign: Campaign) -> None:
    comparison = compared(campaign)

    humans = row_of(comparison, "humans").by_aspect["overall"].accuracy
    # Where the third differs, the others of each of the first two have no majority.
    assert (humans.estimate, humans.n) == (pytest.approx(15 / 16), 16)
    third = Membership.objects.order_by("pk").last()
    assert third is not None
    assert row_of(comparison, third.pseudonym).by_aspect["overall"].accuracy.estimate == pytest.approx(5 / 6)


def test_a_unit_on_which_people_have_no_majority_has_no_reference() -> None:
    campaign = make_campaign(units=2)
    people_say(campaign, ["a", "a"], ["a", "b"])
    judge_says(campaign, {"ab": ["a", "a"]})

    assert row_of(compared(campaign), "Judge").by_aspect["overall"].accuracy.n == 1


def test_answers_left_out_of_the_analysis_and_withdrawn_ones_do_not_count(campaign: Campaign) -> None:
    people = list(Membership.objects.order_by("pk"))
    Assignment.objects.filter(annotator=people[0].user).update(excluded=True)

    titles = [row.title for row in compared(campaign).rows if row.kind == "rater"]

    assert titles == [people[1].pseudonym, people[2].pseudonym]


def test_an_imported_label_set_is_a_row_and_can_be_the_reference(campaign: Campaign) -> None:
    labels_say(campaign, "Experts", ["a", "b", "a", "both_good", "b", "b"])
    judge_says(campaign, {"ab": TRUTH})

    by_people, by_experts = compared(campaign), compared(campaign, "labels-Experts")

    assert by_people.references == (("people", ""), ("labels-Experts", "Experts"))
    assert row_of(by_people, "Experts").by_aspect["overall"].accuracy.estimate == pytest.approx(5 / 6)
    assert row_of(by_experts, "Judge").by_aspect["overall"].accuracy.estimate == pytest.approx(5 / 6)
    assert row_of(by_experts, "people").by_aspect["overall"].accuracy.n == 6


def test_ties_without_a_type_are_compared_with_typed_ones_merged() -> None:
    campaign = make_campaign(units=4, protocol="untyped_tie")
    labels_say(campaign, "Typed", ["a", "b", "both_good", "both_bad"])
    judge_says(campaign, {"ab": ["a", "b", "tie", "tie"]})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    assert (found.ties_merged, found.accuracy.estimate, found.kappa.estimate) == (True, 1.0, 1.0)
    assert compared(campaign).baselines["overall"].random.estimate == 0.25


def test_baselines_are_chance_and_the_most_frequent_label(campaign: Campaign) -> None:
    found = compared(campaign).baselines["overall"]

    assert (found.random.estimate, found.majority.estimate, found.label) == (0.25, pytest.approx(2 / 6), "a")


def test_probes_are_not_among_the_judges(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": TRUTH}, perturbation={"name": "white_noise", "value": 10})

    assert [row.kind for row in compared(campaign).rows if row.kind == "judge"] == []


def test_without_labels_there_is_nothing_to_compare_with() -> None:
    campaign = make_campaign(units=2)
    judge_says(campaign, {"ab": ["a", "b"]})

    found = compared(campaign)

    assert (found.rows, found.references, found.n_runs) == ((), (), 1)


def test_a_judge_that_always_says_the_same_as_everybody_has_no_kappa_and_a_reason() -> None:
    campaign = make_campaign(units=2)
    labels_say(campaign, "One", ["a", "a"])
    judge_says(campaign, {"ab": ["a", "a"]})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"].kappa

    assert (found.estimate, found.reason) == (None, "both raters gave one and the same label to every unit")


def test_a_judge_that_never_answered_has_no_kappa_and_no_right_answer(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": ["error"] * 6})

    found = row_of(compared(campaign), "Judge").by_aspect["overall"]

    assert (found.kappa.estimate, found.accuracy.estimate, found.n_missing) == (None, 0.0, 6)


def test_cost_and_time_are_for_a_thousand_units(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": TRUTH, "ba": TRUTH}, verdict={"cost_usd": "0.001", "seconds": 2.0})
    judge_says(campaign, {"ab": TRUTH}, title="Free")
    judge_says(campaign, {"ab": TRUTH}, run=make_run(campaign, kind="imported", title="Elsewhere"))

    found = compared(campaign)

    priced, free, elsewhere = (row_of(found, title) for title in ("Judge", "Free", "Elsewhere"))
    assert (priced.usd_per_1000, priced.seconds_per_1000) == (pytest.approx(2.0), pytest.approx(4000))
    assert (free.usd_per_1000, free.seconds_per_1000) == (0.0, None)  # no model is asked
    assert (elsewhere.usd_per_1000, elsewhere.seconds_per_1000) == (None, None)


def test_answers_about_single_responses_are_compared_response_by_response() -> None:
    campaign = make_campaign(units=3, protocol="rubric", facts={"criteria": []})
    aspect = campaign.protocol.aspects[0].name
    people_say(campaign, ["yes", "no", "yes"], aspect=aspect)
    judge_says(campaign, {"a": ["yes", "no", "no"]}, run=make_run(campaign, orders="ab"), aspect=aspect)

    assert row_of(compared(campaign), "Judge").by_aspect[aspect].accuracy.estimate == pytest.approx(2 / 3)


def test_the_number_of_queries_does_not_grow(campaign: Campaign) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            compared(campaign)
        return len(seen)

    judge_says(campaign, {"ab": TRUTH})
    labels_say(campaign, "One", TRUTH)
    first = queries()
    for n in range(3):
        judge_says(campaign, {"ab": TRUTH, "ba": TRUTH}, title=f"Judge {n}")
        labels_say(campaign, f"Other {n}", TRUTH)

    assert queries() == first


def test_the_stamp_changes_with_everything_that_is_said(campaign: Campaign) -> None:
    stamps = [stamp_of(campaign)]
    run = judge_says(campaign, {"ab": TRUTH})
    stamps.append(stamp_of(campaign))
    labels_say(campaign, "One", TRUTH)
    stamps.append(stamp_of(campaign))
    people_say(campaign, ["a", *[None] * 5], first_seat=4)
    stamps.append(stamp_of(campaign))
    Verdict.objects.filter(run=run).last().delete()
    stamps.append(stamp_of(campaign))

    assert len(set(map(str, stamps))) == len(stamps)


def test_the_same_data_give_the_same_figures(campaign: Campaign) -> None:
    judge_says(campaign, {"ab": TRUTH})

    assert compared(campaign) == compared(campaign)


def test_a_judge_that_has_to_qualify_is_refused_until_it_did(campaign: Campaign) -> None:
    run = judge_says(campaign, {"ab": TRUTH}, kind="embedding")
    assert row_of(comparison_of(campaign), "Judge").refused == "It was not put before labelled prompts yet."

    few = qualify_judge(campaign, run, reference="", user=campaign.created_by)
    assert (few.qualified, few.right, few.n) == (False, 6, 6)
    assert "only 6 labelled prompts" in row_of(comparison_of(campaign), "Judge").refused

    JudgeQualification.objects.update(qualified=True, reason=None)
    assert row_of(comparison_of(campaign), "Judge").refused == ""


def test_a_judge_qualifies_on_enough_labelled_prompts() -> None:
    campaign = make_campaign(units=24)
    said = ["a", "b"] * 12
    people_say(campaign, said, said, ["b", *said[1:]])
    run = judge_says(campaign, {"ab": said}, kind="embedding")

    row = qualify_judge(campaign, run, reference="", user=campaign.created_by)

    assert (row.qualified, row.right, row.n) == (True, 24, 24)
    assert row.people == pytest.approx(69 / 70)
