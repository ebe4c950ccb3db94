"""Which of a campaign's answers a figure or an export is about. The one place that knows what "used" means."""

from dataclasses import dataclass

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.models import Annotation, Assignment, Reason, UseDecision
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships


@dataclass(frozen=True)
class Use:
    """The answers that are used, and beside them those left out, those to checks, or what reviewers adjudicated."""

    excluded: bool = False
    checks: bool = False
    adjudicated: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What comes beside the used answers, as addresses say it."""
        return tuple(name for name in MORE if getattr(self, name))


#: What a figure is about unless it says otherwise.
USED = Use()
WITH_EXCLUDED = Use(excluded=True)
MORE = ("excluded", "checks", "adjudicated")


def read_use(words: list[str]) -> Use:
    """The choice that an address names; words that mean nothing are passed over."""
    return Use(**{name: name in words for name in MORE})


def answers_in(campaign: Campaign, use: Use = USED) -> QuerySet[Annotation]:
    """The standing annotations of a campaign, in the order in which they were recorded. Withdrawn ones never come."""
    return Annotation.objects.filter(is_among(campaign, use)).order_by("pk")


def is_among(campaign: Campaign, use: Use = USED, *, of: str = "") -> Q:
    """Whether an annotation is one of these: as a condition on annotations, or on rows with a path to them."""
    withdrawn = withdrawn_memberships().filter(campaign=campaign).values("user")
    found = Q(**{f"{of}assignment__campaign": campaign, f"{of}superseded_by": None})
    found &= ~Q(**{f"{of}assignment__annotator__in": withdrawn})
    if not use.excluded:
        found &= Q(**{f"{of}assignment__excluded": False})
    if not use.checks:
        found &= Q(**{f"{of}assignment__campaign_unit__purpose": CampaignUnit.Purpose.STUDY})
    return found


def n_left_out(campaign: Campaign) -> int:
    """How many answers of the study `USED` does not have and `WITH_EXCLUDED` has."""
    return answers_in(campaign, WITH_EXCLUDED).filter(assignment__excluded=True).count()


def left_out_by_reason(campaign: Campaign) -> tuple[tuple[str, int], ...]:
    """How many answers of the study are left out for each reason, the commonest first; without withdrawn ones."""
    withdrawn = withdrawn_memberships().filter(campaign=campaign).values("user")
    out = Assignment.objects.filter(campaign=campaign, campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    out = out.filter(excluded=True).exclude(annotator__in=withdrawn)
    last = UseDecision.objects.filter(assignment__in=out).values("assignment")
    newest = last.annotate(newest=Max("pk")).order_by().values("newest")
    rows = UseDecision.objects.filter(pk__in=newest).values_list("reason").annotate(n=Count("pk"))
    return tuple((str(Reason(reason).label), n) for reason, n in rows.order_by("-n", "reason"))


def state_of_answers(campaign: Campaign) -> tuple[object, ...]:
    """Changes with every answer, every decision about one, and everybody who withdraws theirs.

    Answers are never deleted, and the first one closes its assignment in the same transaction. So these are how many
    assignments were answered, until when the last was reserved, and how many answers were changed: an index has them,
    and to count the answers themselves takes ten times as long.
    """
    answered = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.ANSWERED)
    found = answered.aggregate(n=Count("*"), last=Max("expires_at"))
    # "Greater than 0" is "not null", and has SQLite begin at the few that there are.
    changed = Annotation.objects.filter(assignment__campaign=campaign, supersedes__gt=0).count()
    decided = UseDecision.objects.filter(assignment__campaign=campaign).aggregate(pk=Max("pk"))["pk"]
    withdrawn = withdrawn_memberships().filter(campaign=campaign).count()
    return found["n"], str(found["last"]), changed, decided or 0, withdrawn


@dataclass(frozen=True)
class NotCounted:
    """Why answers that people gave count in no figure: `excluded` by reason, `withdrawn`, and those to `checks`."""

    given: int
    excluded: tuple[tuple[str, int], ...]
    withdrawn: int
    checks: int

    @property
    def elsewhere(self) -> int:
        """Those that are used, and are outside of what was chosen."""
        return self.given - sum(n for _, n in self.excluded) - self.withdrawn - self.checks


def not_counted(campaign: Campaign) -> NotCounted:
    """Of all answers of a campaign."""
    standing = Annotation.objects.filter(assignment__campaign=campaign, superseded_by=None)
    of_study = Q(assignment__campaign_unit__purpose=CampaignUnit.Purpose.STUDY)
    withdrawn = Q(assignment__annotator__in=withdrawn_memberships().filter(campaign=campaign).values("user"))
    counted = standing.aggregate(
        given=Count("pk"),
        withdrawn=Count("pk", filter=withdrawn),
        checks=Count("pk", filter=~of_study & ~withdrawn),
    )
    return NotCounted(counted["given"], left_out_by_reason(campaign), counted["withdrawn"], counted["checks"])


def standing_use_decisions(campaign: Campaign) -> QuerySet[UseDecision]:
    """The last decision on each answer of the campaign about which there is one."""
    later = UseDecision.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    return UseDecision.objects.filter(~Q(Exists(later)), assignment__campaign=campaign)
