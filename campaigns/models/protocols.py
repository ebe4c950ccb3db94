from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from corpus.models.datasets import Unit
from infrastructure.models import Archivable, Present
from protocols import Protocol, from_document


class ProtocolVersion(Archivable):
    """One saved version of a protocol of this installation. It never changes."""

    name = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    number = models.PositiveIntegerField(help_text="counts the versions of a name, from 1")
    title = models.CharField(max_length=200)
    unit = models.CharField(max_length=6, choices=Unit.Kind)
    document = models.JSONField()
    digest = models.CharField(max_length=64)
    based_on = models.CharField(max_length=101, blank=True, help_text="name/version of what it was made from")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Present["ProtocolVersion"]()

    class Meta:
        ordering = ["name", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="one_protocol_per_name_and_version"),
            models.UniqueConstraint(fields=["name", "number"], name="one_protocol_per_name_and_number"),
        ]

    def __str__(self) -> str:
        return f"{self.name}/{self.version}"

    def get_absolute_url(self) -> str:
        return reverse("protocol", args=[self.name, self.version])

    @cached_property
    def protocol(self) -> Protocol:
        return from_document(self.document)
