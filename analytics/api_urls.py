"""The API of answers, reports and exports."""

from rest_framework.routers import SimpleRouter

from analytics.api.answers import AnswerViewSet, ComparisonViewSet, LabelSetViewSet
from analytics.api.exports import CampaignExportViewSet, ExportFormatViewSet, ExportViewSet
from analytics.api.favour import FavourViewSet
from analytics.api.numbers import UnitNumberViewSet
from analytics.api.probes import ProbeViewSet
from analytics.api.progress import ProgressViewSet
from analytics.api.quality import AnnotatorViewSet, QualityRulesViewSet
from analytics.api.reports import AskedReportViewSet, CampaignReportViewSet, ReportKindViewSet, ReportViewSet
from analytics.api.review import ReviewViewSet
from analytics.api.shares import ReportShareViewSet
from analytics.measured.api import FeatureViewSet, LikelihoodViewSet, MetricViewSet
from analytics.measured.identity_leak_api import IdentityLeakViewSet
from analytics.planning.ratings.api import RatingPlanViewSet
from analytics.retention.api import RetentionOfAllViewSet, RetentionViewSet
from analytics.storage.api import StorageViewSet

router = SimpleRouter(use_regex_path=False)
router.register("campaigns/<slug:campaign>/answers", AnswerViewSet, "answer")
router.register("campaigns/<slug:campaign>/progress", ProgressViewSet, "progress")
router.register("campaigns/<slug:campaign>/comparison", ComparisonViewSet, "comparison")
router.register("campaigns/<slug:campaign>/export-formats", ExportFormatViewSet, "export-format")
router.register("campaigns/<slug:campaign>/exports", CampaignExportViewSet, "campaign-export")
router.register("campaigns/<slug:campaign>/report-kinds", ReportKindViewSet, "report-kind")
router.register("campaigns/<slug:campaign>/reports", CampaignReportViewSet, "campaign-report")
router.register("campaigns/<slug:campaign>/annotators", AnnotatorViewSet, "annotator")
router.register("campaigns/<slug:campaign>/quality-rules", QualityRulesViewSet, "quality-rules")
router.register("campaigns/<slug:campaign>/favour", FavourViewSet, "favour")
router.register("campaigns/<slug:campaign>/review", ReviewViewSet, "review")
router.register("campaigns/<slug:campaign>/runs/<int:run>/probes", ProbeViewSet, "probe")
router.register("campaigns/<slug:campaign>/rating-plan", RatingPlanViewSet, "rating-plan")
router.register("campaigns/<slug:campaign>/retention", RetentionViewSet, "retention")
router.register("datasets/<slug:dataset>/numbers", UnitNumberViewSet, "unit-number")
router.register("datasets/<slug:dataset>/metrics", MetricViewSet, "metric")
router.register("datasets/<slug:dataset>/likelihoods", LikelihoodViewSet, "likelihood")
router.register("datasets/<slug:dataset>/features", FeatureViewSet, "feature")
router.register("datasets/<slug:dataset>/identity-leaks", IdentityLeakViewSet, "identity-leak")
router.register("retention", RetentionOfAllViewSet, "campaign-retention")
router.register("storage", StorageViewSet, "storage")
router.register("asked-reports", AskedReportViewSet, "asked-report")
router.register("reports", ReportViewSet, "report")
router.register("reports/<uuid:report>/shares", ReportShareViewSet, "report-share")
router.register("exports", ExportViewSet, "export")
router.register("label-sets", LabelSetViewSet, "label-set")

urlpatterns = router.urls
