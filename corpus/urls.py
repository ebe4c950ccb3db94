from django.urls import path

from corpus.datasets import views as datasets
from corpus.imports import views as imports
from corpus.imports.mapping.page import views as mapping

urlpatterns = [
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/<slug:slug>/", datasets.dataset, name="dataset"),
    path("datasets/<slug:slug>/about/", datasets.about, name="dataset-about"),
    path("datasets/<slug:slug>/items/", datasets.items, name="dataset-items"),
    path("datasets/<slug:slug>/items/<int:pk>/", datasets.item, name="item"),
    path("datasets/<slug:slug>/items/<int:pk>/clips/<int:clip>", datasets.item_clip, name="item-clip"),
    path("imports/", imports.imports, name="imports"),
    path("imports/new/", imports.import_new, name="import-new"),
    path("imports/templates/<slug:name>.csv", mapping.import_template, name="import-template"),
    path("imports/recipes/", mapping.recipes, name="import-recipes"),
    path("imports/recipes/<int:pk>.json", mapping.recipe_file, name="import-recipe-file"),
    path("imports/recipes/<int:pk>/rename/", mapping.recipe_rename, name="import-recipe-rename"),
    path("imports/recipes/<int:pk>/delete/", mapping.recipe_delete, name="import-recipe-delete"),
    path("imports/<uuid:pk>/", imports.import_, name="import"),
    path("imports/<uuid:pk>/confirm/", imports.import_confirm, name="import-confirm"),
    path("imports/<uuid:pk>/cancel/", imports.import_cancel, name="import-cancel"),
    path("imports/<uuid:pk>/columns/", mapping.import_columns, name="import-columns"),
    path("imports/<uuid:pk>/choices/", imports.import_choices, name="import-choices"),
]
