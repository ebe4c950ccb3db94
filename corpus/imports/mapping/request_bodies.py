"""A mapping in the body of a request to the API: as JSON, or by the name of a recipe."""

import json
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from accounts.models import User
from corpus.imports.mapping.mapping import TableMapping, UnusableMapping
from corpus.imports.mapping.page.recipes import mapping_named, mapping_of
from infrastructure.templatetags.wording import refusal_text


def mapping_in(request: Request) -> dict[str, Any]:
    """What the fields of an upload say: a mapping as JSON, or the name of a recipe."""
    if name := request.POST.get("recipe", ""):
        return mapping_of_recipe(request.user, name).as_json()
    if not (text := request.POST.get("mapping", "")):
        return {}
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise serializers.ValidationError({"mapping": [f"Not JSON: {error}"]}) from error
    return read_mapping(said).as_json()


def mapping_of_recipe(user: User, name: str) -> TableMapping:
    try:
        return mapping_named(user, name)
    except UnusableMapping as unusable:
        raise serializers.ValidationError({"recipe": [refusal_text(unusable)]}) from unusable


def read_mapping(said: object) -> TableMapping:
    try:
        return mapping_of(said)
    except UnusableMapping as unusable:
        raise serializers.ValidationError({"mapping": [refusal_text(unusable)]}) from unusable
