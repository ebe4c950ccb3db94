"""Which imports a user may see."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from accounts.models import User
from corpus.models import Import


def imports_of(user: User) -> QuerySet[Import]:
    """Those of the user; an administrator's are everybody's."""
    rows = Import.objects.select_related("dataset")
    return rows if user.is_superuser else rows.filter(created_by=user)


def import_of(user: User, pk: UUID) -> Import:
    """The import, of the user or for an administrator. Raises Http404."""
    if (row := imports_of(user).filter(pk=pk).first()) is None:
        raise Http404("There is no such import among yours.")
    return row
