from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.i18n import set_language

from config.administration import views as administration
from config.operations.metrics import metrics
from config.operations.readiness import healthz, readyz

handler400 = "config.serving.failures.bad_request"
handler403 = "config.serving.failures.permission_denied"
handler404 = "config.serving.failures.page_not_found"
handler500 = "config.serving.failures.server_error"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("i18n/setlang/", login_not_required(set_language), name="set_language"),
    path("administration/backups/", administration.backups, name="administration-backups"),
    path("administration/backups/<slug:name>/test/", administration.backup_test, name="backup-test"),
    path("administration/backups/<slug:name>/remove/", administration.backup_remove, name="backup-remove"),
    path("administration/settings/", administration.settings_page, name="administration-settings"),
    path("administration/health/", administration.health, name="administration-health"),
    path("accounts/", include("accounts.urls")),
    path("api/v1/", include("config.api")),
    path("", include("arena.urls")),
    path("", include("annotation.urls")),
    path("", include("analytics.urls")),
    path("", include("judges.urls")),
    path("", include("campaigns.urls")),
    path("", include("corpus.urls")),
    path("", include("infrastructure.urls")),
]
