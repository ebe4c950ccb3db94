"""Numbers about units that were found elsewhere, taken in as on their page."""

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import cleaned
from accounts.api.views import ApiViewSet
from analytics.measured.api import table_taken
from analytics.measured.forms import MAX_TABLE_BYTES, NumbersForm
from corpus.access import dataset_for, dataset_to_change
from infrastructure.files.upload_limits import takes_files
from measurements.unit_numbers import import_numbers, number_names


class NumbersSerializer(serializers.Serializer):
    """The fields of the page."""

    file = serializers.FileField(help_text="CSV, JSON Lines or Parquet: the unit’s key, and columns of numbers")
    key = serializers.CharField(max_length=100, required=False, help_text="the column with the unit’s key")
    columns = serializers.CharField(
        max_length=2000, required=False, help_text="the columns to take, with commas between them; else all others"
    )


class KnownNumbersSerializer(serializers.Serializer):
    names = serializers.ListField(child=serializers.CharField())


class TakenNumbersSerializer(KnownNumbersSerializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField()


class UnitNumberViewSet(ApiViewSet):
    pagination_class = None
    parser_classes = [MultiPartParser]

    @extend_schema(responses=forced_singular_serializer(KnownNumbersSerializer), operation_id="unit_numbers")
    def list(self, request: Request, dataset: str) -> Reply:
        """Which numbers are known of the units of a dataset: columns of their import, and tables from elsewhere."""
        return Reply({"names": number_names(dataset_for(request.user, dataset))})

    @takes_files(most=MAX_TABLE_BYTES)
    @extend_schema(request=NumbersSerializer, responses={201: TakenNumbersSerializer})
    def create(self, request: Request, dataset: str) -> Reply:
        """Take in a table of numbers, all of it or, where a row is at fault, nothing."""
        row = dataset_to_change(request.user, dataset)
        asked = cleaned(NumbersForm(request.data, request.FILES))
        checked = table_taken(
            asked["file"], lambda path: import_numbers(row, path, key=asked["key"], columns=asked["columns"])
        )
        found = {"names": number_names(row), "new": checked.n_new, "known": checked.n_known}
        return Reply(found, status=status.HTTP_201_CREATED)
