"""Datasets and responses in: a manifest and its audio, checked in the background, written when somebody says yes."""

from collections.abc import Iterator
from contextlib import ExitStack
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.bodies import StrictJSON
from accounts.api.pages import NewestByTime
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.people.rights import require_launcher
from corpus.imports.choice_forms import ChoicesForm
from corpus.imports.files.archives import ZipGone
from corpus.imports.files.resumable import WholeUpload, upload_of
from corpus.imports.forms import ImportForm, most_import_bytes
from corpus.imports.manifest.choices import CLASHES, SAME_PROMPTS, Choices
from corpus.imports.mapping.mapping import RATERS, SHAPES
from corpus.imports.mapping.page.reading import NoMapping, mapping_read_by
from corpus.imports.mapping.request_bodies import mapping_in, mapping_of_recipe, read_mapping
from corpus.imports.reasons import NO_SUCH_UPLOAD, UPLOAD_UNFINISHED, ZIP_NO_LONGER_KEPT
from corpus.imports.uploads.actions import (
    ImportRefused,
    begin_import,
    cancel_checking,
    choose,
    confirm_import,
    current_job,
    map_columns,
)
from corpus.imports.writing import ArchivedDataset
from corpus.models import Import
from infrastructure.background.api import JobSerializer
from infrastructure.deletion.api import DeletableViewSet
from infrastructure.files.upload_limits import takes_files
from infrastructure.models import Job
from infrastructure.wording.reason_api import ReasonsSerializerField


class UploadSerializer(serializers.Serializer):
    dataset_name = serializers.CharField(max_length=200, help_text="a new name, or that of a dataset to add to")
    manifest = serializers.FileField(
        required=False,
        help_text="CSV, JSON, JSON Lines or Parquet; without it the ZIP has one folder for each system",
    )
    archive = serializers.FileField(required=False, help_text="a ZIP of WAV, FLAC, MP3 or OGG files")
    manifest_upload = serializers.UUIDField(required=False, help_text="instead of `manifest`: a whole upload")
    archive_upload = serializers.UUIDField(required=False, help_text="instead of `archive`: a whole upload")
    audio_of = serializers.UUIDField(
        required=False,
        help_text="instead of `archive`: a refused import of yours that `keeps_archive`, whose ZIP is used again",
    )
    without_audio = serializers.BooleanField(required=False)
    label_set_name = serializers.CharField(max_length=200, required=False)
    clashing_items = serializers.ChoiceField(
        CLASHES, required=False, help_text="what becomes of an item whose rows bring different prompts"
    )
    same_prompts = serializers.ChoiceField(
        SAME_PROMPTS, required=False, help_text="whether items with the same prompt stay apart or become one"
    )
    item_column = serializers.CharField(max_length=200, required=False, help_text="the column that tells items apart")
    label_column = serializers.CharField(
        max_length=200, required=False, help_text="the column of the labels of pairs"
    )
    without_labels = serializers.BooleanField(required=False)
    mapping = serializers.CharField(
        required=False,
        help_text="JSON: what each column of a foreign table becomes (shape, columns, only, fixed), or a recipe",
    )
    recipe = serializers.CharField(max_length=200, required=False, help_text="instead of mapping: a recipe of yours")


class MappingSerializer(serializers.Serializer):
    """What each column of a foreign table becomes; a column that is not named is not used."""

    shape = serializers.ChoiceField(
        SHAPES, required=False, help_text="what a row is about: a response, a pair, or answers to these"
    )
    columns = serializers.DictField(
        child=serializers.DictField(),
        required=False,
        help_text="by the column's name: becomes, and name, rater, system, values and others where they are needed",
    )
    only = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="by the column's name: only rows with one of these values are read",
    )
    fixed = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="what holds for the whole table: system, system_a, system_b or annotator",
    )
    raters = serializers.ChoiceField(
        RATERS,
        required=False,
        help_text="pseudonyms, or source: as the file calls them; pseudonyms are usual for Label Studio, Potato, "
        "webMUSHRA and P.808",
    )
    recipe = serializers.CharField(max_length=200, required=False, help_text="instead of both: a recipe of yours")


class MappingReadSerializer(MappingSerializer):
    """A mapping, and where it is from."""

    recipe = None
    by = serializers.ChoiceField(
        ("choice", "tool", "guess"),
        help_text="chosen by you; that of the tool whose file it is; or a guess, which nothing is read by before you "
        "send it",
    )


class ChoicesSerializer(serializers.Serializer):
    """How a file is read; `report.to_choose` of the import says what there is to choose."""

    clashing_items = serializers.ChoiceField(CLASHES, required=False, allow_blank=True, help_text="of all such items")
    by_item = serializers.DictField(
        child=serializers.ChoiceField(CLASHES), required=False, help_text="of single items, by their key"
    )
    same_prompts = serializers.ChoiceField(SAME_PROMPTS, required=False, allow_blank=True)
    item_column = serializers.CharField(max_length=200, required=False, allow_blank=True)
    label_column = serializers.CharField(max_length=200, required=False, allow_blank=True)
    without_labels = serializers.BooleanField(required=False)


class ImportSerializer(serializers.ModelSerializer):
    dataset = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True)
    report = ReasonsSerializerField()

    class Meta:
        model = Import
        fields = ["id", "status", "dataset_name", "dataset", "label_set_name", "manifest_name", "without_audio",
                  "choices",
                  "report", "created_at"]  # fmt: skip


class ImportWithJobSerializer(ImportSerializer):
    job = serializers.SerializerMethodField()
    keeps_archive = serializers.SerializerMethodField(
        help_text="refused, and its ZIP is kept: for a day another import may name this one as `audio_of`"
    )

    class Meta(ImportSerializer.Meta):
        fields = [*ImportSerializer.Meta.fields, "job", "keeps_archive"]

    def get_keeps_archive(self, row: Import) -> bool:
        return row.kept_archive is not None

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, row: Import) -> object:
        job: Job | None = current_job(row)
        return JobSerializer(job).data if job else None


class ImportViewSet(DeletableViewSet):
    subject_kind = "import"
    lookup_value_converter = "uuid"
    pagination_class = NewestByTime
    parser_classes = [MultiPartParser, FormParser, StrictJSON]

    def rows(self) -> QuerySet[Import]:
        mine = Import.objects.select_related("dataset")
        return mine if self.request.user.is_superuser else mine.filter(created_by=self.request.user)

    @extend_schema(responses=ImportSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """Your uploads."""
        require_launcher(request.user)
        return self.page(self.rows(), ImportSerializer)

    @takes_files(most=most_import_bytes)
    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses={202: ImportWithJobSerializer})
    def create(self, request: Request) -> Reply:
        """Upload, and have it checked. Nothing is written before you confirm it.

        A file that can be read in several ways ends `undecided`: its `report` says what there is to choose.

        Where the table of an import was refused, send the corrected table alone, with that import as `audio_of`: the
        ZIP is used again, so that it need not be uploaded once more.
        """
        require_launcher(request.user)
        chosen = ChoicesForm(request.POST)
        read_as = Choices(**cleaned(chosen), mapping=mapping_in(request))
        with ExitStack() as closed:
            sent_in_parts = {name: closed.enter_context(file) for name, file in _sent_in_parts(request)}
            files = request.FILES.copy()
            files.update(sent_in_parts)
            form = ImportForm(request.POST, files, refused=self.rows())
            if form.names_lost_audio:
                raise Conflict(ZIP_NO_LONGER_KEPT())
            upload = cleaned(form) | {"choices": read_as}
            del upload["map_columns"]
            try:
                row = begin_import(user=request.user, **upload)
            except (ArchivedDataset, ZipGone) as refusal:
                raise Conflict(refusal) from refusal
        for file in sent_in_parts.values():
            file.upload.delete()
        return Reply(ImportWithJobSerializer(row).data, status=202)

    @extend_schema(responses=ImportWithJobSerializer)
    def retrieve(self, _request: Request, pk: UUID) -> Reply:
        """How far it is, and what the check found."""
        return Reply(ImportWithJobSerializer(self._import(pk)).data)

    @extend_schema(request=None, responses={202: ImportWithJobSerializer})
    @action(detail=True, methods=["post"])
    def confirm(self, request: Request, pk: UUID) -> Reply:
        """Write what was `checked` and found clean."""
        try:
            row = confirm_import(self._import(pk), user=request.user)
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(ImportWithJobSerializer(row).data, status=202)

    @extend_schema(request=None, responses=ImportWithJobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: UUID) -> Reply:
        """End the check of an import of yours. The upload is thrown away; nothing of it was written."""
        try:
            row = cancel_checking(self._import(pk), user=request.user)
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(ImportWithJobSerializer(row).data)

    @extend_schema(request=ChoicesSerializer, responses={202: ImportWithJobSerializer})
    @action(detail=True, methods=["post"])
    def choices(self, request: Request, pk: UUID) -> Reply:
        """Choose how the file is read, and have it checked again. What is not sent is not chosen any more."""
        row = self._import(pk)
        chosen = Choices(**self.checked(ChoicesSerializer))
        try:
            row = choose(row, choices=chosen, user=request.user)
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(ImportWithJobSerializer(row).data, status=202)

    @extend_schema(request=MappingSerializer, responses={202: ImportWithJobSerializer})
    @action(detail=True, methods=["post"])
    def mapping(self, request: Request, pk: UUID) -> Reply:
        """Say what the columns of a foreign table become, and have it checked again."""
        row = self._import(pk)  # those who may not see it learn nothing of the body
        said = self.checked(MappingSerializer)
        mapping = mapping_of_recipe(request.user, said["recipe"]) if "recipe" in said else read_mapping(said)
        try:
            row = map_columns(row, mapping=mapping, user=request.user)
        except ImportRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(ImportWithJobSerializer(row).data, status=202)

    @extend_schema(responses=MappingReadSerializer)
    @mapping.mapping.get
    def mapping_read(self, _request: Request, pk: UUID) -> Reply:
        """By which mapping the file is read, or what is guessed for it as long as none was chosen."""
        try:
            by, mapping = mapping_read_by(self._import(pk))
        except NoMapping as gone:
            raise Conflict(gone) from gone
        return Reply(MappingReadSerializer(mapping.as_json() | {"by": by}).data)

    def _import(self, pk: UUID) -> Import:
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("There is no such import among yours.")
        return row


def _sent_in_parts(request: Request) -> Iterator[tuple[str, WholeUpload]]:
    """The files that came before, part by part, with the field for which they stand."""
    for field in ("manifest", "archive"):
        if not (said := request.POST.get(name := f"{field}_upload", "")):
            continue
        pk = serializers.UUIDField().run_validation(said)
        if (upload := upload_of(request.user, pk)) is None:
            raise Unprocessable(NO_SUCH_UPLOAD(), [(name, NO_SUCH_UPLOAD())])
        if not upload.is_whole:
            raise Conflict(UPLOAD_UNFINISHED(received=upload.received, size=upload.size))
        yield field, WholeUpload(upload)
