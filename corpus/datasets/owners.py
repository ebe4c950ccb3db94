"""What becomes of datasets whose owner is deleted."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.people.dependents import Dependent, Part
from corpus.imports.files.resumable import uploads_of
from corpus.models import Dataset, ImportRecipe


class Datasets(Dependent):
    """They belong to the administrator who deletes the account; its recipes of mappings and unused uploads go."""

    def owned_by(self, user: User) -> Iterable[Part]:
        for row in Dataset.objects.filter(created_by=user).order_by("name"):
            yield Part(row.name, row.get_absolute_url(), _("Owner"), has_ended=False)

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        del with_answers
        Dataset.objects.filter(created_by=user).update(created_by=by)
        ImportRecipe.objects.filter(owner=user).delete()
        for upload in uploads_of(user):
            upload.delete()
