from django.urls import path

from analytics import planning_views, views

urlpatterns = [
    path("label-sets/<int:pk>/", views.label_set, name="label-set"),
    path("label-sets/<int:pk>/trace.jsonl", views.label_set_trace, name="label-set-trace"),
    path("label-sets/<int:pk>/answers.csv", views.label_set_tidy, name="label-set-tidy"),
    path("label-sets/<int:pk>/all-raters.csv", views.label_set_all_raters, name="label-set-all-raters"),
    path("campaigns/<slug:slug>/planning/", planning_views.planning, name="planning"),
    path("campaigns/<slug:slug>/export/trace.jsonl", views.campaign_trace, name="campaign-trace"),
    path("campaigns/<slug:slug>/export/answers.csv", views.campaign_tidy, name="campaign-tidy"),
]
