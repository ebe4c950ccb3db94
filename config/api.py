"""The addresses of the API, room by room. What is behind them stands in each room's own module."""

from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.routers import SimpleRouter

from accounts.api.me import MeViewSet, NothingHere
from analytics.api.answers import AnswerViewSet, ComparisonViewSet, LabelSetViewSet
from analytics.api.exports import CampaignExportViewSet, ExportFormatViewSet, ExportViewSet
from analytics.api.probes import ProbeViewSet
from analytics.api.reports import AskedReportViewSet, CampaignReportViewSet, ReportKindViewSet, ReportViewSet
from analytics.api.shares import ReportShareViewSet
from annotation.api import AssignmentViewSet, ClipViewSet, LabelViewSet
from arena.api import StandingViewSet
from campaigns.api.campaigns import CampaignViewSet, MemberViewSet, UnitViewSet
from campaigns.api.datasets import DatasetViewSet, ItemViewSet, ResponseViewSet, SystemViewSet
from campaigns.api.imports import ImportViewSet
from campaigns.api.jobs import JobViewSet
from campaigns.api.protocols import ProtocolViewSet
from campaigns.api.webhooks import DeliveryViewSet, WebhookViewSet
from judges.imported.api import VerdictImportViewSet
from judges.language_models.api import LanguageModelViewSet
from judges.runs.api import JudgeViewSet, RunViewSet, VerdictViewSet

app_name = "api"

router = SimpleRouter(use_regex_path=False)
router.register("me", MeViewSet, "me")
router.register("datasets", DatasetViewSet, "dataset")
router.register("datasets/<slug:dataset>/systems", SystemViewSet, "system")
router.register("datasets/<slug:dataset>/items", ItemViewSet, "item")
router.register("datasets/<slug:dataset>/responses", ResponseViewSet, "response")
router.register("imports", ImportViewSet, "import")
router.register("jobs", JobViewSet, "job")
router.register("protocols", ProtocolViewSet, "protocol")
router.register("campaigns", CampaignViewSet, "campaign")
router.register("campaigns/<slug:campaign>/units", UnitViewSet, "unit")
router.register("campaigns/<slug:campaign>/members", MemberViewSet, "member")
router.register("campaigns/<slug:campaign>/webhooks", WebhookViewSet, "webhook")
router.register("campaigns/<slug:campaign>/webhooks/<int:webhook>/deliveries", DeliveryViewSet, "delivery")
router.register("campaigns/<slug:campaign>/answers", AnswerViewSet, "answer")
router.register("campaigns/<slug:campaign>/comparison", ComparisonViewSet, "comparison")
router.register("campaigns/<slug:campaign>/export-formats", ExportFormatViewSet, "export-format")
router.register("campaigns/<slug:campaign>/exports", CampaignExportViewSet, "campaign-export")
router.register("campaigns/<slug:campaign>/report-kinds", ReportKindViewSet, "report-kind")
router.register("campaigns/<slug:campaign>/reports", CampaignReportViewSet, "campaign-report")
router.register("campaigns/<slug:campaign>/standing", StandingViewSet, "standing")
router.register("campaigns/<slug:campaign>/runs", RunViewSet, "run")
router.register("campaigns/<slug:campaign>/verdicts", VerdictImportViewSet, "verdict-import")
router.register("campaigns/<slug:campaign>/runs/<int:run>/verdicts", VerdictViewSet, "verdict")
router.register("campaigns/<slug:campaign>/runs/<int:run>/probes", ProbeViewSet, "probe")
router.register("asked-reports", AskedReportViewSet, "asked-report")
router.register("reports", ReportViewSet, "report")
router.register("reports/<uuid:report>/shares", ReportShareViewSet, "report-share")
router.register("exports", ExportViewSet, "export")
router.register("models", LanguageModelViewSet, "model")
router.register("judges", JudgeViewSet, "judge")
router.register("label-sets", LabelSetViewSet, "label-set")
router.register("label", LabelViewSet, "label")
router.register("label/<slug:campaign>/assignments", AssignmentViewSet, "assignment")
router.register("clips", ClipViewSet, "clip")


def _without_page(pattern: URLPattern) -> URLPattern:
    """Whoever is not known is told so with 401; the page to log in is no use to a program."""
    login_not_required(pattern.callback)
    return pattern


urlpatterns = [_without_page(pattern) for pattern in router.urls]
urlpatterns += [
    path(
        "protocols/<slug:name>/<str:version>/",
        login_not_required(ProtocolViewSet.as_view({"get": "document"})),
        name="protocol-version",
    ),
    path(
        "schema/",
        login_not_required(SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[])),
        name="schema",
    ),
    path("<path:rest>", login_not_required(NothingHere.as_view()), name="nothing"),
]
