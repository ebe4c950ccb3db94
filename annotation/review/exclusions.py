"""Exclusion is a decision and not a deletion: with a reason, by a person or a rule, and it can be taken back.

Whether an answer is used in the analysis, whether an annotator gets more units, and whether the work is accepted and
paid are three decisions. None follows from another.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from annotation.answers.vote_log import note_votes
from annotation.assignment.seat_counts import add_to_counts
from annotation.assignment.seats import live
from annotation.models import AnnotatorDecision, Assignment, BulkDecision, Reason, UseDecision
from campaigns.audit_log import record_in
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships
from infrastructure.live.announcements import announce, campaign_topic

About = AnnotatorDecision.About
LEFT_OUT = AuditEvent(
    "single_answers_left_out", gettext_lazy("A reviewer left out answers: %(answers)s; reason: %(reason)s.")
)
TAKEN_IN = AuditEvent(
    "single_answers_taken_in", gettext_lazy("A reviewer took in answers again: %(answers)s; reason: %(reason)s.")
)
MAX_COMMENT = 2000
#: Rows that one statement changes.
AT_ONCE = 500


@dataclass(frozen=True)
class Decider:
    """A person, or a rule by its name; exactly one of them."""

    person: User | None = None
    rule: str = ""

    def __post_init__(self) -> None:
        if bool(self.person) == bool(self.rule):
            raise ValueError("either a person decides or a rule does")


def exclude_answers(
    assignments: Iterable[Assignment],
    *,
    reason: str,
    decider: Decider,
    comment: str = "",
    bulk: BulkDecision | None = None,
) -> list[UseDecision]:
    """Leave these answers out of the analysis and free their seats. What is left out already stays as it is.

    Raises ValueError for an unknown reason.
    """
    return _decide_use(assignments, use=False, reason=reason, decider=decider, comment=comment, bulk=bulk)


def include_answers(
    assignments: Iterable[Assignment],
    *,
    reason: str = Reason.OTHER,
    decider: Decider,
    comment: str = "",
    bulk: BulkDecision | None = None,
) -> list[UseDecision]:
    """Use these answers again. If another annotator has their seat by now, the unit has more answers than requested.

    Answers that their annotator withdrew stay out, whatever is decided.
    """
    return _decide_use(assignments, use=True, reason=reason, decider=decider, comment=comment, bulk=bulk)


@transaction.atomic
def pause_annotator(
    campaign: Campaign, annotator: User, *, reason: str, decider: Decider, comment: str = ""
) -> AnnotatorDecision:
    """Give the annotator no more units in this campaign; the open one may still be answered."""
    return _decide_about(campaign, annotator, About.WORK, yes=False, reason=reason, decider=decider, comment=comment)


@transaction.atomic
def resume_annotator(
    campaign: Campaign, annotator: User, *, reason: str = Reason.OTHER, decider: Decider, comment: str = ""
) -> AnnotatorDecision:
    return _decide_about(campaign, annotator, About.WORK, yes=True, reason=reason, decider=decider, comment=comment)


@transaction.atomic
def decide_payment(
    campaign: Campaign, annotator: User, *, accept: bool, reason: str, decider: Decider, comment: str = ""
) -> AnnotatorDecision:
    """Accept an annotator's work or not, independent of its use. A rule may accept; only a person may decline."""
    if not accept and decider.person is None:
        raise ValueError("Only a person declines work.")
    return _decide_about(campaign, annotator, About.PAY, yes=accept, reason=reason, decider=decider, comment=comment)


def standing_decisions(campaign: Campaign, about: str) -> QuerySet[AnnotatorDecision]:
    """The last decision of a kind on each annotator of the campaign."""
    rows = AnnotatorDecision.objects.filter(campaign=campaign, about=about)
    newest = rows.order_by().values("annotator").annotate(newest=Max("pk")).values("newest")
    return rows.filter(pk__in=newest).select_related("by")


_OF_ANSWER = Q(campaign=OuterRef("campaign"), user=OuterRef("annotator"))


@transaction.atomic
def _decide_use(
    assignments: Iterable[Assignment],
    *,
    use: bool,
    reason: str,
    decider: Decider,
    comment: str,
    bulk: BulkDecision | None,
) -> list[UseDecision]:
    """The number of queries depends on how many units there are, and not on how many answers."""
    check_reason(reason, comment)
    ids = [assignment.pk for assignment in assignments]
    answered = Assignment.objects.select_for_update().filter(pk__in=ids, status=Assignment.Status.ANSWERED)
    if use:
        answered = answered.exclude(Exists(withdrawn_memberships().filter(_OF_ANSWER)))
    changing = list(answered.filter(excluded=use).order_by("pk"))
    seats = Counter(assignment.campaign_unit_id for assignment in changing)
    if use:
        # All units at once and in one order, so that two such transactions cannot wait for each other.
        list(CampaignUnit.objects.select_for_update().filter(pk__in=seats).order_by("pk").values_list("pk"))
        Assignment.objects.bulk_update(_seat_again(changing), ["seat"], AT_ONCE)
    for begin in range(0, len(changing), AT_ONCE):
        some = [assignment.pk for assignment in changing[begin : begin + AT_ONCE]]
        Assignment.objects.filter(pk__in=some).update(excluded=not use)
    for assignment in changing:
        assignment.excluded = not use
    decisions = UseDecision.objects.bulk_create(
        [
            UseDecision(
                assignment=assignment,
                use=use,
                reason=reason,
                comment=comment,
                by=decider.person,
                rule=decider.rule,
                bulk=bulk,
            )
            for assignment in changing
        ],
        AT_ONCE,
    )
    add_to_counts({unit: n if use else -n for unit, n in seats.items()})
    note_votes(decision.assignment_id for decision in decisions)
    n_changed = Counter(assignment.campaign_id for assignment in changing)
    for campaign in Campaign.objects.filter(pk__in=n_changed):
        if decider.person and bulk is None:  # a bulk decision is one entry, made where it begins
            event, n = TAKEN_IN if use else LEFT_OUT, n_changed[campaign.pk]
            record_in(campaign, event, by=decider.person, answers=n, reason=reason)
        announce(campaign_topic(campaign.slug))
    return decisions


def _seat_again(changing: Iterable[Assignment]) -> list[Assignment]:
    """Each its old seat, or one beyond all others where that was given away: those. The units are locked."""
    taken: dict[int, set[int]] = {assignment.campaign_unit_id: set() for assignment in changing}
    there = live(Assignment.objects.filter(campaign_unit__in=taken)).order_by()
    for unit, seat in there.values_list("campaign_unit", "seat"):
        taken[unit].add(seat)
    moved = []
    for assignment in changing:
        others = taken[assignment.campaign_unit_id]
        if assignment.seat in others:
            assignment.seat = max(others) + 1
            moved.append(assignment)
        others.add(assignment.seat)
    return moved


def _decide_about(
    campaign: Campaign, annotator: User, about: str, *, yes: bool, reason: str, decider: Decider, comment: str
) -> AnnotatorDecision:
    check_reason(reason, comment)
    return AnnotatorDecision.objects.create(
        campaign=campaign,
        annotator=annotator,
        about=about,
        yes=yes,
        reason=reason,
        comment=comment,
        by=decider.person,
        rule=decider.rule,
    )


def check_reason(reason: str, comment: str) -> None:
    """Raises ValueError for a reason that is none, and a comment that is too long."""
    if reason not in Reason.values:
        raise ValueError(f"{reason[:20]!r} is no reason; there are {', '.join(Reason.values)}")
    if len(comment) > MAX_COMMENT:
        raise ValueError(f"A comment has at most {MAX_COMMENT} characters.")
