"""What reviewers do about units and answers: the actions, and every refusal."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from analytics.data.labels import campaign_labels
from annotation.answers.revise import take_back
from annotation.answers.submit import record_answers
from annotation.models import (
    Adjudication,
    Annotation,
    AnnotatorDecision,
    Answer,
    NamesShown,
    Reason,
    ReviewComment,
    UseDecision,
)
from annotation.review.adjudication import (
    NotForReview,
    adjudicate,
    adjudicated_before,
    review_order,
    standing_adjudication,
)
from annotation.review.comments import (
    comment_on,
    names_shown_to,
    own_messages,
    review_answer,
    show_names,
)
from annotation.review.marks import mark_units
from campaigns.models import Campaign, CampaignUnit, Role
from protocols import InvalidAnswers
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_B, UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
OTHERWISE = DIRECT_ANSWERS | {"overall": "both_bad"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


@pytest.fixture
def unit(campaign: Campaign) -> CampaignUnit:
    return campaign.campaign_units.get()


@pytest.fixture
def reviewer(campaign: Campaign) -> User:
    return make_member(campaign, Role.REVIEWER)


@pytest.fixture
def annotation(campaign: Campaign) -> Annotation:
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator)
    return record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")


@pytest.fixture
def check(campaign: Campaign, unit: CampaignUnit) -> CampaignUnit:
    return CampaignUnit.objects.create(campaign=campaign, unit=unit.unit, position=9, purpose="gold")


# -- adjudicating ------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_adjudicated_answers_stand_beside_the_originals(
    unit: CampaignUnit, reviewer: User, annotation: Annotation
) -> None:
    before = list(Answer.objects.order_by("pk").values())

    made = adjudicate(unit, reviewer=reviewer, clicked=OTHERWISE, idempotency_key="1", comment="Both hum")

    assert list(Answer.objects.order_by("pk").values()) == before
    assert (made.by, made.comment, made.order) == (reviewer, "Both hum", review_order(unit, reviewer))
    assert {answer.aspect: answer.value for answer in made.answers.all()} == {
        "content": made.order[0],
        "voice_quality": made.order[1],
        "paralinguistics": "both_bad",
        "overall": "both_bad",
    }
    assert unit.reviews.get().by == reviewer


@pytest.mark.databases
def test_change_of_mind_supersedes_and_nothing_is_lost(unit: CampaignUnit, reviewer: User) -> None:
    first = adjudicate(unit, reviewer=reviewer, clicked=DIRECT_ANSWERS, idempotency_key="1")
    other = UserFactory()

    second = adjudicate(unit, reviewer=other, clicked=OTHERWISE, idempotency_key="2")

    assert standing_adjudication(unit) == second
    assert [(row.by, row.supersedes) for row in Adjudication.objects.all()] == [(reviewer, None), (other, first)]
    assert first.answers.count() == 4


@pytest.mark.databases
def test_the_same_click_twice_is_one_adjudication(unit: CampaignUnit, reviewer: User) -> None:
    made = [adjudicate(unit, reviewer=reviewer, clicked=DIRECT_ANSWERS, idempotency_key="1").pk for _ in range(2)]

    assert made == [Adjudication.objects.get().pk] * 2


@pytest.mark.databases
def test_database_keeps_one_first_adjudication_per_unit(unit: CampaignUnit, reviewer: User) -> None:
    adjudicate(unit, reviewer=reviewer, clicked=DIRECT_ANSWERS, idempotency_key="1")

    with pytest.raises(IntegrityError), transaction.atomic():
        Adjudication.objects.create(campaign_unit=unit, by=reviewer, idempotency_key="2", order="ab")


@pytest.mark.databases
@pytest.mark.parametrize("clicked", [{}, {"overall": "1"}, DIRECT_ANSWERS | {"overall": "3"}])
def test_incomplete_or_unknown_answers_are_not_adjudicated(
    unit: CampaignUnit, reviewer: User, clicked: dict[str, str]
) -> None:
    with pytest.raises(InvalidAnswers):
        adjudicate(unit, reviewer=reviewer, clicked=clicked, idempotency_key="1")

    assert not Adjudication.objects.exists()


def test_checks_are_marked_and_not_adjudicated(check: CampaignUnit, reviewer: User) -> None:
    with pytest.raises(NotForReview):
        adjudicate(check, reviewer=reviewer, clicked=DIRECT_ANSWERS, idempotency_key="1")
    assert mark_units(check.campaign, [check.pk], reviewer=reviewer) == 1
    assert mark_units(make_campaign(), [check.pk], reviewer=reviewer) == 0


@pytest.mark.parametrize("comment", ["x" * 2001, "a\x00b"])
def test_comment_that_cannot_be_kept_is_refused(unit: CampaignUnit, reviewer: User, comment: str) -> None:
    with pytest.raises(NotForReview):
        adjudicate(unit, reviewer=reviewer, clicked=DIRECT_ANSWERS, idempotency_key="1", comment=comment)


@pytest.mark.databases
def test_order_is_the_same_each_time_and_not_the_same_for_everybody(unit: CampaignUnit) -> None:
    reviewers = [UserFactory() for _ in range(12)]

    orders = [review_order(unit, one) for one in reviewers]

    assert orders == [review_order(unit, one) for one in reviewers]
    assert set(orders) == {"ab", "ba"}


def test_form_begins_with_what_stands_in_the_frame_of_whoever_looks(unit: CampaignUnit) -> None:
    people = [UserFactory() for _ in range(12)]
    first = next(one for one in people if review_order(unit, one) == "ab")
    second = next(one for one in people if review_order(unit, one) == "ba")
    adjudicate(unit, reviewer=first, clicked=DIRECT_ANSWERS, idempotency_key="1")

    assert adjudicated_before(unit, first) == DIRECT_ANSWERS
    assert adjudicated_before(unit, second) == DIRECT_ANSWERS | {
        "content": "2",
        "voice_quality": "1",
        "overall": "2",
    }
    assert adjudicated_before(make_campaign().campaign_units.first(), first) == {}


# -- accepting, commenting, settling, looking ----------------------------------------------------------------------


def test_refused_answer_is_told_and_neither_excluded_nor_unpaid(
    campaign: Campaign, annotation: Annotation, reviewer: User
) -> None:
    made = review_answer(
        annotation, reviewer=reviewer, accepted=False, reason=Reason.LISTENING, message=" Please hear both. "
    )

    assert (made.accepted, made.reason, made.message) == (False, "listening", "Please hear both.")
    assert list(own_messages(campaign, annotation.assignment.annotator)) == [made]
    assert len(list(campaign_labels(campaign))) == 1
    assert (UseDecision.objects.count(), AnnotatorDecision.objects.count()) == (0, 0)


@pytest.mark.databases
def test_accepted_answer_needs_no_message_and_keeps_no_reason(
    campaign: Campaign, annotation: Annotation, reviewer: User
) -> None:
    made = review_answer(annotation, reviewer=reviewer, accepted=True, reason=Reason.SPEED)

    assert (made.accepted, made.reason) == (True, "")
    assert list(own_messages(campaign, annotation.assignment.annotator)) == []


@pytest.mark.databases
@each(
    "reason, message",
    [("", "Hear both."), ("speed", ""), ("speed", "   "), ("nonsense", "Hear both."), ("speed", "x" * 2001)],
    undo=True,
)
def test_refusal_without_reason_or_message_is_refused(
    annotation: Annotation, reviewer: User, reason: str, message: str
) -> None:
    with pytest.raises(NotForReview):
        review_answer(annotation, reviewer=reviewer, accepted=False, reason=reason, message=message)

    assert annotation.reviews.count() == 0


def test_message_that_names_a_system_is_refused(annotation: Annotation, reviewer: User) -> None:
    with pytest.raises(NotForReview, match=f"names {RARE_B}"):
        review_answer(annotation, reviewer=reviewer, accepted=True, message=f"It was {RARE_B.lower()}, you know")


def test_answer_that_was_changed_meanwhile_is_not_reviewed(
    campaign: Campaign, annotation: Annotation, reviewer: User
) -> None:
    annotator = annotation.assignment.annotator
    take_back(campaign, annotator)
    record_answers(annotation.assignment_id, annotator=annotator, clicked=OTHERWISE, idempotency_key="2")

    with pytest.raises(NotForReview, match="changed"):
        review_answer(annotation, reviewer=reviewer, accepted=True)


def test_messages_are_those_of_this_annotator_in_this_campaign(
    campaign: Campaign, annotation: Annotation, reviewer: User
) -> None:
    review_answer(annotation, reviewer=reviewer, accepted=True, message="Thank you")

    assert list(own_messages(campaign, make_member(campaign))) == []
    assert list(own_messages(make_campaign(), annotation.assignment.annotator)) == []


@pytest.mark.databases
def test_comment_is_kept_with_its_author(unit: CampaignUnit, reviewer: User) -> None:
    comment_on(unit, reviewer=reviewer, text=" It hums. ", idempotency_key="k")

    assert [(row.by, row.text) for row in unit.comments.all()] == [(reviewer, "It hums.")]


@pytest.mark.databases
def test_same_comment_of_the_same_form_is_one(unit: CampaignUnit, reviewer: User) -> None:
    """Another text, another form and another author are comments of their own."""
    sent = [("It hums.", "k", reviewer)] * 8 + [("Loudly.", "k", reviewer), ("It hums.", "other", reviewer)]
    sent += [("It hums.", "k", UserFactory())]

    for text, key, by in sent:
        comment_on(unit, reviewer=by, text=text, idempotency_key=key)

    assert [row.text for row in unit.comments.all()] == ["It hums.", "Loudly.", "It hums.", "It hums."]
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewComment.objects.create(
            campaign_unit=unit, by=reviewer, text="It hums.", idempotency_key=unit.comments.first().idempotency_key
        )


@each("text", ["", "  ", "x" * 2001, "\x00"], undo=True)
def test_comment_that_says_nothing_or_too_much_is_refused(unit: CampaignUnit, reviewer: User, text: str) -> None:
    with pytest.raises(NotForReview):
        comment_on(unit, reviewer=reviewer, text=text, idempotency_key="k")


@pytest.mark.databases
def test_who_had_the_names_shown_is_kept_once(unit: CampaignUnit, reviewer: User) -> None:
    assert names_shown_to(unit, reviewer) is None

    shown = [show_names(unit, reviewer=reviewer) for _ in range(2)]

    assert shown == [NamesShown.objects.get()] * 2
    assert names_shown_to(unit, reviewer) == shown[0]
    assert names_shown_to(unit, UserFactory()) is None
