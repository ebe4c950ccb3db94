from django.urls import path

from analytics import views
from analytics.quality import views as quality

urlpatterns = [
    path("campaigns/<slug:slug>/quality/", quality.campaign_quality, name="quality"),
    path("campaigns/<slug:slug>/quality/rules/", quality.quality_rules, name="quality-rules"),
    path("campaigns/<slug:slug>/quality/people/<int:pk>/", quality.annotator_quality, name="quality-annotator"),
    path("campaigns/<slug:slug>/quality/people/<int:pk>/decide/", quality.decide, name="quality-decide"),
    path("label-sets/<int:pk>/", views.label_set, name="label-set"),
    path("label-sets/<int:pk>/trace.jsonl", views.label_set_trace, name="label-set-trace"),
    path("label-sets/<int:pk>/answers.csv", views.label_set_tidy, name="label-set-tidy"),
    path("label-sets/<int:pk>/all-raters.csv", views.label_set_all_raters, name="label-set-all-raters"),
    path("campaigns/<slug:slug>/export/trace.jsonl", views.campaign_trace, name="campaign-trace"),
    path("campaigns/<slug:slug>/export/answers.csv", views.campaign_tidy, name="campaign-tidy"),
]
