from typing import TypeVar

from django.db import models

_Row = TypeVar("_Row", bound=models.Model)


class Present(models.Manager[_Row]):
    """All rows but those that are being deleted: they are out of every list from the moment a person said so."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        return super().get_queryset().filter(deleting_since=None)


class Archivable(models.Model):
    """Can be archived, restored and, once it is archived, deleted (infrastructure/deletion)."""

    archived_at = models.DateTimeField(null=True, help_text="since when it is out of the lists and takes no new work")
    deleting_since = models.DateTimeField(null=True, help_text="its rows are being removed; nobody sees it any more")
    is_demo = models.BooleanField(default=False, db_default=False, help_text="made by the demo, and cleared with it")

    class Meta:
        abstract = True
