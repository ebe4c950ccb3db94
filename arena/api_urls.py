"""The API of boards."""

from rest_framework.routers import SimpleRouter

from arena.board.api import StandingViewSet

router = SimpleRouter(use_regex_path=False)
router.register("campaigns/<slug:campaign>/standing", StandingViewSet, "standing")

urlpatterns = router.urls
