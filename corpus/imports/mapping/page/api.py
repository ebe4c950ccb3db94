"""Recipes by the API: mappings of foreign tables that are kept under a name."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from accounts.people.rights import require_launcher
from corpus.imports.mapping.mapping import MAX_NAME, RATERS, SHAPES, TableMapping, UnusableMapping
from corpus.imports.mapping.page.forms import RecipeNameForm
from corpus.imports.mapping.page.recipes import RecipeRefused, delete_recipe, keep_recipe, recipes_of, rename_recipe
from corpus.models import ImportRecipe
from infrastructure.wording.names import is_visible

MOST_COLUMNS = 10_000


class ColumnMappingsSerializer(serializers.Serializer):
    """What each column becomes, as `mapping` of an import has it."""

    shape = serializers.ChoiceField(SHAPES)
    columns = serializers.DictField(child=serializers.DictField(), help_text="by the column's name")
    only = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), required=False, help_text="rows that are read"
    )
    fixed = serializers.DictField(child=serializers.CharField(), required=False, help_text="for the whole table")
    raters = serializers.ChoiceField(RATERS, required=False, help_text="pseudonyms or source")


class RecipeSerializer(serializers.ModelSerializer):
    columns = serializers.ListField(child=serializers.CharField(), help_text="of the table; it is offered for these")
    mapping = ColumnMappingsSerializer()

    class Meta:
        model = ImportRecipe
        fields = ["id", "name", "columns", "mapping", "used_at"]


class RecipeNameSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=MAX_NAME)

    def validate_name(self, name: str) -> str:
        if not is_visible(name):
            raise serializers.ValidationError("A recipe needs a name that can be seen.")
        return name


class NewRecipeSerializer(RecipeNameSerializer):
    columns = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=MOST_COLUMNS)
    mapping = ColumnMappingsSerializer()


class RecipeViewSet(ApiViewSet):
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[ImportRecipe]:
        require_launcher(self.request.user)
        return recipes_of(self.request.user)

    @extend_schema(responses=RecipeSerializer(many=True))
    def list(self, _request: Request) -> Reply:
        """Your recipes."""
        return self.page(self.rows(), RecipeSerializer)

    @extend_schema(request=NewRecipeSerializer, responses={201: RecipeSerializer})
    def create(self, request: Request) -> Reply:
        """Keep a mapping under a name; one of yours that has the name is replaced. Imports take it by `recipe`."""
        require_launcher(request.user)
        said = self.checked(NewRecipeSerializer)
        try:
            mapping = TableMapping.from_json(said["mapping"])
        except UnusableMapping as unusable:
            raise Unprocessable(unusable, [("mapping", unusable)]) from unusable
        made = keep_recipe(user=request.user, name=said["name"], columns=said["columns"], mapping=mapping)
        return Reply(RecipeSerializer(made).data, status=201)

    @extend_schema(responses=RecipeSerializer)
    def retrieve(self, _request: Request, pk: int) -> Reply:
        """One recipe."""
        return Reply(RecipeSerializer(self._recipe(pk)).data)

    @extend_schema(request=RecipeNameSerializer, responses=RecipeSerializer)
    def partial_update(self, _request: Request, pk: int) -> Reply:
        """Give a recipe another name."""
        row, name = self._recipe(pk), self.checked(RecipeNameSerializer)["name"]
        try:
            renamed = rename_recipe(row, **cleaned(RecipeNameForm({"name": name})))
        except RecipeRefused as refusal:
            raise Conflict(refusal, [("name", refusal)]) from refusal
        return Reply(RecipeSerializer(renamed).data)

    @extend_schema(responses={204: None})
    def destroy(self, _request: Request, pk: int) -> Reply:
        """Delete a recipe. Imports keep the mapping by which they were read."""
        delete_recipe(self._recipe(pk))
        return Reply(status=204)

    def _recipe(self, pk: int) -> Any:
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("There is no such recipe among yours.")
        return row
