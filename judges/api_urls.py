"""The API of judges and their verdicts."""

from rest_framework.routers import SimpleRouter

from judges.imported.api import VerdictImportViewSet
from judges.language_models.api import LanguageModelViewSet
from judges.language_models.drafts_api import CriteriaDraftsViewSet
from judges.runs.api import JudgeViewSet, RunViewSet, VerdictViewSet

router = SimpleRouter(use_regex_path=False)
router.register("campaigns/<slug:campaign>/runs", RunViewSet, "run")
router.register("campaigns/<slug:campaign>/verdicts", VerdictImportViewSet, "verdict-import")
router.register("campaigns/<slug:campaign>/runs/<int:run>/verdicts", VerdictViewSet, "verdict")
router.register("campaigns/<slug:campaign>/criteria-drafts", CriteriaDraftsViewSet, "criteria-drafts")
router.register("models", LanguageModelViewSet, "model")
router.register("judges", JudgeViewSet, "judge")

urlpatterns = router.urls
