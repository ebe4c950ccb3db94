"""Reports by the API: asked for, computed by a job, read as figures, taken as files."""

from typing import Any

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from analytics.models import AskedReport, Report
from analytics.reports.storage import STAYS, thin_reports
from campaigns.models import Campaign, NameLock, Role
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from tests.analytics.exporting.test_exports import answered_campaign
from tests.api.callers import caller
from tests.factories import RARE_A, RARE_B, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return answered_campaign(units=3)


@pytest.fixture
def viewer(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.VIEWER))


def ask(client: APIClient, campaign: Campaign, kind: str = "labels", **settings: str) -> Any:
    return client.post(f"/api/v1/campaigns/{campaign.slug}/reports/", {"kind": kind, "settings": settings})


def computed(client: APIClient, campaign: Campaign, kind: str = "labels", **settings: str) -> dict[str, Any]:
    asked = ask(client, campaign, kind, **settings).json()
    if asked["job"]:
        run_job(asked["job"]["id"])
    found = client.get(f"/api/v1/asked-reports/{asked['id']}/").json()
    report: dict[str, Any] = client.get(f"/api/v1/reports/{found['report']}/").json()
    return report


@pytest.mark.databases
def test_report_is_computed_by_a_job_and_then_there(viewer: APIClient, campaign: Campaign) -> None:
    first, again = ask(viewer, campaign), ask(viewer, campaign)
    assert (first.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert (first.json()["report"], Job.objects.count()) == (None, 1)

    run_job(first.json()["job"]["id"])
    run_job(first.json()["job"]["id"])

    found = viewer.get(f"/api/v1/asked-reports/{first.json()['id']}/").json()
    assert found["job"]["status"] == "succeeded"
    assert found["report"] == str(Report.objects.get().pk)
    kept = ask(viewer, campaign).json()
    assert (kept["job"], kept["report"]) == (None, found["report"])


def test_report_is_read_and_taken_as_the_page_shows_it(viewer: APIClient, campaign: Campaign) -> None:
    report = computed(viewer, campaign)

    figure = next(it for it in report["figures"] if it["key"] == "counts-overall")
    files = {form: viewer.get(address) for form, address in (figure["files"] | report["files"]).items()}
    assert {form: reply.status_code for form, reply in files.items()} == dict.fromkeys(files, 200)
    assert {"csv", "json", "tex", "svg", "png", "pdf"} <= set(files)
    assert files["csv"].content.decode().splitlines()[0].split(",")[0] == figure["columns"][0]["key"]
    assert files["json"].json()["figures"][0]["rows"] == figure["rows"]
    assert files["png"].content.startswith(b"\x89PNG")
    assert files["pdf"].content.startswith(b"%PDF")
    listed = viewer.get(f"/api/v1/campaigns/{campaign.slug}/reports/").json()["results"]
    assert [it["id"] for it in listed] == [report["id"]]


def test_settings_are_those_of_the_kinds(viewer: APIClient, campaign: Campaign) -> None:
    kinds = {it["kind"]: it for it in viewer.get(f"/api/v1/campaigns/{campaign.slug}/report-kinds/").json()}
    order = next(it for it in kinds["labels"]["options"] if it["name"] == "order")
    assert [it["value"] for it in order["values"]] == ["", "ab", "ba"]

    assert computed(viewer, campaign, order="ba")["settings"] == {"order": "ba"}
    refused = ask(viewer, campaign, order="sideways", colour="red")
    assert refused.status_code == 422
    assert {it["field"] for it in refused.json()["errors"]} == {"settings.order", "settings.colour"}


def test_report_that_there_can_be_none_of_is_a_conflict(viewer: APIClient, campaign: Campaign) -> None:
    kinds = viewer.get(f"/api/v1/campaigns/{campaign.slug}/report-kinds/").json()
    impossible = next(it for it in kinds if it["why_not"])

    response = ask(viewer, campaign, impossible["kind"])

    assert (response.status_code, response.json()["detail"]) == (409, impossible["why_not"]["detail"])


@pytest.mark.databases
def test_report_about_people_is_for_those_who_may_review(viewer: APIClient, campaign: Campaign) -> None:
    reviewer = caller(make_member(campaign, Role.REVIEWER))
    about_people = {it["kind"] for it in reviewer.get(f"/api/v1/campaigns/{campaign.slug}/report-kinds/").json()}
    about_people -= {it["kind"] for it in viewer.get(f"/api/v1/campaigns/{campaign.slug}/report-kinds/").json()}
    kind = min(about_people)
    asked = ask(reviewer, campaign, kind).json()
    run_job(asked["job"]["id"])
    report = AskedReport.objects.get().report_id

    addresses = [f"/api/v1/asked-reports/{asked['id']}/", f"/api/v1/reports/{report}/"]
    assert [reviewer.get(it).status_code for it in addresses] == [200, 200]
    assert [viewer.get(it).status_code for it in addresses] == [403, 403]
    assert ask(viewer, campaign, kind).status_code == 403
    assert viewer.get(f"/api/v1/campaigns/{campaign.slug}/reports/").json()["results"] == []


@pytest.mark.databases
def test_names_that_are_locked_are_in_no_choice_and_no_answers_leave(campaign: Campaign) -> None:
    admin, here = caller(make_member(campaign, Role.ADMIN)), f"/api/v1/campaigns/{campaign.slug}/"
    shown = admin.get(f"{here}report-kinds/").content.decode()
    assert admin.get(f"{here}answers/").status_code == 200
    NameLock.objects.create(campaign=campaign, by=campaign.created_by)

    hidden = admin.get(f"{here}report-kinds/").content.decode()

    assert [name in shown for name in (RARE_A, RARE_B)] == [True, True]
    assert [name in hidden for name in (RARE_A, RARE_B)] == [False, False]
    assert admin.get(f"{here}answers/").status_code == 403


@pytest.mark.databases
def test_what_was_asked_for_is_thinned_with_its_report(viewer: APIClient, campaign: Campaign) -> None:
    kept, thrown = computed(viewer, campaign), computed(viewer, campaign, order="ab")
    assert viewer.post(reverse("api:report-keep", args=[kept["id"]])).status_code == 204

    thin_reports(Report.objects.get(pk=thrown["id"]).computed_at + STAYS * 2)

    assert [str(pk) for pk in Report.objects.values_list("pk", flat=True)] == [kept["id"]]
    assert not AskedReport.objects.exists()
