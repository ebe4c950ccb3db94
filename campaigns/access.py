"""Who may do what. Pages, API and tasks all ask here."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.people.rights import RefusedToAll
from campaigns import reasons
from campaigns.models import Campaign, Membership, Role
from corpus.models import LabelSet
from infrastructure.background.subjects import Subjects
from infrastructure.compiled_queries import Given, Prepared
from infrastructure.whole_numbers import row_id
from infrastructure.wording.reasons import Reason, ReasonCode, Reasoned

#: What many jobs are about.
CAMPAIGNS = Subjects(Campaign, name="title", url="campaign", args=("slug",))


class Right(StrEnum):
    LABEL = "label"
    VIEW = "view"
    REVIEW = "review"
    MANAGE = "manage"
    EXPORT = "export"
    INVITE = "invite"


RIGHT_TEXTS = {
    Right.LABEL: gettext_lazy("Annotate: hear clips and answer units, without the names of systems"),
    Right.VIEW: gettext_lazy("See the campaign, its board, reports and comparison, with the names of systems"),
    Right.REVIEW: gettext_lazy("See answers by annotator, adjudicate, leave answers out"),
    Right.MANAGE: gettext_lazy("Change the campaign, open and close it, run judges, hide names until it closes"),
    Right.EXPORT: gettext_lazy("Download answers, share reports"),
    Right.INVITE: gettext_lazy("Add people, create invitation links, set the retention"),
}
RIGHTS: dict[str, frozenset[Right]] = {
    Role.ADMIN: frozenset({Right.VIEW, Right.REVIEW, Right.MANAGE, Right.EXPORT, Right.INVITE}),
    Role.RESEARCHER: frozenset({Right.VIEW, Right.REVIEW, Right.MANAGE, Right.EXPORT}),
    Role.REVIEWER: frozenset({Right.VIEW, Right.REVIEW}),
    Role.ANNOTATOR: frozenset({Right.LABEL}),
    Role.VIEWER: frozenset({Right.VIEW}),
}
_roles: Prepared[tuple[str]] = Prepared(
    lambda: (
        Membership.objects.filter(campaign=Given("campaign"), user=Given("user"), ended_at=None)
        .order_by()
        .values_list("role")
    )
)
FOR_GUESTS = frozenset({Right.LABEL})


def rights_in(campaign: Campaign, user: User) -> frozenset[Right]:
    """The union over the person's roles; a superuser has the admin's rights everywhere, a guest may only label."""
    return rights_of_roles(user, (role for (role,) in _roles.rows(campaign=campaign.pk, user=user.pk)))


def rights_of_roles(user: User, roles: Iterable[str]) -> frozenset[Right]:
    """What `user` may do in a campaign where they have these roles."""
    held = {*roles, Role.ADMIN} if user.is_superuser else set(roles)
    rights = frozenset().union(*(RIGHTS[role] for role in held))
    return rights & FOR_GUESTS if user.is_guest else rights


def campaign_for(user: User, slug: str, right: Right, *, along_with: Sequence[str] = ()) -> Campaign:
    """The campaign, if `user` holds `right` in it; `along_with` names rows that are read in the same query.

    Raises Http404 for users without a role in it (it does not exist for them), PermissionDenied for
    users whose role is not sufficient. One query for those who have a role in it.
    """
    beside = ("dataset", *along_with)
    there = Membership.objects.filter(
        campaign__slug=slug, campaign__deleting_since=None, user=user, ended_at=None
    ).order_by()
    held = list(there.select_related("campaign", *(f"campaign__{name}" for name in beside)))
    campaign = held[0].campaign if held else None
    if campaign is None and user.is_superuser:
        campaign = Campaign.objects.select_related(*beside).filter(slug=slug).first()
    rights = rights_of_roles(user, (row.role for row in held))
    if campaign is None or not rights:
        raise Http404("There is no such campaign among yours.")
    if right not in rights:
        raise PermissionDenied(_("Your role in this campaign does not allow this."))
    return campaign


def why_no_new_work(campaign: Campaign) -> Reason | None:
    """Why an archived campaign, or one of an archived dataset, takes no new work."""
    if campaign.archived_at is not None:
        return reasons.CAMPAIGN_ARCHIVED()
    return reasons.DATASET_ARCHIVED() if campaign.is_archived else None


def watched_campaign(user: User, slug: str) -> Campaign:
    """The campaign, for a page that may watch it. Raises Http404, PermissionDenied."""
    return campaign_for(user, slug, Right.VIEW)


def manages_any(user: User) -> bool:
    return campaigns_with(user, Right.MANAGE).exists()


def may_view_campaign(user: User, pk: str) -> bool:
    """Whether `user` may see how a job about the campaign with this id goes."""
    campaign = Campaign.objects.filter(pk=row_id(pk)).first()
    return campaign is not None and Right.VIEW in rights_in(campaign, user)


def page_of_campaign(pk: str) -> str:
    """The address of the campaign with this id; empty where there is none."""
    campaign = Campaign.objects.filter(pk=row_id(pk)).first()
    return campaign.get_absolute_url() if campaign else ""


def campaigns_with(user: User, right: Right) -> QuerySet[Campaign]:
    """The campaigns in which `user` holds `right`, newest first."""
    if user.is_guest and right not in FOR_GUESTS:
        return Campaign.objects.none()
    if user.is_superuser and right in RIGHTS[Role.ADMIN]:
        return Campaign.objects.all()
    roles = [role for role, rights in RIGHTS.items() if right in rights]
    held = Membership.objects.filter(user=user, role__in=roles, ended_at=None)
    return Campaign.objects.filter(pk__in=held.values("campaign"))


def names_are_hidden(subject: Campaign | LabelSet) -> bool:
    """Until a campaign with hidden names closes; the lock is the arena's row."""
    if not isinstance(subject, Campaign) or subject.status == Campaign.Status.CLOSED:
        return False
    return hasattr(subject, "name_lock")


class NamesHidden(RefusedToAll):
    """The names of the systems are hidden until the campaign closes."""

    title = gettext_lazy("Not while the names are hidden")
    advice = gettext_lazy(
        "This holds for everyone, admins included. Close the campaign to see the names and to download its answers."
    )


def require_names_shown(campaign: Campaign) -> None:
    """Raise PermissionDenied for what would tell how the systems do by their names, while these are hidden."""
    if names_are_hidden(campaign):
        raise NamesHidden(_("The names of the systems are hidden until the campaign closes."))


class ChecksFixed(Reasoned, ValueError):
    """The campaign has opened."""


def require_draft(campaign: Campaign, *, why: ReasonCode = reasons.CHECKS_FIXED) -> None:
    """Checks are part of what people meet, so they are fixed once a campaign has opened. Raises ChecksFixed."""
    if Campaign.objects.select_for_update().get(pk=campaign.pk).status != Campaign.Status.DRAFT:
        raise ChecksFixed(why())
