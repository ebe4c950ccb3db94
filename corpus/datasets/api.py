"""What was recorded: datasets with their systems, items and responses. For those who may know who speaks."""

from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.bodies import StrictJSON
from accounts.api.pages import FirstFirst, Pages
from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_account, require_launcher
from corpus.access import dataset_for, datasets_for
from corpus.clips.storage import CONTENT_TYPES, clip_of_item
from corpus.datasets.describing import describe_dataset
from corpus.datasets.forms import AboutForm, ItemsForm
from corpus.datasets.items_table import items_wanted, with_order
from corpus.imports.api import ImportWithJobSerializer
from corpus.imports.files.audio_files import MAX_FILE_BYTES
from corpus.imports.uploads.single_response import NoSuchTurn, upload_response
from corpus.imports.writing import ArchivedDataset
from corpus.models import Clip, Dataset, Item, ItemWarning, Response, System
from infrastructure.deletion.actions import rename
from infrastructure.deletion.api import ArchivedSerializer, RenamableViewSet
from infrastructure.files.byte_ranges import private_file
from infrastructure.files.upload_limits import takes_files

AUDIO = {(200, content_type): OpenApiTypes.BINARY for content_type in CONTENT_TYPES.values()}


class DatasetSerializer(serializers.ModelSerializer):
    n_items = serializers.IntegerField()
    n_systems = serializers.IntegerField()
    owner = serializers.CharField(source="created_by.username")

    class Meta:
        model = Dataset
        fields = [
            "slug", "name", "created_at", "archived_at", "n_items", "n_systems", "owner", "description", "licence",
            "source", "is_complete",
        ]  # fmt: skip


class SystemSerializer(serializers.ModelSerializer):
    n_responses = serializers.IntegerField()
    n_with_audio = serializers.IntegerField()

    class Meta:
        model = System
        fields = ["id", "name", "n_responses", "n_with_audio"]


class ClipSerializer(serializers.ModelSerializer):
    class Meta:
        model = Clip
        fields = [
            "id", "sha256", "container", "seconds", "rate", "channels", "integrated_lufs", "true_peak_dbtp",
            "leading_silence_s", "trailing_silence_s", "inner_silence_s", "longest_pause_s",
        ]  # fmt: skip


class SaidSerializer(serializers.Serializer):
    position = serializers.IntegerField()
    text = serializers.CharField()
    path = serializers.CharField()
    clip = ClipSerializer(allow_null=True)


class ItemWarningSerializer(serializers.ModelSerializer):
    system = serializers.CharField(source="system.name", default=None, help_text="null: of the prompt")

    class Meta:
        model = ItemWarning
        fields = ["kind", "system", "same_as"]


class ItemSerializer(serializers.ModelSerializer):
    turns = SaidSerializer(many=True)
    warnings = ItemWarningSerializer(many=True)

    class Meta:
        model = Item
        fields = ["id", "key", "category", "facts", "turns", "warnings"]


class ResponseSerializer(serializers.ModelSerializer):
    item = serializers.CharField(source="item.key")
    system = serializers.CharField(source="system.name")
    turns = SaidSerializer(many=True)

    class Meta:
        model = Response
        fields = ["id", "key", "item", "system", "turns"]


class NewResponseSerializer(serializers.Serializer):
    item = serializers.CharField(max_length=200, help_text="its key")
    system = serializers.CharField(max_length=200, help_text="by name; a new one comes into being")
    take = serializers.CharField(
        max_length=500, default="", allow_blank=True, help_text="tells apart what one system said several times"
    )
    turn = serializers.IntegerField(min_value=1, max_value=100, default=1)
    text = serializers.CharField(max_length=100_000, default="", allow_blank=True, help_text="the words of it")
    audio = serializers.FileField(
        default=None, max_length=200, help_text="WAV, FLAC, MP3 or OGG; without it, the words alone"
    )

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        if said["audio"] is None and not said["text"]:
            raise serializers.ValidationError({"audio": "A response is audio, or words, or both."})
        return said


class ChangedDatasetSerializer(serializers.Serializer):
    """What is not named stays."""

    name = serializers.CharField(max_length=200, required=False, help_text="its address stays")
    description = serializers.CharField(max_length=10_000, required=False, allow_blank=True)
    licence = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="an SPDX id, or words"
    )
    source = serializers.CharField(max_length=4_000, required=False, allow_blank=True)
    owner = serializers.CharField(
        max_length=150,
        required=False,
        help_text="another researcher, who gets your rights over it; only they return it",
    )


class DatasetViewSet(RenamableViewSet):
    subject_kind = "dataset"
    lookup_field = "slug"
    lookup_value_converter = "slug"

    def get_queryset(self) -> QuerySet[Dataset]:
        require_account(self.request.user)
        counts = {"n_items": Count("items", distinct=True), "n_systems": Count("systems", distinct=True)}
        return datasets_for(self.request.user).select_related("created_by").annotate(**counts)

    @extend_schema(responses=DatasetSerializer(many=True))
    def list(self, _request: Request) -> Reply:
        """Your datasets, and those of campaigns that you may look into."""
        return self.page(self.get_queryset(), DatasetSerializer)

    @extend_schema(responses=DatasetSerializer)
    def retrieve(self, _request: Request, slug: str) -> Reply:
        """One dataset. Others come into being by imports."""
        dataset_for(self.request.user, slug)
        return Reply(DatasetSerializer(self.get_queryset().get(slug=slug)).data)

    @extend_schema(request=ChangedDatasetSerializer, responses=ArchivedSerializer)
    def partial_update(self, _request: Request, **_where: Any) -> Reply:
        """Give it another name, say what it is and under which licence, or hand it over."""
        row = self._row()  # those who may not change it learn nothing of the body
        said = self.checked(ChangedDatasetSerializer, partial=True)
        name = said.pop("name", None)
        with transaction.atomic():
            if name is not None:
                row = self.turned(rename, name)
            if said:
                row = describe_dataset(row, **cleaned(_about(row, said)), by=self.request.user)
        return self._said(row)


def _about(row: Dataset, said: dict[str, Any]) -> AboutForm:
    """The form of the page; to name another owner is to say that it is handed over."""
    there: dict[str, Any] = {"description": row.description, "licence": row.licence, "source": row.source}
    there |= {"owner": row.created_by.username, "handed_over": "owner" in said}
    return AboutForm(there | said, owner=row.created_by)


class _OfDataset(ApiViewSet):
    pagination_class: type[Pages] = FirstFirst

    def dataset(self) -> Dataset:
        return dataset_for(self.request.user, self.kwargs["dataset"])


class SystemViewSet(_OfDataset):
    @extend_schema(responses=SystemSerializer(many=True))
    def list(self, _request: Request, dataset: str) -> Reply:
        """The systems that answered, with how much of what they said is there."""
        del dataset
        with_audio = Q(responses__turns__clip__isnull=False)
        rows = self.dataset().systems.annotate(
            n_responses=Count("responses", distinct=True),
            n_with_audio=Count("responses", filter=with_audio, distinct=True),
        )
        return self.page(rows, SystemSerializer)


_SHOWN = ("turns__clip", "warnings__system")
_NOT_A_FILTER = "This dataset's items cannot be filtered like that."
FILTERS = {
    "q": "words that are in the key, the category, the prompts or the responses",
    "category": "items of this category",
    "system": "the id of a system: items that it answered, and warnings of its responses",
    "warning": "items with this kind of warning, or `any`",
    "missing": "`true`: items without a response of the system, or of any system",
    "same_as": "items with the same sound, as a warning names it",
    "sort": "`key`, `seconds`, `lufs` or `warnings`, with `-` before it from the largest on",
}
_FILTERS = [OpenApiParameter(name, str, description=text) for name, text in FILTERS.items()]


class ItemPages(FirstFirst):
    """In the order that was asked for."""

    def get_ordering(self, _request: Request, _queryset: Any, view: Any) -> tuple[str, ...]:
        order: tuple[str, ...] = view.order
        return order


class ItemViewSet(_OfDataset):
    lookup_value_converter = "int"
    pagination_class = ItemPages
    order: tuple[str, ...] = ("pk",)

    def rows(self) -> QuerySet[Item]:
        return self.dataset().items.prefetch_related(*_SHOWN)

    @extend_schema(parameters=_FILTERS, responses=ItemSerializer(many=True))
    def list(self, request: Request, dataset: str) -> Reply:
        """What the systems were asked, with the filters and orders of the table of items."""
        del dataset
        row = self.dataset()
        form = ItemsForm(request.query_params, dataset=row)
        if errors := {name: said for name, said in form.errors.items() if name in FILTERS}:
            raise Unprocessable(_NOT_A_FILTER, [(name, said) for name, several in errors.items() for said in several])
        rows, self.order = with_order(items_wanted(row, form.wanted), form.wanted.sort)
        return self.page(rows.prefetch_related(*_SHOWN), ItemSerializer)

    @extend_schema(responses=ItemSerializer)
    def retrieve(self, _request: Request, dataset: str, pk: int) -> Reply:
        """One item with its prompt and its responses."""
        del dataset
        return Reply(ItemSerializer(self._item(pk)).data)

    @extend_schema(responses=AUDIO)
    @action(detail=True, url_path="clips/<int:clip>")
    def clip(self, request: Request, dataset: str, pk: int, clip: int) -> HttpResponse:
        """An original recording of the item's prompt, or of an answer to it. Ranges are served."""
        del dataset
        if (file := clip_of_item(self._item(pk), clip)) is None or not file.path.is_file():
            raise Http404("This item has no such clip.")
        return private_file(request, file.path, size=file.bytes, content_type=CONTENT_TYPES[file.container])

    def _item(self, pk: int) -> Item:
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("This dataset has no such item.")
        return row


class ResponseViewSet(_OfDataset):
    parser_classes = [MultiPartParser, StrictJSON]

    @extend_schema(responses=ResponseSerializer(many=True))
    def list(self, _request: Request, dataset: str) -> Reply:
        """What the systems said, every take of it. More come by imports, or one by one."""
        del dataset
        rows: Any = Response.objects.filter(item__dataset=self.dataset()).select_related("item", "system")
        return self.page(rows.prefetch_related("turns__clip"), ResponseSerializer)

    @takes_files(most=MAX_FILE_BYTES)
    @extend_schema(request=NewResponseSerializer, responses={202: ImportWithJobSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """One response to an item that is there. It is checked as any import, and written if nothing is wrong.

        Ask for the import until it is `imported`; what was wrong with what stands in its `report`.
        """
        del dataset
        require_launcher(request.user)
        row, said = self.dataset(), self.checked(NewResponseSerializer)
        if (item := row.items.select_related("dataset").filter(key=said.pop("item")).first()) is None:
            raise Unprocessable("This dataset has no such item.", [("item", "This dataset has no such item.")])
        try:
            upload = upload_response(item, **said, user=request.user)
        except NoSuchTurn as refusal:
            raise Unprocessable(refusal, [("turn", refusal)]) from refusal
        except ArchivedDataset as refusal:
            raise Conflict(refusal) from refusal
        return Reply(ImportWithJobSerializer(upload).data, status=202)
