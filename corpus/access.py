"""Who may look into a dataset, and who may build on it."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from corpus.dependents import managed_by, viewed_by
from corpus.models import Dataset


def datasets_for(user: User) -> QuerySet[Dataset]:
    """The datasets that `user` may look into: their own, and those of campaigns they may view."""
    return Dataset.objects.all() if user.is_superuser else Dataset.objects.filter(viewed_by(user)).distinct()


def datasets_to_launch(user: User) -> QuerySet[Dataset]:
    """Those over which `user` may launch campaigns: their own, and those of campaigns they manage; none archived."""
    rows = Dataset.objects.filter(archived_at=None)
    return rows if user.is_superuser else rows.filter(managed_by(user)).distinct()


def datasets_for_campaigns(user: User) -> QuerySet[Dataset]:
    """Those of them whose import came to its end."""
    return datasets_to_launch(user).filter(is_complete=True)


def dataset_for(user: User, slug: str) -> Dataset:
    """The dataset. Raises Http404 where the user may not look into it."""
    dataset = datasets_for(user).filter(slug=slug).first()
    if dataset is None:
        raise Http404("There is no such dataset among yours.")
    return dataset


def dataset_to_change(user: User, slug: str) -> Dataset:
    """Raises Http404 for those who may not look into it, PermissionDenied for those who may only look into it."""
    row = dataset_for(user, slug)
    if not datasets_to_launch(user).filter(pk=row.pk).exists():
        raise PermissionDenied(_("Only who owns a dataset, or manages a campaign over it, may do this."))
    return row
