"""The addresses of the API: every app brings its own, in its `api_urls.py`."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.exceptions import NotFound
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView

from config.administration.api import BackupViewSet

router = SimpleRouter(use_regex_path=False)
router.register("backups", BackupViewSet, "backup")
app_name = "api"


@extend_schema(exclude=True)
class NothingHere(APIView):
    """What is no address of the API is said so in the API's own shape."""

    authentication_classes = ()
    permission_classes = ()

    def initial(self, *_args: Any, **_kwargs: Any) -> None:
        raise NotFound


urlpatterns = [
    path("", include("accounts.api_urls")),
    path("", include("infrastructure.api_urls")),
    path("", include("corpus.api_urls")),
    path("", include("campaigns.api_urls")),
    path("", include("annotation.api_urls")),
    path("", include("judges.api_urls")),
    path("", include("analytics.api_urls")),
    path("", include("arena.api_urls")),
    *router.urls,
    path(
        "schema/",
        login_not_required(SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[])),
        name="schema",
    ),
    path("<path:rest>", login_not_required(NothingHere.as_view()), name="nothing"),
]
