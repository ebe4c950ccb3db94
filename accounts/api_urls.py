"""The API of accounts."""

from rest_framework.routers import SimpleRouter

from accounts.api.me import MeViewSet

router = SimpleRouter(use_regex_path=False)
router.register("me", MeViewSet, "me")

urlpatterns = router.urls
