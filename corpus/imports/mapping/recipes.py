"""Mappings that are kept: named, one owner's, offered again for tables with the same columns."""

from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.reasons import RECIPE_NAME_TAKEN
from corpus.models import ImportRecipe
from infrastructure.wording.reasons import Reasoned


class RecipeRefused(Reasoned, ValueError):
    """The recipe cannot be kept like this."""


def recipes_of(user: User) -> QuerySet[ImportRecipe]:
    return ImportRecipe.objects.filter(owner=user)


def recipes_for(user: User, columns: Collection[str]) -> QuerySet[ImportRecipe]:
    """The user's recipes that were used for a table with exactly these columns, the latest first."""
    return recipes_of(user).filter(columns=sorted(columns))


def keep_recipe(*, user: User, name: str, columns: Collection[str], mapping: TableMapping) -> ImportRecipe:
    """Keep the mapping under this name; one that is there is replaced."""
    told: dict[str, Any] = {"columns": sorted(columns), "mapping": mapping.as_json(), "used_at": timezone.now()}
    return ImportRecipe.objects.update_or_create(owner=user, name=name, defaults=told)[0]


def rename_recipe(recipe: ImportRecipe, *, name: str) -> ImportRecipe:
    """Raises RecipeRefused where another recipe of its owner has the name."""
    try:
        with transaction.atomic():
            recipe.name = name
            recipe.save(update_fields=["name"])
    except IntegrityError as error:
        raise RecipeRefused(RECIPE_NAME_TAKEN(name=name)) from error
    return recipe


def delete_recipe(recipe: ImportRecipe) -> None:
    """Imports keep the mapping by which they were read."""
    recipe.delete()
