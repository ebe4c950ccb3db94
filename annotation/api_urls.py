"""The API of labelling."""

from rest_framework.routers import SimpleRouter

from annotation.label_page.api import AssignmentViewSet, ClipViewSet, LabelViewSet

router = SimpleRouter(use_regex_path=False)
router.register("label", LabelViewSet, "label")
router.register("label/<slug:campaign>/assignments", AssignmentViewSet, "assignment")
router.register("clips", ClipViewSet, "clip")

urlpatterns = router.urls
