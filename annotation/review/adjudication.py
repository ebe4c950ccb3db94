"""A reviewer answers what annotators were asked. The answers stand beside theirs, as a rater of their own."""

import random
from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.answers.revise import as_clicked
from annotation.blinding import in_stored_frame
from annotation.models import AdjudicatedAnswer, Adjudication, UnitReview
from campaigns.models import Campaign, CampaignUnit
from campaigns.rubrics.asking import protocol_for
from protocols import Protocol, read_answers

#: The rater under which adjudicated labels go out. Pseudonyms never look like this.
RATER = "adjudicated"
MAX_COMMENT = 2000


class NotForReview(ValueError):
    """What a reviewer may not do, in a sentence for them."""


def review_order(unit: CampaignUnit, reviewer: User) -> str:
    """The order in which this reviewer hears the unit: drawn at random, and the same at each visit."""
    slots = list(unit.slots)
    random.Random(f"{unit.pk} {reviewer.pk}").shuffle(slots)  # noqa: S311 - a draw, not a secret
    return "".join(slots)


def asked_of_reviewers(unit: CampaignUnit) -> Protocol:
    """The campaign's protocol as it is asked about this unit, without what only annotators are asked."""
    return replace(protocol_for(unit.campaign, unit.unit.item), ask_confidence=False)


@transaction.atomic
def adjudicate(
    unit: CampaignUnit, *, reviewer: User, clicked: Mapping[str, str], idempotency_key: str, comment: str = ""
) -> Adjudication:
    """Store the reviewer's answers to a unit of the study; earlier ones are superseded and stay.

    With it the reviewer is through with the unit. Raises InvalidAnswers, NotForReview.
    """
    require_study(unit)
    require_short(comment)
    CampaignUnit.objects.select_for_update().get(pk=unit.pk)
    if earlier := unit.adjudications.filter(idempotency_key=idempotency_key).first():
        return earlier
    protocol, order = asked_of_reviewers(unit), review_order(unit, reviewer)
    answers = read_answers(protocol, clicked, n_responses=len(order))
    made = Adjudication.objects.create(
        campaign_unit=unit,
        by=reviewer,
        supersedes=standing_adjudication(unit),
        idempotency_key=idempotency_key,
        order=order,
        comment=comment,
    )
    AdjudicatedAnswer.objects.bulk_create(
        AdjudicatedAnswer(adjudication=made, **in_stored_frame(answer, protocol, order)) for answer in answers
    )
    UnitReview.objects.create(campaign_unit=unit, by=reviewer)
    return made


def standing_adjudication(unit: CampaignUnit) -> Adjudication | None:
    return unit.adjudications.filter(superseded_by=None).first()


def standing_adjudications(campaign: Campaign) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(campaign_unit__campaign=campaign, superseded_by=None).order_by("pk")


def adjudicated_before(unit: CampaignUnit, reviewer: User) -> dict[str, str]:
    """The standing adjudicated answers as this reviewer's form would send them."""
    if (standing := standing_adjudication(unit)) is None:
        return {}
    protocol, order = asked_of_reviewers(unit), review_order(unit, reviewer)
    said: dict[str, str] = {}
    for answer in standing.answers.all():
        said |= as_clicked(answer, protocol, order)
    return said


def require_study(unit: CampaignUnit) -> None:
    """Raises NotForReview for checks, whose correct answers are already known."""
    if unit.purpose != CampaignUnit.Purpose.STUDY:
        raise NotForReview(_("This is a check, and no unit of the study."))


def require_short(text: str) -> None:
    """Raises NotForReview where a text cannot be stored."""
    if len(text) > MAX_COMMENT or "\x00" in text:
        raise NotForReview(
            _("A text has at most %(n)s characters, and none that cannot be kept.") % {"n": MAX_COMMENT}
        )
