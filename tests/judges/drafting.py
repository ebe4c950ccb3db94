"""Models and campaigns for the tests of drafts."""

import json
from typing import Any

import judges.tasks  # noqa: F401 - its job is registered there
from accounts.models import User
from campaigns.models import Campaign
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from judges.language_models.criteria_drafts import start_drafts
from judges.language_models.registry import add_model
from judges.models import LanguageModel
from tests.judges.server import Step, completion


def make_model(user: User, url: str = "http://127.0.0.1:9/v1", **changes: Any) -> LanguageModel:
    columns: dict[str, Any] = {"title": "Drafter", "model": "m", "api_key": "sk-1", "timeout_s": 5, "shared": False}
    return add_model(base_url=url, user=user, **(columns | changes))


def criteria(*texts: str) -> Step:
    return completion(json.dumps({"criteria": texts}))


def drafts_made(campaign: Campaign, model: LanguageModel, *, n: int = 2) -> Job:
    job = start_drafts(campaign, model, n_per_item=n, user=campaign.created_by)
    run_job_task(str(job.pk))
    return Job.objects.get(pk=job.pk)
