"""What reviewers do about a unit and its answers, short of answering it themselves. Each is a row of its own."""

import hashlib

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from annotation.models import Annotation, AnswerReview, NamesShown, Reason, ReviewComment
from annotation.review.adjudication import NotForReview, require_short, require_study
from campaigns.access import names_are_hidden, require_names_shown
from campaigns.audit_log import record_in
from campaigns.entry_gates.system_name_leaks import systems_named
from campaigns.models import Campaign, CampaignUnit

NAMES_SEEN = AuditEvent("names_seen", gettext_lazy("A reviewer had the systems of a unit named: unit %(unit)s."))


def comment_on(unit: CampaignUnit, *, reviewer: User, text: str, idempotency_key: str) -> ReviewComment:
    """Add to the thread of a unit; the same text of the same form is one comment, however often it is sent.

    Raises NotForReview for an empty or endless text.
    """
    require_short(text)
    if not text.strip():
        raise NotForReview(_("Write something first."))
    key = hashlib.sha256(f"{idempotency_key}\n{text.strip()}".encode()).hexdigest()
    made, _is_new = ReviewComment.objects.get_or_create(
        campaign_unit=unit, by=reviewer, idempotency_key=key, defaults={"text": text.strip()}
    )
    return made


@transaction.atomic
def show_names(unit: CampaignUnit, *, reviewer: User) -> NamesShown:
    """Let this reviewer see who speaks, and keep that they did. Raises PermissionDenied while names are hidden."""
    require_names_shown(unit.campaign)
    shown, is_new = NamesShown.objects.get_or_create(campaign_unit=unit, by=reviewer)
    if is_new:
        record_in(unit.campaign, NAMES_SEEN, by=reviewer, unit=unit.position)
    return shown


def names_shown_to(unit: CampaignUnit, reviewer: User) -> NamesShown | None:
    """None as well where names were hidden after this reviewer had seen them."""
    if names_are_hidden(unit.campaign):
        return None
    return NamesShown.objects.filter(campaign_unit=unit, by=reviewer).first()


@transaction.atomic
def review_answer(
    annotation: Annotation, *, reviewer: User, accepted: bool, reason: str = "", message: str = ""
) -> AnswerReview:
    """Accept an annotation or not, and tell its annotator. Neither use nor payment follows from it.

    Raises NotForReview where a refusal has no reason or no message, where the text cannot be stored or names a
    system, and where the annotation is not the current one.
    """
    require_study(annotation.assignment.campaign_unit)
    require_short(message)
    if not accepted and (reason not in Reason.values or not message.strip()):
        raise NotForReview(_("Choose a reason, and write a message for the annotator."))
    if names := systems_named(annotation.assignment.campaign.dataset, message)[0]:
        refusal = _("The message names %(systems)s, and the annotator may answer more units.")
        raise NotForReview(refusal % {"systems": ", ".join(names)})
    if Annotation.objects.select_for_update().filter(supersedes=annotation).exists():
        raise NotForReview(_("The annotator has changed this answer meanwhile. Look at the new one."))
    return AnswerReview.objects.create(
        annotation=annotation,
        by=reviewer,
        accepted=accepted,
        reason="" if accepted else reason,
        message=message.strip(),
    )


def own_messages(campaign: Campaign, annotator: User) -> QuerySet[AnswerReview]:
    """What reviewers wrote to this annotator about their answers here, the newest first."""
    mine = {"annotation__assignment__campaign": campaign, "annotation__assignment__annotator": annotator}
    return AnswerReview.objects.filter(**mine).exclude(message="").select_related("annotation").order_by("-pk")
