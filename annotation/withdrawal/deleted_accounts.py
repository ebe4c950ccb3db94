"""What becomes of the answers of an account that is deleted."""

from accounts.models import User
from accounts.people.dependents import Dependent
from annotation.models import Assignment
from annotation.withdrawal.withdraw import withdraw
from campaigns.models import Campaign, Role


class Answers(Dependent):
    """They stay under the account's number; on demand they are withdrawn, as their annotator could have done."""

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        """Remarks with which units were given back go, since they may say who wrote them."""
        del by
        if with_answers:
            mine = Campaign.objects.filter(memberships__user=user, memberships__role=Role.ANNOTATOR).distinct()
            for campaign in mine:
                withdraw(campaign, user, identity=False, answers=True)
        Assignment.objects.filter(annotator=user).exclude(return_comment="").update(return_comment="")
