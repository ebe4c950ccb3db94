"""Who may do what. Pages, API and tasks all ask here."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Campaign, Dataset, LabelSet, Membership, Role
from infrastructure.compiled_queries import Given, Prepared


class Right(StrEnum):
    LABEL = "label"
    VIEW = "view"
    REVIEW = "review"
    MANAGE = "manage"
    EXPORT = "export"
    INVITE = "invite"


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
    return _rights_of(user, (role for (role,) in _roles.rows(campaign=campaign.pk, user=user.pk)))


def _rights_of(user: User, roles: Iterable[str]) -> frozenset[Right]:
    held = {*roles, Role.ADMIN} if user.is_superuser else set(roles)
    rights = frozenset().union(*(RIGHTS[role] for role in held))
    return rights & FOR_GUESTS if user.is_guest else rights


def campaign_for(user: User, slug: str, right: Right, *, along_with: Sequence[str] = ()) -> Campaign:
    """The campaign, if `user` holds `right` in it; `along_with` names rows that are read in the same query.

    Raises Http404 for somebody who has no part in it (it does not exist for them), PermissionDenied for
    somebody whose role does not reach that far. One query for those who have a role in it.
    """
    beside = ("dataset", *along_with)
    there = Membership.objects.filter(campaign__slug=slug, user=user, ended_at=None).order_by()
    held = list(there.select_related("campaign", *(f"campaign__{name}" for name in beside)))
    campaign = held[0].campaign if held else None
    if campaign is None and user.is_superuser:
        campaign = Campaign.objects.select_related(*beside).filter(slug=slug).first()
    rights = _rights_of(user, (row.role for row in held))
    if campaign is None or not rights:
        raise Http404("There is no such campaign among yours.")
    if right not in rights:
        raise PermissionDenied(_("Your role in this campaign does not allow this."))
    return campaign


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
    """Until a campaign closes whose names somebody locked; the lock is the arena's row."""
    if not isinstance(subject, Campaign) or subject.status == Campaign.Status.CLOSED:
        return False
    return hasattr(subject, "name_lock")


def require_names_shown(campaign: Campaign) -> None:
    """Raise PermissionDenied for what would tell how the systems do by their names, while these are hidden."""
    if names_are_hidden(campaign):
        raise PermissionDenied(_("The names of the systems are hidden until the campaign closes."))


def datasets_for(user: User) -> QuerySet[Dataset]:
    """The datasets that `user` may look into: their own, and those of campaigns they may view."""
    if user.is_superuser:
        return Dataset.objects.all()
    return Dataset.objects.filter(Q(created_by=user) | Q(campaigns__in=campaigns_with(user, Right.VIEW))).distinct()


def datasets_to_launch(user: User) -> QuerySet[Dataset]:
    """The datasets over which `user` may launch campaigns: their own, and those of campaigns they manage."""
    if user.is_superuser:
        return Dataset.objects.all()
    return Dataset.objects.filter(Q(created_by=user) | Q(campaigns__in=campaigns_with(user, Right.MANAGE))).distinct()


def dataset_for(user: User, slug: str) -> Dataset:
    """The dataset, or Http404 where it is none of the user's business."""
    dataset = datasets_for(user).filter(slug=slug).first()
    if dataset is None:
        raise Http404("There is no such dataset among yours.")
    return dataset


def require_account(user: User) -> None:
    """Raise PermissionDenied for guests, who may only label."""
    if user.is_guest:
        raise PermissionDenied(_("Guests only label. Keep your account under a name first."))


class NotResearcher(PermissionDenied):
    """The right of a researcher of the installation is missing; an administrator gives it."""


def require_launcher(user: User) -> None:
    """Raise NotResearcher unless `user` may import datasets and launch campaigns."""
    if not user.may_launch:
        raise NotResearcher(_("Only researchers may do this. Ask an administrator of this installation."))


def require_draft(campaign: Campaign) -> None:
    """Checks are part of what people meet, so they are fixed once a campaign has opened. Raises ValueError."""
    if Campaign.objects.select_for_update().get(pk=campaign.pk).status != Campaign.Status.DRAFT:
        raise ValueError(_("Checks are fixed once a campaign has opened; make a new campaign."))
