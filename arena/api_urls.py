"""The API of boards."""

from rest_framework.routers import SimpleRouter

from arena.board.api import LabelSetStandingViewSet, StandingViewSet
from arena.staff.api import ArenaViewSet

router = SimpleRouter(use_regex_path=False)
router.register("campaigns/<slug:campaign>/standing", StandingViewSet, "standing")
router.register("campaigns/<slug:campaign>/arena", ArenaViewSet, "arena")
router.register("label-sets/<int:label_set>/standing", LabelSetStandingViewSet, "label-set-standing")

urlpatterns = router.urls
