"""Datasets and imports: who may archive and delete them, and what of this app goes with them."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.look_alikes import look_alike
from accounts.models import AuditEntry, User
from accounts.people.rights import require_launcher
from corpus.access import dataset_for
from corpus.clips.unused import drop_unused, hashes_in_datasets, leaving_with_datasets
from corpus.imports.queries import import_of
from corpus.imports.reasons import RENAME_AFTER_IMPORT
from corpus.imports.uploads.left import is_left
from corpus.models import (
    Dataset,
    DatasetFigures,
    Import,
    ImportedAnnotation,
    Item,
    ItemFigures,
    ItemWarning,
    Label,
    LabelSet,
    Response,
    ResponseTurn,
    System,
    Turn,
    Unit,
    UnitMember,
    Version,
)
from infrastructure.deletion.reasons import NAME_LOOKS_LIKE
from infrastructure.deletion.subjects import (
    Counted,
    Files,
    Part,
    Subject,
    counts,
    goes_with,
    has_files,
    has_jobs,
    register,
)
from infrastructure.wording.reasons import Reason

WAITING = (Import.Status.CHECKED, Import.Status.UNDECIDED, Import.Status.FAILED)


def register_deletion() -> None:
    register(DATASETS)
    register(IMPORTS)
    goes_with(
        Dataset,
        Part(System, "dataset"),
        Part(Item, "dataset"),
        Part(Turn, "item__dataset"),
        Part(Response, "item__dataset"),
        Part(ResponseTurn, "response__item__dataset"),
        Part(Unit, "dataset"),
        Part(UnitMember, "unit__dataset"),
        Part(LabelSet, "dataset"),
        Part(ImportedAnnotation, "label_set__dataset"),
        Part(Label, "annotation__label_set__dataset"),
        Part(Import, "dataset", folder=lambda row: row.folder),
        *(Part(model, "dataset") for model in (DatasetFigures, ItemFigures, ItemWarning, Version)),
    )
    goes_with(Import, Part(Version, "upload", shared=Q(pk__isnull=False)))
    counts(
        Dataset,
        Counted(Item, "dataset", ngettext_lazy("%(n)s item", "%(n)s items", "n")),
        Counted(System, "dataset", ngettext_lazy("%(n)s system", "%(n)s systems", "n")),
        Counted(Response, "item__dataset", ngettext_lazy("%(n)s response", "%(n)s responses", "n")),
        Counted(LabelSet, "dataset", ngettext_lazy("%(n)s label set", "%(n)s label sets", "n")),
        Counted(
            Import, "dataset", ngettext_lazy("%(n)s import with its report", "%(n)s imports with their reports", "n")
        ),
        Counted(
            LabelSet,
            "dataset",
            ngettext_lazy(
                "%(n)s label set that people and judges can no longer be compared with",
                "%(n)s label sets that people and judges can no longer be compared with",
                "n",
            ),
            is_loss=True,
        ),
    )
    has_files(Dataset, Files("clips", hashes_in_datasets, drop_unused, leaving_with_datasets))
    has_jobs(Import, "import-check", "import-write")


def own_dataset(user: User, slug: str) -> Dataset:
    """The dataset, for its owner and administrators. Raises Http404, PermissionDenied."""
    row = dataset_for(user, slug)
    if row.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only the owner of a dataset, or an administrator, may do this."))
    return row


def own_import(user: User, pk: str) -> Import:
    """The upload, for whom it belongs to and administrators. Raises Http404, PermissionDenied."""
    require_launcher(user)
    try:
        return import_of(user, UUID(pk))
    except ValueError as error:
        raise Http404("There is no such import among yours.") from error


def _follow(row: Dataset, before: str) -> None:
    """Imports that wait for a yes go into the dataset under its new name."""
    Import.objects.filter(dataset_name=before).update(dataset_name=row.name)


def _is_owner(user: User, row: Any) -> bool:
    return user.is_superuser or row.created_by_id == user.pk


def _why_no_name(row: Dataset, name: str) -> Reason | None:
    """As an import warns of it; and none while an import is being written, which goes by the name."""
    if Import.objects.filter(dataset_name=row.name, status=Import.Status.IMPORTING).exists():
        return RENAME_AFTER_IMPORT()
    others = Dataset.objects.exclude(pk=row.pk).order_by("name").values_list("name", flat=True)
    other = look_alike(name, others)
    return NAME_LOOKS_LIKE(name=repr(other)) if other else None


DATASETS = Subject(
    kind="dataset",
    model=Dataset,
    title=_("Datasets"),
    audit=AuditEntry.Subject.DATASET,
    name="name",
    find=own_dataset,
    may_delete=_is_owner,
    key=lambda row: row.slug,
    listing="datasets",
    page=lambda row: row.get_absolute_url(),
    unique=("name", "slug"),
    renamed=_follow,
    why_no_name=_why_no_name,
    rename_note=_("The address stays as it is, and so do the names of systems."),
    archive_note=_("No new campaign can be made over it; the campaigns that are there stay."),
    stays_note=_("Clips that another dataset uses, judges, and protocols."),
)
IMPORTS = Subject(
    kind="import",
    model=Import,
    title=_("Imports"),
    audit=AuditEntry.Subject.IMPORT,
    name="manifest_name",
    find=own_import,
    may_delete=_is_owner,
    key=lambda row: str(row.pk),
    listing="imports",
    page=lambda row: row.get_absolute_url(),
    can_be_renamed=False,
    goes_at_once=lambda row: row.status in WAITING or is_left(row),
    folder=lambda row: row.folder,
    stays_note=_("The dataset, with all that was imported into it."),
)
