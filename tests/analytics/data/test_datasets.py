"""Rows as arrays: presented order, kinds of ties, and whose answers never slip in."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analytics.data.preferences import preferences_of, preferences_of_scale
from analytics.data.rater_groups import ALL_RATERS, evaluators_of
from analytics.data.votes.table import Selection, ballot, questions, stamp, tally
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import Annotation, Reason
from annotation.review.exclusions import Decider, exclude_answers, include_answers
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, CampaignUnit
from corpus.models import LabelSet
from protocols.scales.named import ACR, CCR, FORCED_CHOICE, TEXT, TYPED_TIE, UNTYPED_TIE, WHICH_OR_SAME, YES_NO
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD, FIRST, SECOND, TIE, count_votes
from tests.arena.voting import make_arena, vote
from tests.cases import each
from tests.factories import make_assignment, make_campaign, make_label, make_member

pytestmark = pytest.mark.django_db
OVERALL = Selection("overall")
RULE = Decider(rule="too fast")


def cells(campaign: Campaign | LabelSet, selection: Selection = OVERALL) -> dict[tuple[str, str, int], int]:
    """The counts that are not 0, by first system, second system and outcome, from both ways of counting."""
    counts = tally(campaign, selection).counts
    one_by_one = count_votes(ballot(campaign, selection).votes)
    assert np.array_equal(counts.table, one_by_one.table)
    names = counts.systems
    return {
        (names[i], names[j], int(k)): int(counts.table[i, j, k])
        for i, j, k in zip(*counts.table.nonzero(), strict=True)
    }


@pytest.mark.databases
@each(
    "order, said, expected",
    [
        ("ab", "1", ("Aardwolf", "Binturong", FIRST)),
        ("ab", "2", ("Aardwolf", "Binturong", SECOND)),
        ("ba", "1", ("Binturong", "Aardwolf", FIRST)),
        ("ba", "2", ("Binturong", "Aardwolf", SECOND)),
        ("ba", "both_good", ("Binturong", "Aardwolf", BOTH_GOOD)),
        ("ab", "both_bad", ("Aardwolf", "Binturong", BOTH_BAD)),
    ],
    undo=True,
)
def test_counts_keep_the_presented_order_and_the_kind_of_tie(
    order: str, said: str, expected: tuple[str, str, int]
) -> None:
    campaign = make_arena()

    vote(campaign, "Aardwolf", "Binturong", said, order=order)

    assert cells(campaign) == {expected: 1}


@each(
    "protocol, order, said, expected",
    [
        ("untyped_tie", "ba", "1", ("Binturong", "Aardwolf", FIRST)),
        ("untyped_tie", "ba", "tie", ("Binturong", "Aardwolf", TIE)),
        ("forced_choice", "ba", "2", ("Binturong", "Aardwolf", SECOND)),
        ("ccr", "ab", "3", ("Aardwolf", "Binturong", SECOND)),
        ("ccr", "ba", "3", ("Binturong", "Aardwolf", SECOND)),
        ("ccr", "ba", "-1", ("Binturong", "Aardwolf", FIRST)),
        ("ccr", "ab", "0", ("Aardwolf", "Binturong", TIE)),
    ],
    undo=True,
)
def test_every_scale_of_preferences_is_counted(
    protocol: str, order: str, said: str, expected: tuple[str, str, int]
) -> None:
    campaign = make_arena(protocol=protocol)

    vote(campaign, "Aardwolf", "Binturong", said, order=order)

    assert cells(campaign) == {expected: 1}


@pytest.mark.databases
@each(
    "scale, ties",
    [
        (TYPED_TIE, "typed"),
        (UNTYPED_TIE, "untyped"),
        (WHICH_OR_SAME, "untyped"),
        (FORCED_CHOICE, "none"),
        (CCR, "untyped"),
    ],
    undo=True,
)
def test_scales_that_compare_have_preferences(scale, ties) -> None:
    found = preferences_of_scale(scale)
    assert found is not None
    assert (found.ties, found.signed) == (ties, scale is CCR)


@pytest.mark.databases
@pytest.mark.parametrize("scale", [ACR, YES_NO, TEXT])
def test_scales_that_do_not_compare_have_none(scale) -> None:
    assert preferences_of_scale(scale) is None


@pytest.mark.databases
@each("values", [[], ["1", "2", "5"], ["1", "2"], ["tie", "both_bad"], ["a", "yes"]], undo=True)
def test_values_that_do_not_compare_have_none(values: list[str]) -> None:
    assert preferences_of(values) is None


def test_questions_are_those_that_compare_the_overall_one_first() -> None:
    assert list(questions(make_campaign(protocol="hcot"))) == [
        "overall", "content", "voice_quality", "paralinguistics",
    ]  # fmt: skip
    assert list(questions(make_campaign(protocol="attributes"))) == ["faster", "clearer"]
    assert questions(make_campaign(protocol="acr")) == {}


def test_superseded_answer_does_not_count() -> None:
    campaign = make_arena()
    first = vote(campaign, "Aardwolf", "Binturong", "1")
    take_back(campaign, first.annotator)

    record_answers(first.pk, annotator=first.annotator, clicked={"overall": "2"}, idempotency_key="again")

    assert cells(campaign) == {("Aardwolf", "Binturong", SECOND): 1}


def test_excluded_answer_counts_only_where_it_is_asked_for() -> None:
    campaign = make_arena()
    exclude_answers([vote(campaign, "Aardwolf", "Binturong", "1")], reason=Reason.SPEED, decider=RULE)

    assert cells(campaign) == {}
    assert cells(campaign, Selection("overall", with_excluded=True)) == {("Aardwolf", "Binturong", FIRST): 1}


def test_withdrawn_answer_never_counts() -> None:
    campaign = make_arena()
    assignment = vote(campaign, "Aardwolf", "Binturong", "1")

    withdraw(campaign, assignment.annotator, identity=False, answers=True)

    assert cells(campaign, Selection("overall", with_excluded=True)) == {}


@pytest.mark.parametrize("purpose", ["gold", "identical", "repeat"])
def test_answer_to_a_check_never_counts(purpose: str) -> None:
    campaign = make_arena()
    unit = campaign.campaign_units.first()
    check = CampaignUnit.objects.create(campaign=campaign, unit=unit.unit, position=99, purpose=purpose)
    assignment = make_assignment(campaign, make_member(campaign), campaign_unit=check)

    record_answers(assignment.pk, annotator=assignment.annotator, clicked={"overall": "1"}, idempotency_key="k")

    assert cells(campaign, Selection("overall", with_excluded=True)) == {}


@pytest.mark.databases
def test_answers_of_one_category_and_of_one_annotator_alone() -> None:
    campaign = make_arena(categories=["songs", "news"])
    voter = make_member(campaign)
    vote(campaign, "Aardwolf", "Binturong", "1", item=0, by=voter)
    vote(campaign, "Aardwolf", "Binturong", "2", item=1)

    name = campaign.memberships.get(user=voter).pseudonym
    assert cells(campaign, Selection("overall", category="news")) == {("Aardwolf", "Binturong", SECOND): 1}
    assert cells(campaign, Selection("overall", by=name)) == {("Aardwolf", "Binturong", FIRST): 1}


def test_answers_of_another_campaign_over_the_same_units_do_not_count() -> None:
    campaign, other = make_arena(), make_arena()
    CampaignUnit.objects.create(campaign=other, unit=campaign.campaign_units.first().unit, position=99)
    vote(campaign, "Aardwolf", "Binturong", "1")

    assert cells(other) == {}


@pytest.mark.databases
def test_who_voted_is_the_same_voter_after_their_name_was_forgotten() -> None:
    campaign = make_arena()
    voters = [make_member(campaign), make_member(campaign)]
    for voter in (voters[1], voters[0], voters[1]):
        vote(
            campaign,
            "Aardwolf",
            "Binturong",
            "1",
            by=voter,
            item=0 if voter is voters[0] else campaign_item(campaign, voter),
        )
    before = ballot(campaign, OVERALL)

    withdraw(campaign, voters[0], identity=True, answers=False)

    assert before.voters.tolist() == [0, 1, 0]
    assert ballot(campaign, OVERALL).digest() == before.digest()


def campaign_item(campaign: Campaign, voter) -> int:
    """The first item on which this person has not voted yet."""
    return campaign.assignments.filter(annotator=voter).count()


def test_counts_come_from_one_group_by() -> None:
    campaign = make_arena()
    vote(campaign, "Aardwolf", "Binturong", "1")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        tally(campaign, OVERALL)

    assert sum("GROUP BY" in query["sql"] for query in queries) == 1


def imported(campaign: Campaign, values: list[str], *, rater: str = "", name: str = "labels") -> LabelSet:
    labels = LabelSet.objects.create(dataset=campaign.dataset, name=name, rater=rater, created_by=campaign.created_by)
    for row, value in zip(campaign.campaign_units.all(), values, strict=False):
        make_label(labels, row.unit, value)
    return labels


def test_imported_label_counts_a_as_first_and_says_so() -> None:
    labels = imported(make_arena(), ["a", "b", "both_bad"])

    assert cells(labels) == {
        ("Aardwolf", "Binturong", FIRST): 1,
        ("Aardwolf", "Cacomistle", SECOND): 1,
        ("Binturong", "Cacomistle", BOTH_BAD): 1,
    }
    assert ballot(labels, OVERALL).without_order == 3


@pytest.mark.databases
def test_imported_label_with_an_order_keeps_it() -> None:
    labels = imported(make_arena(), ["a"])
    labels.annotations.update(order="ba")

    assert cells(labels) == {("Binturong", "Aardwolf", SECOND): 1}
    assert ballot(labels, OVERALL).without_order == 0


@pytest.mark.databases
def test_label_sets_of_one_name_count_together_where_it_is_asked_for() -> None:
    campaign = make_arena()
    mine = imported(campaign, ["a"], rater="R1")
    imported(campaign, ["tie"], rater="R2")
    imported(campaign, ["a"], name="others")

    assert evaluators_of(mine) == [ALL_RATERS]
    assert cells(mine) == {("Aardwolf", "Binturong", FIRST): 1}
    assert cells(mine, Selection("overall", by=ALL_RATERS)) == {
        ("Aardwolf", "Binturong", FIRST): 1,
        ("Aardwolf", "Binturong", TIE): 1,
    }
    assert ballot(mine, Selection("overall", by=ALL_RATERS)).voters.tolist() == [0, 1]


def test_mark_changes_with_the_votes_even_where_the_counts_do_not() -> None:
    campaign = make_arena()
    one, other = (vote(campaign, "Aardwolf", "Binturong", "1") for _ in range(2))
    exclude_answers([one], reason=Reason.SPEED, decider=RULE)
    before = tally(campaign, OVERALL)

    include_answers([one], decider=RULE)
    exclude_answers([other], reason=Reason.SPEED, decider=RULE)
    after = tally(campaign, OVERALL)

    assert np.array_equal(before.counts.table, after.counts.table)
    assert before.mark != after.mark
    assert tally(campaign, OVERALL).mark == after.mark


def test_mark_changes_where_an_answer_is_given_again_and_only_its_place_is_another() -> None:
    campaign = make_arena()
    first = vote(campaign, "Aardwolf", "Binturong", "1")
    before = tally(campaign, OVERALL)
    take_back(campaign, first.annotator)

    record_answers(first.pk, annotator=first.annotator, clicked={"overall": "1"}, idempotency_key="again")

    after = tally(campaign, OVERALL)
    assert np.array_equal(before.counts.table, after.counts.table)
    assert before.mark != after.mark


@pytest.mark.databases
def test_stamp_tells_an_answer_that_commits_late() -> None:
    campaign = make_arena()
    for one, two in (("Aardwolf", "Binturong"), ("Aardwolf", "Cacomistle"), ("Binturong", "Cacomistle")):
        vote(campaign, one, two, "1")
    late = Annotation.objects.order_by("pk")[1]
    kept = [late, late.answers.get(), late.vote_changes.get()]
    Annotation.objects.filter(pk=late.pk).delete()
    before = stamp(campaign)

    for row in kept:
        row.save(force_insert=True)

    assert stamp(campaign) != before


def test_stamp_is_the_same_while_nothing_changes() -> None:
    campaign = make_arena()
    vote(campaign, "Aardwolf", "Binturong", "1")

    assert stamp(campaign) == stamp(campaign)
