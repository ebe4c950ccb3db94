"""The API of accounts."""

from rest_framework.routers import SimpleRouter

from accounts.api.me import MeViewSet
from accounts.people.api import PersonViewSet

router = SimpleRouter(use_regex_path=False)
router.register("me", MeViewSet, "me")
router.register("people", PersonViewSet, "person")

urlpatterns = router.urls
