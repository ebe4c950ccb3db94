"""Recipes by the API: kept, listed, renamed, deleted, and used for an import."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from corpus.models import Import, ImportRecipe
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
RECIPES = "/api/v1/recipes/"
MAPPING = {"shape": "responses", "columns": {"q": {"becomes": "item"}, "who": {"becomes": "system"}}}
RECIPE = {"name": "Answers of the lab", "columns": ["who", "q"], "mapping": MAPPING}


@pytest.fixture
def launcher() -> APIClient:
    return caller(UserFactory(is_researcher=True))


def test_recipe_is_kept_renamed_and_deleted(launcher: APIClient) -> None:
    made = launcher.post(RECIPES, RECIPE)
    again = launcher.post(RECIPES, RECIPE | {"columns": ["q"]}).json()
    address = f"{RECIPES}{again['id']}/"
    launcher.post(RECIPES, RECIPE | {"name": "Other"})
    renamed = launcher.patch(address, {"name": "Mine"})
    taken = launcher.patch(address, {"name": "Other"})

    assert (made.status_code, made.json()["columns"], again["id"]) == (201, ["q", "who"], made.json()["id"])
    assert (renamed.json()["name"], renamed.json()["mapping"]["shape"]) == ("Mine", "responses")
    assert (taken.status_code, taken.json()["errors"][0]["field"]) == (409, "name")
    assert [it["name"] for it in launcher.get(RECIPES).json()["results"]] == ["Other", "Mine"]
    assert launcher.delete(address).status_code == 204
    assert launcher.get(address).status_code == 404
    assert caller(UserFactory(is_superuser=True)).get(RECIPES).json()["results"] == []


@each(
    "changes, field",
    [
        ({"name": "\u200b"}, "name"),
        ({"columns": []}, "columns"),
        ({"mapping": {"shape": "triples", "columns": {}}}, "mapping.shape"),
        ({"mapping": {"shape": "pairs", "columns": {"q": {"nonsense": "1"}}}}, "mapping"),
    ],
    undo=True,
)
def test_recipe_that_cannot_be_kept_is_refused(launcher: APIClient, changes: dict[str, object], field: str) -> None:
    reply = launcher.post(RECIPES, RECIPE | changes)

    assert reply.status_code in (400, 422)
    assert reply.json()["errors"][0]["field"] == field
    assert not ImportRecipe.objects.exists()


def test_import_is_read_by_a_recipe(launcher: APIClient, media_root: object) -> None:
    kept = launcher.post(RECIPES, RECIPE).json()
    file = SimpleUploadedFile("answers.csv", b"q,who\nOne,Alpha\n")
    sent = {"dataset_name": "Answers", "manifest": file, "without_audio": "true", "recipe": RECIPE["name"]}

    reply = launcher.post("/api/v1/imports/", sent, format="multipart")

    assert reply.status_code == 202, reply.json()
    assert Import.objects.get().choices["mapping"] == kept["mapping"]
