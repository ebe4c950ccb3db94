"""Where an opened campaign stands, and what is next: the first step is the one to take, the others follow."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.monitoring.alarms import n_open_alarms
from analytics.monitoring.imported_people import ImportedPeople, imported_people
from analytics.quality.flags import n_raised
from analytics.review.queue import n_to_review
from annotation.assignment.progress import Answered, answers_by_campaign
from campaigns.access import Right
from campaigns.models import Campaign, Invitation
from campaigns.people.members import annotators_by_state
from judges.models import Run
from judges.runs.progress import n_stopped_runs

Status = Campaign.Status


@dataclass(frozen=True)
class NextStep:
    """A button, and why; with `is_post` it does at once what it says."""

    title: str
    why: str
    url: str
    right: Right = Right.VIEW
    is_post: bool = False


@dataclass(frozen=True)
class Standing:
    """What there is of a campaign at this moment. `raised` annotators raised signals and wait for a decision."""

    answers: Answered
    annotators: int
    runs: int
    stopped_runs: int
    alarms: int
    raised: int
    to_review: int
    is_invited: bool
    imported: tuple[ImportedPeople, ...] = ()

    @property
    def is_complete(self) -> bool:
        return 0 < self.answers.total <= self.answers.answered


def standing_of(campaign: Campaign) -> Standing:
    """In nine queries, however much was answered. `to_review` is as of the last look at the queue."""
    [(_campaign, answers)] = answers_by_campaign([campaign])
    return Standing(
        answers=answers,
        annotators=annotators_by_state(campaign).labelling,
        runs=Run.objects.filter(campaign=campaign, perturbation__isnull=True).count(),
        stopped_runs=n_stopped_runs(campaign),
        alarms=n_open_alarms(campaign),
        raised=n_raised(campaign),
        to_review=n_to_review(campaign),
        is_invited=Invitation.objects.filter(campaign=campaign, revoked_at=None).exists(),
        imported=imported_people(campaign),
    )


def next_steps_of(campaign: Campaign, standing: Standing, rights: frozenset[Right]) -> list[NextStep]:
    """Those that a user with these rights can take, the most urgent first."""
    if campaign.is_archived:
        steps = _of_archived(campaign)
    elif campaign.shown_status == Status.CLOSED:
        steps = _of_closed(campaign, standing)
    else:
        steps = _of_open(campaign, standing)
    return [step for step in steps if step.right in rights]


def _of_open(campaign: Campaign, standing: Standing) -> Iterator[NextStep]:
    yield from _what_is_wrong(campaign, standing)
    if campaign.status == Status.PAUSED:
        url = reverse("campaign-turn", args=[campaign.slug, "open"])
        yield NextStep(_("Open it again"), _("It is paused: nobody can answer."), url, Right.MANAGE, is_post=True)
    if not (standing.annotators or standing.is_invited or campaign.is_open_ended):
        yield NextStep(_("Invite annotators"), _("Nobody can answer yet."), _page(campaign, "members"), Right.INVITE)
    if not standing.runs:
        yield _baselines(campaign)
    yield from _to_review(campaign, standing)
    if standing.is_complete:
        yield NextStep(_("Read the results"), _("Every answer is there."), _page(campaign, "results"))
    yield _compare(campaign)
    if not standing.raised:
        why = _("How they work, and what the rules say.")
        yield NextStep(_("Look at the annotators"), why, _page(campaign, "quality"), Right.REVIEW)


def _of_closed(campaign: Campaign, standing: Standing) -> Iterator[NextStep]:
    yield from _what_is_wrong(campaign, standing)
    yield from _to_review(campaign, standing)
    yield NextStep(_("Read the results"), _("No more answers come."), _page(campaign, "results"))
    if not standing.runs:
        yield _baselines(campaign)
    yield _compare(campaign)
    why = _("Answers, labels and reports, as files.")
    yield NextStep(_("Export the data"), why, _page(campaign, "exports"), Right.EXPORT)


def _of_archived(campaign: Campaign) -> Iterator[NextStep]:
    if campaign.archived_at is not None:
        why = _("It is archived: it stays readable, and takes no new work.")
        yield NextStep(_("Restore it"), why, reverse("manage", args=["campaign", campaign.slug]), Right.MANAGE)
    else:
        why = _("It is archived, so that this campaign takes no new work.")
        url = reverse("dataset", args=[campaign.dataset.slug])
        yield NextStep(_("Restore the dataset"), why, url, Right.MANAGE)
    yield NextStep(_("Read the results"), _("Everything that was collected stays."), _page(campaign, "results"))
    yield _compare(campaign)
    why = _("Answers, labels and reports, as files.")
    yield NextStep(_("Export the data"), why, _page(campaign, "exports"), Right.EXPORT)


def _what_is_wrong(campaign: Campaign, standing: Standing) -> Iterator[NextStep]:
    if n := standing.raised:
        title = ngettext("%(n)s annotator raised signals", "%(n)s annotators raised signals", n) % {"n": n}
        why = _("Their answers are used until you decide otherwise.")
        yield NextStep(title, why, _page(campaign, "quality"), Right.REVIEW)
    if standing.alarms:
        why = _("Unusually many answers are left out.")
        yield NextStep(_("Look into the alarm"), why, _page(campaign, "quality"), Right.REVIEW)
    if n := standing.stopped_runs:
        why = ngettext("%(n)s run of a judge stopped.", "%(n)s runs of judges stopped.", n) % {"n": n}
        yield NextStep(_("See why a judge stopped"), why, _page(campaign, "runs"), Right.MANAGE)


def _to_review(campaign: Campaign, standing: Standing) -> Iterator[NextStep]:
    if n := standing.to_review:
        title = ngettext("Review %(n)s unit", "Review %(n)s units", n) % {"n": n}
        why = ngettext("Something speaks for looking at it.", "Something speaks for looking at them.", n)
        yield NextStep(title, why, _page(campaign, "review"), Right.REVIEW)


def _baselines(campaign: Campaign) -> NextStep:
    why = _("Judges that need no key: what every other judge has to be better than.")
    return NextStep(_("Run the baselines"), why, _page(campaign, "baselines"), Right.MANAGE, is_post=True)


def _compare(campaign: Campaign) -> NextStep:
    return NextStep(_("Compare judges with people"), _("Agreement, with intervals."), _page(campaign, "comparison"))


def _page(campaign: Campaign, url_name: str) -> str:
    return reverse(url_name, args=[campaign.slug])
