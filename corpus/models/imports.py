import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.urls import reverse

from corpus.models.datasets import Dataset
from infrastructure.files.media import MediaFile, at_hand, media_file
from infrastructure.models import Archivable, Present
from infrastructure.wording.reason_field import ReasonsField

#: The name of the ZIP in the folder of an import.
ARCHIVE = "audio.zip"


class Import(Archivable):
    """One upload, from its check (a dry run) to the rows it created.

    Its files are deleted when it ends. The ZIP of one that was refused stays for a day, so that the corrected table
    can be uploaded alone.
    """

    class Status(models.TextChoices):
        CHECKING = "checking"
        CHECKED = "checked"
        UNDECIDED = "undecided"
        IMPORTING = "importing"
        IMPORTED = "imported"
        FAILED = "failed"

    class Kind(models.TextChoices):
        DATASET = "import"
        STUDY = "study"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(
        max_length=6,
        choices=Kind,
        default=Kind.DATASET,
        db_default=Kind.DATASET,
        help_text="of its jobs: <kind>-check, <kind>-write",
    )
    dataset_name = models.CharField(max_length=200)
    label_set_name = models.CharField(max_length=200, blank=True)
    without_audio = models.BooleanField(default=False)
    writes_at_once = models.BooleanField(
        default=False, db_default=False, help_text="if the check finds no errors, without a yes"
    )
    manifest_name = models.CharField(max_length=255)
    archive_name = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.CHECKING)
    choices = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="how the file is read where it can be in several ways"
    )
    report = ReasonsField(default=dict, blank=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.SET_NULL, null=True, related_name="imports")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Present["Import"]()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"import of {self.manifest_name} into {self.dataset_name}"

    @property
    def is_under_way(self) -> bool:
        """Whether a job is at it. Read before that job's row, it may say so of a job that is over."""
        return self.status in {self.Status.CHECKING, self.Status.IMPORTING}

    @property
    def job_kind(self) -> str:
        """Of the job that it waits for while it is under way."""
        return f"{self.kind}-{'check' if self.status == self.Status.CHECKING else 'write'}"

    def get_absolute_url(self) -> str:
        return reverse("import", args=[self.pk])

    @property
    def folder(self) -> Path:
        return Path(settings.MEDIA_ROOT) / "imports" / str(self.pk)

    @property
    def manifest_path(self) -> Path:
        return at_hand(self.folder / "manifest")

    @property
    def archive_path(self) -> Path | None:
        return at_hand(self.folder / ARCHIVE) if self.archive_name else None

    @property
    def kept_archive(self) -> MediaFile | None:
        """The ZIP of a refused import, as long as it is there."""
        if self.status != self.Status.FAILED or not self.archive_name:
            return None
        found = media_file("imports", str(self.pk), ARCHIVE)
        return found if found.is_file() else None


class ImportRecipe(models.Model):
    """A mapping of columns, kept under a name to be used again for tables with the same columns."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    columns = models.JSONField(help_text="the names of the columns of the file, sorted")
    mapping = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField()

    class Meta:
        ordering = ["-used_at"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="one_recipe_of_a_name")]

    def __str__(self) -> str:
        return self.name
