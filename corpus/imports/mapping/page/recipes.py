"""Mappings that are kept: named, one owner's, offered again for tables with the same columns."""

import json
from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from corpus.imports.mapping.mapping import MAX_NAME, TableMapping, UnusableMapping
from corpus.imports.mapping.reasons import NO_RECIPE, NO_RECIPE_NAMED, RECIPE_NAME_TAKEN
from corpus.models import ImportRecipe
from infrastructure.wording.names import is_visible
from infrastructure.wording.reasons import Reasoned

MAX_RECIPE_BYTES = 1_000_000


class RecipeRefused(Reasoned, ValueError):
    """The recipe cannot be kept like this."""


def recipes_of(user: User) -> QuerySet[ImportRecipe]:
    return ImportRecipe.objects.filter(owner=user)


def recipes_for(user: User, columns: Collection[str], shapes: Collection[str]) -> QuerySet[ImportRecipe]:
    """The user's recipes of these shapes that were used for a table with exactly these columns, the latest first."""
    return recipes_of(user).filter(columns=sorted(columns), mapping__shape__in=shapes)


def is_name(name: str) -> bool:
    """Whether a recipe can be called so."""
    return is_visible(name) and len(name) <= MAX_NAME


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


def as_file(recipe: ImportRecipe) -> dict[str, Any]:
    """What is downloaded of a recipe, and can be uploaded again."""
    return {"name": recipe.name, "columns": recipe.columns, "mapping": recipe.mapping}


def read_recipe(text: bytes) -> tuple[str, list[str], TableMapping]:
    """Name, columns and mapping of a recipe that was downloaded. Raises UnusableMapping."""
    try:
        said = json.loads(text)
        name, columns, mapping = said["name"], said["columns"], said["mapping"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableMapping(NO_RECIPE()) from error
    if not (isinstance(columns, list) and columns and all(isinstance(it, str) and it for it in columns)):
        raise UnusableMapping(NO_RECIPE())
    if not isinstance(name, str) or not is_name(name.strip()):
        raise UnusableMapping(NO_RECIPE())
    return name.strip(), columns, TableMapping.from_json(mapping)


def mapping_of(said: object) -> TableMapping:
    """The mapping that JSON holds by itself, or in a recipe that was downloaded. Raises UnusableMapping."""
    return TableMapping.from_json(said["mapping"] if isinstance(said, dict) and "mapping" in said else said)


def mapping_named(user: User, name: str) -> TableMapping:
    """The mapping of the user's recipe of this name. Raises UnusableMapping where there is none."""
    recipe = recipes_of(user).filter(name=name).first()
    if recipe is None:
        raise UnusableMapping(NO_RECIPE_NAMED(name=name))
    return TableMapping.from_json(recipe.mapping)
