from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.i18n import set_language

from config.home import home
from config.readiness import healthz, readyz

urlpatterns = [
    path("", home, name="home"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("i18n/setlang/", login_not_required(set_language), name="set_language"),
    path("accounts/", include("accounts.urls")),
    path("", include("arena.urls")),
    path("", include("annotation.urls")),
    path("", include("analytics.urls")),
    path("", include("judges.urls")),
    path("", include("campaigns.urls")),
]
