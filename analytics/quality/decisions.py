"""What a person decides about an annotator on the page of their quality. A rule does not decide the same again."""

from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from analytics.models import QualityFlag
from analytics.quality.apply_rules import in_force, study_answers
from annotation.models import UseDecision
from annotation.review.exclusions import (
    Decider,
    decide_payment,
    exclude_answers,
    include_answers,
    pause_annotator,
    resume_annotator,
)
from campaigns.models import Membership
from infrastructure.wording.reasons import TEXT

#: Prolific's requirements for declining work.
FEWEST_LETTERS = 100


@transaction.atomic
def pause(member: Membership, *, by: User, reason: str, comment: str) -> None:
    pause_annotator(member.campaign, member.user, reason=reason, decider=Decider(by), comment=comment)


@transaction.atomic
def resume(member: Membership, *, by: User, reason: str, comment: str) -> None:
    resume_annotator(member.campaign, member.user, reason=reason, decider=Decider(by), comment=comment)


@transaction.atomic
def exclude_all(member: Membership, *, by: User, reason: str, comment: str) -> list[UseDecision]:
    """Leave out every answer there is; what comes later is used, unless a rule says otherwise."""
    return exclude_answers(study_answers(member), reason=reason, decider=Decider(by), comment=comment)


@transaction.atomic
def include_all(member: Membership, *, by: User, reason: str, comment: str) -> list[UseDecision]:
    """Use every answer again, and let no rule that left them out do so again."""
    lifted = {flag.signal for flag in in_force(member)}
    event, detail = QualityFlag.Event.LIFTED, TEXT(text=comment) if comment else None
    QualityFlag.objects.bulk_create(
        QualityFlag(membership=member, signal=signal, event=event, detail=detail, by=by) for signal in sorted(lifted)
    )
    return include_answers(study_answers(member), reason=reason, decider=Decider(by), comment=comment)


def accept_work(member: Membership, *, by: User, reason: str, comment: str) -> None:
    decide_payment(member.campaign, member.user, accept=True, reason=reason, decider=Decider(by), comment=comment)


def decline_work(member: Membership, *, by: User, reason: str, comment: str) -> None:
    """Raises ValueError for a message that is too short to explain anything to the person."""
    if len(comment.strip()) < FEWEST_LETTERS:
        fault = _("Give a reason of at least %(least)s characters, as Prolific requires; this one has %(n)s.")
        raise ValueError(fault % {"least": FEWEST_LETTERS, "n": len(comment.strip())})
    decide_payment(member.campaign, member.user, accept=False, reason=reason, decider=Decider(by), comment=comment)


#: By the names that pages and the API have for them.
DECISIONS: dict[str, Callable[..., object]] = {
    "pause": pause,
    "resume": resume,
    "exclude": exclude_all,
    "include": include_all,
    "accept": accept_work,
    "decline": decline_work,
}
