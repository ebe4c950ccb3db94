"""A campaign with everything that the API tells of, and people of every role."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import User
from analytics import tasks as _jobs_of_analytics  # noqa: F401 - registers what jobs do
from analytics.reports.jobs import ask_report
from analytics.reports.kinds import KINDS as REPORTS
from analytics.reports.source import Settings
from analytics.reports.storage import report_of, share
from annotation.listening.clips import clip_token
from campaigns import tasks as _jobs_of_campaigns  # noqa: F401
from campaigns.models import Campaign, Import, Job, LabelSet, Role
from campaigns.webhooks.hooks import add_webhook, send_test
from config.api import urlpatterns
from judges.definitions.judges import make_judge
from judges.imported.uploads import Options, begin_verdict_import
from judges.kinds import KINDS
from judges.models import LanguageModel
from judges.runs.lifecycle import Plan, start_run
from tests.analytics.exporting.exported import made_export
from tests.everybody import campaign, people
from tests.factories import make_assignment

__all__ = ["addresses", "campaign", "people"]


@pytest.fixture
def addresses(campaign: Campaign, people: dict[str, User]) -> dict[str, str]:
    """Everything is somebody else's: made by the owner of the campaign, who is none of the people."""
    owner, slug = campaign.created_by, campaign.slug
    assignment = make_assignment(campaign, people["annotator"])
    upload = Import.objects.create(dataset_name="x", manifest_name="m.csv", created_by=owner)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=owner)
    job = Job.objects.create(kind="prepare-audio", subject=str(campaign.pk), started_by=owner)
    judge = make_judge(KINDS["random"], title="Random", settings={}, language_model=None, user=owner)
    run = start_run(campaign, judge, plan=Plan(), user=owner)
    model = LanguageModel.objects.create(title="Model", base_url="http://127.0.0.1:9/v1", model="m", created_by=owner)
    report = report_of(campaign, REPORTS["labels"], Settings())
    export, link = made_export(campaign), share(report, user=owner)
    hook, _secret = add_webhook(campaign, url="https://lab.example/hook", events=["run.finished"], user=owner)
    delivery = send_test(hook)
    table = SimpleUploadedFile("verdicts.csv", b"unit,order,verdict\n0,ab,1\n")
    verdicts = begin_verdict_import(campaign, table, options=Options(judge="Elsewhere"), user=owner)
    item = campaign.dataset.items.first()
    one = [slug, assignment.pk]
    arguments = {
        "dataset-detail": [campaign.dataset.slug],
        **{key: [campaign.dataset.slug] for key in ["system-list", "item-list", "response-list"]},
        "item-detail": [campaign.dataset.slug, item.pk],
        "item-clip": [campaign.dataset.slug, item.pk, item.turns.get().clip_id],
        **{key: [upload.pk] for key in ["import-detail", "import-confirm", "import-choices"]},
        "job-detail": [job.pk],
        "protocol-version": ["hcot", "1"],
        **{key: [slug] for key in [f"campaign-{it}" for it in ("detail", "open", "pause", "close", "audio")]},
        **{key: [slug] for key in [f"{it}-list" for it in ("unit", "member", "answer", "comparison")]},
        "member-detail": [slug, campaign.memberships.get(role=Role.VIEWER).pk],
        **{key: [slug] for key in ["export-format-list", "campaign-export-list"]},
        **{key: [export.pk] for key in ["export-detail", "export-file"]},
        **{key: [slug] for key in ["report-kind-list", "campaign-report-list"]},
        "asked-report-detail": [ask_report(campaign, REPORTS["labels"], Settings(), user=owner).pk],
        **{key: [report.pk] for key in [f"report-{it}" for it in ("detail", "keep", "tex")]},
        "report-figure": [report.pk, "counts-overall", "csv"],
        **{key: [model.pk] for key in [f"model-{it}" for it in ("detail", "terms", "try-")]},
        **{key: [slug] for key in ["webhook-list", "verdict-import-list"]},
        **{key: [slug, verdicts.pk] for key in ["verdict-import-detail", "verdict-import-cancel"]},
        **{key: [slug, hook.pk] for key in ["webhook-detail", "webhook-test", "delivery-list"]},
        "delivery-again": [slug, hook.pk, delivery.pk],
        "report-share-list": [report.pk],
        "report-share-detail": [report.pk, link.pk],
        "probe-list": [slug, run.pk],
        **{key: [slug] for key in ["standing-list", "run-list", "run-estimate"]},
        **{
            key: [slug, run.pk]
            for key in [f"run-{it}" for it in ("detail", "pause", "resume", "cancel", "again", "top-up")]
        },
        "verdict-list": [slug, run.pk],
        "judge-detail": [judge.pk],
        **{key: [labels.pk] for key in [f"label-set-{it}" for it in ("detail", "labels", "answers", "trace")]},
        **{key: [slug] for key in [f"label-{it}" for it in ("next", "take-back", "consent")]},
        **dict.fromkeys([f"assignment-{it}" for it in ("heard", "answers", "give-back")], one),
        "clip-detail": [clip_token(assignment, 1, 1)],
    }
    names = {str(pattern.name) for pattern in urlpatterns if pattern.name != "nothing"}
    return {name: reverse(f"api:{name}", args=arguments.get(name, [])) for name in names}
