"""The API of background work and the audit log."""

from rest_framework.routers import SimpleRouter

from infrastructure.audit_log.api import AuditLogViewSet
from infrastructure.background.api import JobViewSet

router = SimpleRouter(use_regex_path=False)
router.register("jobs", JobViewSet, "job")
router.register("audit-log", AuditLogViewSet, "audit-log")

urlpatterns = router.urls
