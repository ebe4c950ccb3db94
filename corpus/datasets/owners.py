"""What becomes of datasets whose owner is deleted."""

from accounts.models import User
from accounts.people.dependents import Dependent
from corpus.imports.files.resumable import uploads_of
from corpus.models import Dataset, ImportRecipe


class Datasets(Dependent):
    """They belong to the administrator who deletes the account; its recipes of mappings and unused uploads go."""

    def account_deleted(self, user: User, *, with_answers: bool, by: User) -> None:
        del with_answers
        Dataset.objects.filter(created_by=user).update(created_by=by)
        ImportRecipe.objects.filter(owner=user).delete()
        for upload in uploads_of(user):
            upload.delete()
