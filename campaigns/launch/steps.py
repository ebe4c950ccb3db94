"""The steps of launching a campaign, in their order. A new step is one line here."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaigns.access import Right
from campaigns.models import CHECKS, Campaign, CampaignUnit, Invitation, Role
from campaigns.rubrics.progress import reviewed
from protocols import Protocol

Purpose = CampaignUnit.Purpose


@dataclass(frozen=True)
class Step:
    """A page by its URL name. An optional step does not block the next; one that `saves` redirects by itself."""

    title: str | Promise
    url_name: str
    is_done: Callable[[Campaign], bool]
    is_optional: bool = False
    saves: bool = False
    right: Right = Right.MANAGE
    of_some_protocols: Callable[[Protocol], bool] | None = None


@dataclass(frozen=True)
class ShownStep:
    title: str | Promise
    url: str
    is_done: bool
    is_optional: bool
    saves: bool
    is_current: bool


@dataclass(frozen=True)
class ProgressLine:
    """The steps, with the ones before and after the current one."""

    steps: tuple[ShownStep, ...]

    @property
    def place(self) -> int:
        """The number of the current step, from 1 on; 0 where it is none of them."""
        return next((n for n, step in enumerate(self.steps, 1) if step.is_current), 0)

    @property
    def may_go_on(self) -> bool:
        """Whether one may go on without saving anything here: the step is optional, or done with nothing to save."""
        here = self.steps[self.place - 1] if self.place else None
        return here is not None and (here.is_optional or (here.is_done and not here.saves))

    @property
    def before(self) -> ShownStep | None:
        return self.steps[self.place - 2] if self.place > 1 else None

    @property
    def after(self) -> ShownStep | None:
        return self.steps[self.place] if 0 < self.place < len(self.steps) else None

    @property
    def next_open(self) -> ShownStep:
        """The first step that has to be done; the last one is never done before the campaign opens."""
        return next((step for step in self.steps if not step.is_done and not step.is_optional), self.steps[-1])


def _always(_campaign: Campaign) -> bool:
    return True


def _passed(url_name: str) -> Callable[[Campaign], bool]:
    return lambda campaign: url_name in campaign.launch_steps


def _has_units(campaign: Campaign) -> bool:
    return campaign.campaign_units.filter(purpose=Purpose.STUDY).exists()


def _has_checks(campaign: Campaign) -> bool:
    return campaign.campaign_units.filter(purpose__in=CHECKS).exists()


def _has_criteria(campaign: Campaign) -> bool:
    return not reviewed(campaign).left


def _has_people(campaign: Campaign) -> bool:
    invited = Invitation.objects.filter(campaign=campaign, revoked_at=None)
    return invited.exists() or campaign.memberships.filter(role=Role.ANNOTATOR, ended_at=None).exists()


STEPS = (
    Step(_("Dataset"), "launch-systems", _always, saves=True),
    Step(_("Protocol"), "launch-protocol", _passed("launch-protocol"), saves=True),
    Step(
        _("Arena"),
        "campaign-arena",
        lambda campaign: campaign.is_open_ended,
        is_optional=True,
        of_some_protocols=lambda protocol: protocol.unit == "pair",
    ),
    Step(_("Units"), "launch-units", _has_units, saves=True),
    Step(_("Answers"), "launch-answers", _passed("launch-answers"), saves=True),
    Step(_("Rubric"), "rubric", _has_criteria, of_some_protocols=lambda protocol: protocol.item_criteria),
    Step(_("Checks"), "checks", _has_checks, is_optional=True),
    Step(_("Rules"), "quality-rules", lambda campaign: campaign.quality_rules.exists(), is_optional=True),
    Step(_("Getting ready"), "gates", lambda campaign: campaign.gates.exists(), is_optional=True),
    Step(_("People"), "members", _has_people, is_optional=True, right=Right.INVITE),
    Step(_("Preview"), "preview", _passed("preview"), is_optional=True),
    Step(
        pgettext_lazy("what to do", "Open"), "launch-open", lambda campaign: campaign.status != Campaign.Status.DRAFT
    ),
)


def is_step(url_name: str) -> bool:
    return any(step.url_name == url_name for step in STEPS)


def first_line() -> ProgressLine:
    """The steps before there is a draft: one is at the first."""
    common = (step for step in STEPS if not step.of_some_protocols)
    shown = (ShownStep(step.title, "", False, step.is_optional, step.saves, n == 0) for n, step in enumerate(common))
    return ProgressLine(tuple(shown))


def progress_line(campaign: Campaign, rights: frozenset[Right], current: str = "") -> ProgressLine:
    """The steps that a user with these rights can take, and the progress of the launch."""
    return ProgressLine(
        tuple(
            ShownStep(
                title=step.title,
                url=reverse(step.url_name, args=[campaign.slug]),
                is_done=step.is_done(campaign),
                is_optional=step.is_optional,
                saves=step.saves,
                is_current=step.url_name == current,
            )
            for step in STEPS
            if step.right in rights and (step.of_some_protocols is None or step.of_some_protocols(campaign.protocol))
        )
    )
