"""Whose answers a board can be of, beside everybody's: one annotator's, those of a group, or a judge's in one run.

Groups are the links by which people came: experts get one, a panel another. Who came by none is a group too.
"""

from collections.abc import Collection

from django.db.models import Count, Exists, OuterRef, QuerySet

from campaigns.models import Arrival, Campaign, Membership, Role
from corpus.models import LabelSet, Unit
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.phrases import Phrase
from judges.models import Run, VerdictAnswer

#: As the evaluators of a label set: everybody whose labels came under its name.
ALL_RATERS = "all"
#: As a group of annotators: who came by no invitation link.
NO_LINK = "no-link"
_LINK = "link-"
_RUN = "judge-"


def evaluators_of(subject: Campaign | LabelSet) -> list[str]:
    """What `Selection.by` may be, beside everybody (or, for a label set, beside itself) and `groups_of`."""
    if isinstance(subject, LabelSet):
        return [ALL_RATERS] if subject.rater else []
    rows = Membership.objects.filter(campaign=subject, role=Role.ANNOTATOR, answers_withdrawn_at=None)
    return list(rows.order_by("pk").values_list("pseudonym", flat=True))


def groups_of(campaign: Campaign) -> dict[str, str]:
    """Groups of annotators with their titles. Empty where nobody came by a link: then all are in one."""
    came = campaign.invitations.annotate(n=Count("arrivals")).filter(n__gt=0).order_by("pk")
    links = {f"{_LINK}{it.pk}": it.note or Phrase("Link %(n)s", n=it.pk) for it in came}
    return links | {NO_LINK: Phrase("Came by no link")} if links else {}


def is_group(by: str) -> bool:
    """Whether this is a group and no pseudonym."""
    return by == NO_LINK or by.startswith(_LINK)


def annotators_by(campaign: Campaign, by: str) -> QuerySet[Membership]:
    """Who is meant, as annotators of the campaign: the one of this pseudonym, or everybody in the group."""
    everybody = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    came = arrivals_at(campaign)
    if by == NO_LINK:
        return everybody.exclude(user__in=came.values("user"))
    if by.startswith(_LINK):
        return everybody.filter(user__in=came.filter(invitation=int(by.removeprefix(_LINK))).values("user"))
    return everybody.filter(pseudonym=by)


def arrivals_at(campaign: Campaign) -> QuerySet[Arrival]:
    """They are never taken back: with somebody who withdrew their name, they are handed over to a stand-in."""
    return Arrival.objects.filter(invitation__campaign=campaign)


def is_run(by: str) -> bool:
    """Whether this is a judge's run and nobody of flesh and blood."""
    return by.startswith(_RUN)


def by_run(run: Run) -> str:
    return f"{_RUN}{run.pk}"


def run_of(campaign: Campaign, by: str) -> Run | None:
    """The run that is meant, whatever its state; None where this campaign has no such run on unchanged sound."""
    pk = whole_number(by.removeprefix(_RUN))
    if not is_run(by) or pk is None:
        return None
    runs = Run.objects.filter(campaign=campaign, perturbation__isnull=True, pk=pk)
    return runs.select_related("judge").first()


def run_is_done(campaign: Campaign, by: str) -> bool:
    """Whether the run that is meant is there and done; not while it is at work again, or cancelled."""
    run = run_of(campaign, by)
    return run is not None and run.status == Run.Status.DONE


def clean_runs(campaign: Campaign, aspects: Collection[str]) -> QuerySet[Run]:
    """The runs on unchanged sound that answered one of these aspects of a pair, in any state, by their number."""
    said = VerdictAnswer.objects.filter(
        verdict__run=OuterRef("pk"), verdict__unit__kind=Unit.Kind.PAIR, aspect__in=aspects, slot=""
    )
    runs = Run.objects.filter(Exists(said), campaign=campaign, perturbation__isnull=True)
    return runs.select_related("judge").order_by("pk")
