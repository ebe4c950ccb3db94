from django.urls import path

from analytics import views
from analytics.comparison import disagreement_views, probe_views
from analytics.comparison import views as comparison_views
from analytics.exports import views as export_views
from analytics.home.views import home
from analytics.measured import feature_views, identity_leak_views
from analytics.measured import views as metric_views
from analytics.monitoring import criteria_views
from analytics.monitoring import views as pulse_views
from analytics.planning import judges_known as judges_known_views
from analytics.planning import stopping as stopping_views
from analytics.planning import views as planning_views
from analytics.planning.ratings import views as rating_planning_views
from analytics.quality.pages import favour_views
from analytics.quality.pages import views as quality
from analytics.reports.pages import shared_views
from analytics.reports.pages import views as reports
from analytics.retention import views as retention_views
from analytics.review import bulk_views
from analytics.review import views as review_views
from analytics.storage import views as storage_views

urlpatterns = [
    path("", home, name="home"),
    path("campaigns/<slug:slug>/runs/<int:pk>/probes/", probe_views.probes, name="probe-report"),
    path("campaigns/<slug:slug>/quality/", quality.campaign_quality, name="quality"),
    path("campaigns/<slug:slug>/quality/rules/", quality.quality_rules, name="quality-rules"),
    path("campaigns/<slug:slug>/quality/favour/", favour_views.campaign_favour, name="quality-favour"),
    path("campaigns/<slug:slug>/quality/favour/decide/", favour_views.favour_decide, name="quality-favour-decide"),
    path("campaigns/<slug:slug>/quality/people/<int:pk>/", quality.annotator_quality, name="quality-annotator"),
    path("campaigns/<slug:slug>/quality/people/<int:pk>/decide/", quality.decide, name="quality-decide"),
    path("label-sets/<int:pk>/", views.label_set, name="label-set"),
    path("label-sets/<int:pk>/trace.jsonl", views.label_set_trace, name="label-set-trace"),
    path("label-sets/<int:pk>/answers.csv", views.label_set_tidy, name="label-set-tidy"),
    path("label-sets/<int:pk>/all-raters.csv", views.label_set_all_raters, name="label-set-all-raters"),
    path("campaigns/<slug:slug>/pulse/", pulse_views.campaign_pulse, name="campaign-pulse"),
    path("campaigns/<slug:slug>/labels/", views.labels, name="labels"),
    path("campaigns/<slug:slug>/review/", review_views.review, name="review"),
    path("campaigns/<slug:slug>/review/mark/", review_views.mark, name="review-mark"),
    path("campaigns/<slug:slug>/review/use/", bulk_views.use_many, name="review-use-many"),
    path("campaigns/<slug:slug>/review/use/stop/", bulk_views.stop_many, name="review-stop-many"),
    path("campaigns/<slug:slug>/review/use/undo/", bulk_views.undo_many, name="review-undo-many"),
    path("campaigns/<slug:slug>/review/undo/", review_views.undo, name="review-undo"),
    path("campaigns/<slug:slug>/review/<int:pk>/", review_views.unit, name="review-unit"),
    path("campaigns/<slug:slug>/review/<int:pk>/<int:place>-<int:turn>.wav", review_views.clip, name="review-clip"),
    path("campaigns/<slug:slug>/review/<int:pk>/adjudicate/", review_views.unit_adjudicate, name="review-adjudicate"),
    path("campaigns/<slug:slug>/review/<int:pk>/settle/", review_views.unit_settle, name="review-settle"),
    path("campaigns/<slug:slug>/review/<int:pk>/comment/", review_views.unit_comment, name="review-comment"),
    path("campaigns/<slug:slug>/review/<int:pk>/names/", review_views.unit_names, name="review-names"),
    path("campaigns/<slug:slug>/review/<int:pk>/<int:annotation>/use/", review_views.answer_use, name="review-use"),
    path(
        "campaigns/<slug:slug>/review/<int:pk>/<int:annotation>/accept/",
        review_views.answer_accept,
        name="review-accept",
    ),
    path("campaigns/<slug:slug>/comparison/", comparison_views.comparison, name="comparison"),
    path("campaigns/<slug:slug>/comparison.<str:form>", comparison_views.comparison_file, name="comparison-file"),
    path("campaigns/<slug:slug>/comparison/qualify/<int:pk>/", comparison_views.qualify, name="comparison-qualify"),
    path("campaigns/<slug:slug>/results/", reports.results, name="results"),
    path("campaigns/<slug:slug>/results/print/", reports.print_all, name="report-print"),
    path("campaigns/<slug:slug>/results/<slug:kind>/", reports.report, name="report"),
    path("campaigns/<slug:slug>/results/<slug:kind>/figures/", reports.figures, name="report-figures"),
    path("reports/<uuid:pk>/", reports.kept_report, name="kept-report"),
    path("reports/<uuid:pk>/keep/", reports.keep_report, name="keep-report"),
    path("reports/<uuid:pk>/share/", reports.share_report, name="share-report"),
    path("reports/<uuid:pk>/share/<int:link>/take-back/", reports.unshare_report, name="unshare-report"),
    path("reports/<uuid:pk>/report.<str:form>", reports.report_file, name="report-file"),
    path("reports/<uuid:pk>/<str:key>.<str:form>", reports.figure_file, name="figure-file"),
    path("shared/<str:token>/", shared_views.shared_report, name="shared-report"),
    path("shared/<str:token>/report.<str:form>", shared_views.shared_file, name="shared-file"),
    path("shared/<str:token>/<str:key>.<str:form>", shared_views.shared_figure, name="shared-figure"),
    path("campaigns/<slug:slug>/disagreements/", disagreement_views.list_disagreements, name="disagreements"),
    path("campaigns/<slug:slug>/disagreements/<int:pk>/", disagreement_views.disagreement, name="disagreement"),
    path("campaigns/<slug:slug>/planning/", planning_views.planning, name="planning"),
    path("campaigns/<slug:slug>/planning/judges/", judges_known_views.judge_rehearsal, name="judge-rehearsal"),
    path("campaigns/<slug:slug>/planning/stopping/", stopping_views.stopping_rehearsal, name="stopping-rehearsal"),
    path("campaigns/<slug:slug>/planning/ratings/", rating_planning_views.rating_planning, name="planning-ratings"),
    path("campaigns/<slug:slug>/retention/", retention_views.retention, name="retention"),
    path("administration/retention/", retention_views.retention_of_all, name="administration-retention"),
    path("administration/storage/", storage_views.storage, name="administration-storage"),
    path("administration/storage/<slug:what>/clear/", storage_views.storage_clear, name="storage-clear"),
    path("campaigns/<slug:slug>/exports/", export_views.exports, name="exports"),
    path("campaigns/<slug:slug>/exports/<uuid:pk>/", export_views.export_file, name="export-file"),
    path("campaigns/<slug:slug>/exports/<uuid:pk>/delete/", export_views.export_delete, name="export-delete"),
    path("campaigns/<slug:slug>/export/trace.jsonl", views.campaign_trace, name="campaign-trace"),
    path("campaigns/<slug:slug>/export/answers.csv", views.campaign_tidy, name="campaign-tidy"),
    path("campaigns/<slug:slug>/rubric/acceptance/", criteria_views.rubric_acceptance, name="rubric-acceptance"),
    path("datasets/<slug:slug>/metrics/", metric_views.metrics, name="dataset-metrics"),
    path("datasets/<slug:slug>/metrics/compute/", metric_views.metrics_compute, name="dataset-metrics-compute"),
    path("datasets/<slug:slug>/metrics/import/", metric_views.metrics_import, name="dataset-metrics-import"),
    path("datasets/<slug:slug>/numbers/import/", metric_views.numbers_import, name="dataset-numbers-import"),
    path("datasets/<slug:slug>/metrics.csv", metric_views.metrics_table, name="dataset-metrics-table"),
    path("datasets/<slug:slug>/likelihoods/", metric_views.likelihoods, name="dataset-likelihoods"),
    path(
        "datasets/<slug:slug>/likelihoods/import/", metric_views.likelihoods_import, name="dataset-likelihoods-import"
    ),
    path("datasets/<slug:slug>/features/", feature_views.dataset_features, name="dataset-features"),
    path("datasets/<slug:slug>/items/<int:pk>/features/", feature_views.item_features, name="item-features"),
    path("datasets/<slug:slug>/identity/", identity_leak_views.identity, name="dataset-identity"),
    path("datasets/<slug:slug>/identity/scan/", identity_leak_views.identity_scan, name="dataset-identity-scan"),
    path(
        "datasets/<slug:slug>/identity/pairs.csv", identity_leak_views.identity_pairs, name="dataset-identity-pairs"
    ),
]
