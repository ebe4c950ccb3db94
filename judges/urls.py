from django.urls import path

from judges.definitions import views as judge_views
from judges.imported import mapping_page
from judges.imported import views as import_views
from judges.language_models import views
from judges.runs import baseline_views
from judges.runs import views as run_views

urlpatterns = [
    path("administration/models/", views.models_and_keys, name="administration-models"),
    path("models/", views.models, name="models"),
    path("models/proposal/", views.model_proposal, name="model-proposal"),
    path("models/<int:pk>/test/", views.model_test, name="model-test"),
    path("models/<int:pk>/terms/", judge_views.model_terms, name="model-terms"),
    path("models/<int:pk>/disable/", views.model_disable, name="model-disable"),
    path("campaigns/<slug:slug>/verdicts/import/", import_views.verdicts_import, name="verdicts-import"),
    path(
        "campaigns/<slug:slug>/verdicts/import/template.csv",
        import_views.verdict_import_template,
        name="verdict-import-template",
    ),
    path("campaigns/<slug:slug>/verdicts/import/<uuid:pk>/", import_views.verdict_import, name="verdict-import"),
    path(
        "campaigns/<slug:slug>/verdicts/import/<uuid:pk>/columns/",
        mapping_page.verdict_import_columns,
        name="verdict-import-columns",
    ),
    path(
        "campaigns/<slug:slug>/verdicts/import/<uuid:pk>/cancel/",
        import_views.verdict_import_cancel,
        name="verdict-import-cancel",
    ),
    path("campaigns/<slug:slug>/rubric/drafts/", views.rubric_drafts, name="rubric-drafts"),
    path("campaigns/<slug:slug>/rubric/drafts/stop/", views.rubric_drafts_stop, name="rubric-drafts-stop"),
    path("judges/", judge_views.judges, name="judges"),
    path("judges/new/<slug:kind>/", judge_views.judge_new, name="judge-new"),
    path("campaigns/<slug:slug>/runs/", run_views.runs, name="runs"),
    path("campaigns/<slug:slug>/baselines/", baseline_views.baselines, name="baselines"),
    path("campaigns/<slug:slug>/baselines/cancel/", baseline_views.baselines_cancel, name="baselines-cancel"),
    path("campaigns/<slug:slug>/runs/new/<int:judge>/", run_views.run_new, name="run-new"),
    path("campaigns/<slug:slug>/runs/<int:pk>/", run_views.run, name="run"),
    path("campaigns/<slug:slug>/runs/<int:pk>/turn/<slug:turn>/", run_views.run_turn, name="run-turn"),
    path("campaigns/<slug:slug>/runs/<int:pk>/probe/", run_views.run_probe, name="run-probe"),
    path("campaigns/<slug:slug>/runs/<int:pk>/verdicts/", run_views.run_verdicts, name="run-verdicts"),
    path("campaigns/<slug:slug>/runs/<int:pk>/verdicts.<slug:kind>", run_views.run_file, name="run-file"),
    path("campaigns/<slug:slug>/runs/<int:pk>/verdicts/<int:verdict>/", run_views.run_verdict, name="run-verdict"),
    path(
        "campaigns/<slug:slug>/runs/<int:pk>/verdicts/<int:verdict>/<int:clip>.wav",
        run_views.run_verdict_clip,
        name="run-verdict-clip",
    ),
]
