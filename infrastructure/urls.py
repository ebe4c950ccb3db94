from django.urls import path

from infrastructure.administration import views as administration_views
from infrastructure.audit_log import views as audit_log_views
from infrastructure.background import views
from infrastructure.deletion import views as deletion

urlpatterns = [
    path("jobs/<uuid:pk>/", views.job, name="job"),
    path("administration/", administration_views.administration, name="administration"),
    path("administration/jobs/", administration_views.jobs, name="administration-jobs"),
    path("jobs/<uuid:pk>/cancel/", administration_views.job_cancel, name="job-cancel"),
    path("jobs/<uuid:pk>/again/", administration_views.job_again, name="job-again"),
    path("manage/<slug:kind>/<str:key>/", deletion.manage, name="manage"),
    path("manage/<slug:kind>/<str:key>/archive/", deletion.archive, name="archive"),
    path("manage/<slug:kind>/<str:key>/restore/", deletion.restore, name="restore"),
    path("manage/<slug:kind>/<str:key>/delete/", deletion.delete, name="delete"),
    path("administration/demo/", deletion.demo, name="demo"),
    path("health/", views.health, name="health"),
    path("accounts/audit-log/", audit_log_views.audit_log, name="audit-log"),
    path("accounts/audit-log/csv/", audit_log_views.audit_log_csv, name="audit-log-csv"),
]
