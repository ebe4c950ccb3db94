from django.urls import path

from judges import feature_views, views

urlpatterns = [
    path("models/", views.models, name="models"),
    path("models/<int:pk>/test/", views.model_test, name="model-test"),
    path("models/<int:pk>/disable/", views.model_disable, name="model-disable"),
    path("campaigns/<slug:slug>/rubric/drafts/", views.rubric_drafts, name="rubric-drafts"),
    path("campaigns/<slug:slug>/rubric/drafts/stop/", views.rubric_drafts_stop, name="rubric-drafts-stop"),
    path("datasets/<slug:slug>/features/", feature_views.dataset_features, name="dataset-features"),
    path("datasets/<slug:slug>/items/<int:pk>/features/", feature_views.item_features, name="item-features"),
]
