"""Which unit an annotator gets next. One at a time, so that no units are blocked that others could answer."""

import random
from collections.abc import Callable, Iterable
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation import reasons
from annotation.assignment.control_units import due_check, next_check_seat
from annotation.assignment.expiry import new_expiry, release_overdue
from annotation.assignment.presentation_order import drawn_order
from annotation.assignment.seat_counts import add_to_counts
from annotation.assignment.seats import candidates, free_seat, is_free, live, locked_unit
from annotation.entry_gates.gate_progress import GateNeeded, next_gate
from annotation.entry_gates.units import due_unit
from annotation.models import AnnotatorDecision, Assignment
from campaigns.access import Right, rights_in
from campaigns.entry_gates.settings import OF_UNITS
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.consent import require_consent
from infrastructure.compiled_queries import Given, Prepared
from infrastructure.live.announcements import announce, campaign_topic
from infrastructure.wording.reasons import Reasoned

PLANNED = Assignment.Status.PLANNED
IN_HAND = Q(status=Assignment.Status.RESERVED) | Q(reopened_at__isnull=False)
ATTEMPTS = 5
#: What is shown of an assignment, or added to, read in the same query.
_SHOWN = ("campaign_unit__unit__item", "listening")
MAX_COMMENT = 2000
#: Why a unit may be given back, in the annotator's words.
RETURN_REASONS = {
    "does_not_play": gettext_lazy("A clip does not play"),
    "cannot_judge": gettext_lazy("I cannot judge this"),
    "knows_voice": gettext_lazy("I recognise a voice"),
    "other": gettext_lazy("Another reason"),
}


_last_decision = Prepared(
    lambda: (
        AnnotatorDecision.objects.filter(campaign=Given("campaign"), annotator=Given("annotator"))
        .filter(about=AnnotatorDecision.About.WORK)
        .order_by("-pk")
        .values_list("yes")[:1]
    )
)


class TooMuchAtOnce(RuntimeError):
    """No seat could be had in several attempts, though there may be one."""


class CampaignNotOpen(Reasoned, ValueError):
    """Annotators are not let in at the moment."""


class AnnotatorPaused(Reasoned, ValueError):
    """This annotator gets no more units for the time being."""


#: Hands out one unit of the study, or None where there is none for this person.
Reserve = Callable[[Campaign, User], Assignment | None]
#: How a unit that is planned for this annotator is assigned; called before each attempt, without a lock.
Prepare = Callable[[Assignment | None], Reserve]


def next_assignment(campaign: Campaign, annotator: User, *, prepare: Prepare | None = None) -> Assignment | None:
    """The unit this annotator is at, or a newly reserved one; None when there is nothing left for them.

    Raises CampaignNotOpen, AnnotatorPaused, ConsentNeeded, GateNeeded. Two people who ask at the same
    moment get different seats: the unit's row is locked, and a constraint on (unit, seat) has the last word.
    What `prepare` makes hands out units of the study in another way than by who has the fewest answers; it is called
    within a transaction, and again after an IntegrityError, when another request was faster.
    """
    if not campaign.takes_answers:
        raise CampaignNotOpen(reasons.NOT_OPEN())
    require_consent(campaign, annotator)
    gate = next_gate(campaign, annotator)
    if gate and gate.gate.kind not in OF_UNITS:
        raise GateNeeded(gate)
    at_hand = _at_hand(campaign, annotator)
    if held := _held(at_hand):
        return held
    if is_paused(campaign, annotator):
        raise AnnotatorPaused(reasons.BEING_REVIEWED())
    for _attempt in range(ATTEMPTS):
        reserve = prepare(next((it for it in at_hand if it.status == PLANNED), None)) if prepare else _reserve
        before_first_unit = due_unit(gate, annotator) if gate else None
        if not prepare:
            release_overdue(campaign)
        try:
            with transaction.atomic():
                announce(campaign_topic(campaign.slug))
                if gate and gate.last and before_first_unit:
                    return _reserve_before_first_unit(before_first_unit, annotator, round_=gate.last.number)
                return _reserved_check(campaign, annotator) or reserve(campaign, annotator)
        except IntegrityError:
            # Another request was faster, perhaps this annotator's in another tab.
            at_hand = _at_hand(campaign, annotator)
            if held := _held(at_hand):
                return held
    raise TooMuchAtOnce(_("Too many people asked at the same moment. Reload the page."))


def is_paused(campaign: Campaign, annotator: User) -> bool:
    """Whether the last decision about this person's work says that no more units are given."""
    decided = _last_decision.rows(campaign=campaign.pk, annotator=annotator.pk)
    return bool(decided) and not decided[0][0]


def paused_annotators(campaign: Campaign) -> set[int]:
    """The ids of all annotators who get no more units here, as `is_paused` decides for one."""
    work = AnnotatorDecision.objects.filter(campaign=campaign, about=AnnotatorDecision.About.WORK).order_by("pk")
    return {annotator for annotator, yes in dict(work.values_list("annotator", "yes")).items() if not yes}


def locked_assignment(assignment_id: UUID, annotator: User, campaign: Campaign | None = None) -> Assignment:
    """The assignment, locked, for an annotator who still may label in its campaign.

    `campaign` is its campaign where that was read already; of it only the status is read again, which may have
    changed while waiting for the lock. Raises Assignment.DoesNotExist for that of another annotator or campaign,
    PermissionDenied for an annotator who was removed meanwhile.
    """
    mine = Assignment.objects.filter(pk=assignment_id, annotator=annotator)
    if campaign:
        mine = mine.filter(campaign=campaign)
    mine.select_for_update().only("pk").get()
    # What is joined to a row that one waits for is as it was before the wait; so all of it is read after that.
    rows = Assignment.objects.select_related(*_SHOWN)
    if campaign:
        read = rows.annotate(campaign_status=F("campaign__status")).get(pk=assignment_id)
        read.campaign, campaign.status = campaign, read.campaign_status
        assignment: Assignment = read
    else:
        assignment = rows.select_related("campaign").get(pk=assignment_id)
    if Right.LABEL not in rights_in(assignment.campaign, annotator):
        raise PermissionDenied(_("You no longer label in this campaign."))
    return assignment


@transaction.atomic
def give_back(
    assignment_id: UUID, *, annotator: User, reason: str, comment: str = "", campaign: Campaign | None = None
) -> Assignment:
    """Free the seat for another annotator; this annotator is not given the unit again.

    `campaign` is as `locked_assignment` has it. Raises Assignment.DoesNotExist for an assignment that is not this
    annotator's to give, ValueError for an unknown reason or an endless comment. An assignment that was answered or
    given back before stays as it is.
    """
    if reason not in RETURN_REASONS or len(comment) > MAX_COMMENT or "\x00" in comment:
        refusal = _("%(reason)s is no reason to give a unit back, or the comment cannot be kept.")
        raise ValueError(refusal % {"reason": repr(reason[:20])})
    assignment = locked_assignment(assignment_id, annotator, campaign)
    if assignment.status == Assignment.Status.RESERVED:
        assignment.status = Assignment.Status.RETURNED
        assignment.return_reason, assignment.return_comment = reason, comment
        assignment.save(update_fields=["status", "return_reason", "return_comment"])
        add_to_counts({assignment.campaign_unit_id: -1})
    return assignment


@transaction.atomic
def plan_next(campaign: Campaign, annotator: User, *, plan: Reserve | None = None) -> Assignment | None:
    """The unit this annotator will probably get after the one in hand, with its order, so that it can be fetched.

    It reserves nothing. None if there is no next unit. `plan` plans units of the study in another way than
    by who has the fewest answers; what it has planned stays planned.
    """
    if not campaign.takes_answers or is_paused(campaign, annotator) or next_gate(campaign, annotator):
        return None
    planned = _planned(campaign, annotator)
    check = due_check(campaign, annotator)
    if earlier := planned.select_related("campaign_unit__unit").first():
        is_study = earlier.campaign_unit.purpose == CampaignUnit.Purpose.STUDY
        if is_study != bool(check) and (check or plan or is_free(campaign, annotator, earlier.campaign_unit)):
            return earlier
        if not _dropped(earlier):
            return planned.first()  # this annotator's other tab took it up
    try:
        with transaction.atomic():
            if plan and not check:
                return plan(campaign, annotator)
            candidate = check or _first_candidate(campaign, annotator)
            return plan_unit(candidate, annotator) if candidate else None
    except IntegrityError:
        return planned.first()  # this annotator's other tab was faster


def _first_candidate(campaign: Campaign, annotator: User) -> CampaignUnit | None:
    ids = candidates(campaign, annotator)
    return CampaignUnit.objects.select_related("unit").get(pk=ids[0]) if ids else None


def plan_unit(unit: CampaignUnit, annotator: User, *, order: str = "") -> Assignment:
    """This unit as what the annotator will probably get next, in that order or one that is drawn."""
    return _assigned(unit, annotator, status=Assignment.Status.PLANNED, seat=0, order=order)


def reserve_unit(unit: CampaignUnit, annotator: User, *, order: str, plan: Assignment | None = None) -> Assignment:
    """Assign this very unit to the annotator, even if others have it: it gets one seat more than were taken.

    Call it within a transaction. What was planned for this annotator becomes the reservation if it is of this unit,
    and goes otherwise. Raises IntegrityError for an annotator who has an open unit, or had this one, and where that
    is planned no more.
    """
    _take_seat(unit)
    return _taken(unit, annotator, plan=plan, seat=next_check_seat(unit), order=order)


def _take_seat(unit: CampaignUnit) -> None:
    """Count one seat more as taken, with which the unit is locked until the transaction ends."""
    add_to_counts({unit.pk: 1})


def _at_hand(campaign: Campaign, annotator: User) -> list[Assignment]:
    """What this annotator is at, an answer opened again before the reservation, and what is planned for them."""
    here = Assignment.objects.filter(IN_HAND | Q(status=PLANNED), campaign=campaign, annotator=annotator)
    here = here.select_related(*_SHOWN)
    return list(here.order_by(F("reopened_at").desc(nulls_last=True)))


def _held(at_hand: Iterable[Assignment]) -> Assignment | None:
    """The first open assignment. An expired one is renewed unless its seat was released meanwhile."""
    held = next((it for it in at_hand if it.status != PLANNED), None)
    if held is None or held.reopened_at or held.expires_at > timezone.now():
        return held
    held.expires_at, held.shown_at = new_expiry(), timezone.now()
    still = Assignment.objects.filter(IN_HAND, pk=held.pk)
    return held if still.update(expires_at=held.expires_at, shown_at=held.shown_at) else None


def _reserve(campaign: Campaign, annotator: User) -> Assignment | None:
    planned = _planned(campaign, annotator)
    candidate = locked_unit(campaign, annotator, planned=planned)
    if candidate is None:
        return None
    _take_seat(candidate)
    plan = planned.select_related(*_SHOWN).first()
    return _taken(candidate, annotator, plan=plan, seat=free_seat(candidate, campaign))


def _reserved_check(campaign: Campaign, annotator: User) -> Assignment | None:
    """The check that is due, which is the planned one if one is planned; None where it is not time for one."""
    if (check := due_check(campaign, annotator)) is None:
        return None
    plan = _planned(campaign, annotator).select_related("campaign_unit__unit").first()
    is_planned = plan is not None and plan.campaign_unit.purpose != CampaignUnit.Purpose.STUDY
    unit = plan.campaign_unit if plan and is_planned else check
    _take_seat(unit)
    return _taken(unit, annotator, plan=plan, seat=next_check_seat(unit))


def _planned(campaign: Campaign, annotator: User) -> QuerySet[Assignment]:
    return Assignment.objects.filter(campaign=campaign, annotator=annotator, status=Assignment.Status.PLANNED)


def _reserve_before_first_unit(unit: CampaignUnit, annotator: User, *, round_: int) -> Assignment:
    _take_seat(unit)
    reserved = Assignment.Status.RESERVED
    return _assigned(unit, annotator, status=reserved, seat=next_check_seat(unit), round_=round_)


def _taken(unit: CampaignUnit, annotator: User, *, plan: Assignment | None, seat: int, order: str = "") -> Assignment:
    """The unit in this annotator's hands: what was planned, if it is this one, or a new assignment."""
    if plan is None or plan.campaign_unit_id != unit.pk:
        if plan and not _dropped(plan):
            raise IntegrityError("what was planned was taken up or dropped meanwhile")
        return _assigned(unit, annotator, status=Assignment.Status.RESERVED, seat=seat, order=order)
    now = timezone.now()
    changed = {"status": Assignment.Status.RESERVED, "seat": seat, "reserved_at": now, "shown_at": now}
    changed["expires_at"] = new_expiry()
    if not Assignment.objects.filter(pk=plan.pk, status=PLANNED).update(**changed):
        raise IntegrityError("what was planned was taken up or dropped meanwhile")
    for name, value in changed.items():
        setattr(plan, name, value)
    return plan


def _dropped(plan: Assignment) -> bool:
    """Delete what was planned; False where it is planned no more. Call it within a transaction."""
    still = Assignment.objects.select_for_update().filter(pk=plan.pk, status=PLANNED).first()
    if still:
        still.delete()
    return still is not None


def _assigned(
    unit: CampaignUnit, annotator: User, *, status: Assignment.Status, seat: int, round_: int = 1, order: str = ""
) -> Assignment:
    now = timezone.now()
    return Assignment.objects.create(
        campaign_id=unit.campaign_id,
        campaign_unit=unit,
        annotator=annotator,
        order=order or _order(unit, annotator),
        seat=seat,
        round=round_,
        status=status,
        reserved_at=now,
        shown_at=now,
        expires_at=new_expiry(),
    )


def _order(unit: CampaignUnit, annotator: User) -> str:
    """Drawn at random, balanced over the unit's seats and over what this annotator had."""
    orders = _orders.rows(unit=unit.pk, campaign=unit.campaign_id, annotator=annotator.pk)
    return drawn_order(
        unit.slots,
        of_unit=[order for of, order in orders if of == unit.pk],
        of_annotator=[order for of, order in orders if of != unit.pk],
        rng=random.SystemRandom(),
    )


# Each half has an index; with the campaign before the bracket SQLite reads all that the campaign has.
_of_either = Q(campaign_unit=Given("unit")) | Q(campaign=Given("campaign"), annotator=Given("annotator"))
_orders: Prepared[tuple[int, str]] = Prepared(
    lambda: live(Assignment.objects.filter(_of_either)).order_by().values_list("campaign_unit", "order"),
)
