from django.urls import path

from judges import import_views, views

urlpatterns = [
    path("models/", views.models, name="models"),
    path("models/<int:pk>/test/", views.model_test, name="model-test"),
    path("models/<int:pk>/disable/", views.model_disable, name="model-disable"),
    path("campaigns/<slug:slug>/verdicts/import/", import_views.verdicts_import, name="verdicts-import"),
    path("campaigns/<slug:slug>/rubric/drafts/", views.rubric_drafts, name="rubric-drafts"),
    path("campaigns/<slug:slug>/rubric/drafts/stop/", views.rubric_drafts_stop, name="rubric-drafts-stop"),
]
