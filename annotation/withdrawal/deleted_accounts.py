"""What becomes of the answers of an account that is deleted."""

from typing import Any

from accounts.models import User
from accounts.people.dependents import Dependent
from annotation.models import (
    Adjudication,
    AnnotatorDecision,
    AnswerReview,
    Assignment,
    ReviewComment,
    UseDecision,
)
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, Role

#: Where a reviewer writes freely, by the column.
WRITTEN: tuple[tuple[Any, str], ...] = (
    (ReviewComment, "text"),
    (UseDecision, "comment"),
    (AnnotatorDecision, "comment"),
    (Adjudication, "comment"),
    (AnswerReview, "message"),
)


class Answers(Dependent):
    """They stay under the account's number; on demand they are withdrawn, as their annotator could have done."""

    def n_texts_of(self, user: User) -> int:
        return sum(model.objects.filter(by=user).exclude(**{field: ""}).count() for model, field in WRITTEN)

    def remove_texts(self, user: User) -> None:
        """A comment goes whole; a decision stays without its reason."""
        ReviewComment.objects.filter(by=user).delete()
        for model, field in WRITTEN:
            model.objects.filter(by=user).exclude(**{field: ""}).update(**{field: ""})

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        """Remarks with which units were given back go, since they may say who wrote them."""
        del by
        if with_answers:
            mine = Campaign.objects.filter(memberships__user=user, memberships__role=Role.ANNOTATOR).distinct()
            for campaign in mine:
                withdraw(campaign, user, identity=False, answers=True)
        Assignment.objects.filter(annotator=user).exclude(return_comment="").update(return_comment="")
