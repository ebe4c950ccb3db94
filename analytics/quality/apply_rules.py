"""What follows from a look: flags, and what the rules do about annotators. Once each, and never against a person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet

from analytics.models import QualityFlag
from analytics.quality.evaluation import Evaluation
from analytics.quality.signals import SIGNALS, Measurement
from annotation.assignment.next_unit import is_paused
from annotation.models import AnnotatorDecision, Assignment
from annotation.review.exclusions import Decider, exclude_answers, pause_annotator
from campaigns.models import CampaignUnit, Membership
from campaigns.quality.rule import Action, Rule

Event = QualityFlag.Event
SEVERITY = {action: n for n, action in enumerate(Action)}


@dataclass(frozen=True)
class _Case:
    """One signal about one annotator: what it says now, and what was said of it before."""

    member: Membership
    signal: str
    measured: Measurement
    rule: Rule
    last: QualityFlag | None

    @property
    def is_open(self) -> bool:
        return self.last is not None and self.last.event == Event.CROSSED


def act(members: Iterable[Membership], found: Evaluation, rules: Mapping[str, Rule]) -> list[QualityFlag]:
    """Append what is new since the last run, and apply the rules; the caller has locked the campaign's row."""
    members = list(members)
    last = _last_flags(members)
    flags = []
    for signal, measurements in found.items():
        for member, measured in zip(members, measurements, strict=True):
            case = _Case(member, signal, measured, rules[signal], last.get((member.pk, signal)))
            if flag := _consequence(case):
                flags.append(flag)
    for member in _flagged_for_exclusion(members):
        if standing := in_force(member):
            _leave_out(member, standing[-1])
    return flags


def _leave_out(member: Membership, flag: QualityFlag) -> None:
    """Leave out what came since, too; but nothing about which a person has decided."""
    undecided = study_answers(member).filter(excluded=False).exclude(decisions__by__isnull=False)
    decider, why = _decider(flag.signal, flag.rule), SIGNALS[flag.signal].reason
    exclude_answers(undecided, reason=why, decider=decider, comment=str(flag.detail or ""))


def study_answers(member: Membership) -> QuerySet[Assignment]:
    """An annotator's answers to the study itself, used or not."""
    return Assignment.objects.filter(
        campaign=member.campaign_id,
        annotator=member.user_id,
        status=Assignment.Status.ANSWERED,
        campaign_unit__purpose=CampaignUnit.Purpose.STUDY,
    )


def in_force(member: Membership) -> list[QualityFlag]:
    """The flags by which a rule leaves out this person's answers, until a person takes that back."""
    lifted = member.quality_flags.filter(event=Event.LIFTED).aggregate(last=Max("pk"))["last"] or 0
    return list(member.quality_flags.filter(event=Event.CROSSED, action=Action.EXCLUDE, pk__gt=lifted))


def _consequence(case: _Case) -> QualityFlag | None:
    """Speaks up once; says so when it is over; acts again only where the rule has become stricter meanwhile."""
    rule, action = case.rule, case.rule.action
    if action != Action.NOTHING and case.measured.crosses(rule):
        action = Action.WARN if _person_decided(case) else action
        if not case.is_open or _severity(action) > _severity(case.last.action if case.last else Action.NOTHING):
            return _spoken(case, action)
        return None
    signal = SIGNALS[case.signal]
    if case.is_open and case.measured.is_within(low_is_bad=signal.low_is_bad):
        return _flag(case, Event.RECOVERED, Action.NOTHING)
    return None


def _spoken(case: _Case, action: Action) -> QualityFlag:
    flag = _flag(case, Event.CROSSED, action)
    member, reason = case.member, SIGNALS[case.signal].reason
    if action == Action.PAUSE and not is_paused(member.campaign, member.user):
        decider = _decider(case.signal, flag.rule)
        pause_annotator(member.campaign, member.user, reason=reason, decider=decider, comment=str(flag.detail or ""))
    return flag


def _flag(case: _Case, event: str, action: Action) -> QualityFlag:
    return QualityFlag.objects.create(
        membership=case.member,
        signal=case.signal,
        event=event,
        value=case.measured.value,
        n=case.measured.n,
        rule=case.rule.document(),
        action=action,
        detail=case.measured.detail,
    )


def _person_decided(case: _Case) -> bool:
    """Whether a person already reversed what this very rule had done to this annotator."""
    ours = QualityFlag.objects.filter(membership=case.member, signal=case.signal)
    if case.rule.action == Action.EXCLUDE:
        return ours.filter(event=Event.LIFTED).exists()
    paused = ours.filter(event=Event.CROSSED, action=Action.PAUSE).order_by("pk").first()
    if case.rule.action != Action.PAUSE or paused is None:
        return False
    resumed = AnnotatorDecision.objects.filter(
        campaign=case.member.campaign_id, annotator=case.member.user_id, about=AnnotatorDecision.About.WORK,
        yes=True, by__isnull=False, made_at__gte=paused.made_at,
    )  # fmt: skip
    return resumed.exists()


def _last_flags(members: list[Membership]) -> dict[tuple[int, str], QualityFlag]:
    """What each signal said last of each annotator. That a person took something back is no word of the signal's."""
    said = QualityFlag.objects.filter(membership__in=members).exclude(event=Event.LIFTED).order_by()
    newest = said.values("membership", "signal").annotate(newest=Max("pk")).values("newest")
    return {(flag.membership_id, flag.signal): flag for flag in QualityFlag.objects.filter(pk__in=newest)}


def _flagged_for_exclusion(members: list[Membership]) -> list[Membership]:
    flagged = QualityFlag.objects.filter(membership__in=members, event=Event.CROSSED, action=Action.EXCLUDE)
    ids = set(flagged.values_list("membership", flat=True))
    return [member for member in members if member.pk in ids]


def _decider(signal: str, rule: Mapping[str, Any]) -> Decider:
    return Decider(rule=f"{signal} beyond {rule['tolerated']:g}")


def _severity(action: str) -> int:
    return SEVERITY[Action(action)]
