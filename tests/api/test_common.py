"""What every address of the API has: one shape of errors, pages, repetition, rates."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as django_settings
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import Settings
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.api.rates import _counted
from accounts.api.repetition import ABANDONED, KEPT, empty_replies, forget_replies
from accounts.models import KeptReply, User
from accounts.people.accounts import disable_account
from accounts.people.deletion import delete_account
from campaigns.launch.create import draft_campaign
from campaigns.models import Campaign, CampaignUnit
from campaigns.reasons import STAYS_CLOSED
from corpus.models import Dataset, Import
from infrastructure.deletion.actions import delete
from infrastructure.deletion.subjects import subject_of
from infrastructure.models import Job
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member, make_unit

pytestmark = pytest.mark.django_db
CAMPAIGNS = "/api/v1/campaigns/"
DRAFT = {"title": "Voices", "protocol": "hcot/1"}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    User.objects.filter(pk=campaign.created_by_id).update(is_researcher=True)
    return campaign


@pytest.fixture
def launcher(campaign: Campaign) -> APIClient:
    return caller(User.objects.get(pk=campaign.created_by_id))


@pytest.fixture
def draft(campaign: Campaign) -> dict[str, Any]:
    return DRAFT | {"dataset": campaign.dataset.slug}


@each(
    "sent, fields",
    [
        ({}, {"title", "dataset", "protocol"}),
        (DRAFT, {"dataset"}),
        (DRAFT | {"dataset": "x", "systems": [1, {}], "repeat_share": 70}, {"systems.1", "repeat_share"}),
        ([], {""}),
    ],
    undo=True,
)
def test_problem_names_every_field_that_is_wrong(launcher: APIClient, sent: object, fields: set[str]) -> None:
    response = launcher.post(CAMPAIGNS, sent)

    said = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert {name: said[name] for name in ("type", "title", "status")} == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
    }
    assert {error["field"] for error in said["errors"]} == fields
    assert all(error["message"] and error["code"] for error in said["errors"])


@each(
    "body", ["{", "[" * 50_000, '{"title": "\\u0000"}', '{"title": "\\ud800"}', '{"a\\u0000": 1}', '{"n": 1e400}',
             '{"n": ' + "9" * 400 + "}", '{"n": NaN}'],
    undo=True,
)  # fmt: skip
def test_body_that_cannot_be_kept_is_refused(launcher: APIClient, body: str) -> None:
    response = launcher.generic("POST", CAMPAIGNS, body, content_type="application/json")

    assert response.status_code == 400
    assert response.json()["code"] == "parse_error"


def test_form_in_place_of_json_is_refused(launcher: APIClient) -> None:
    response = launcher.post(CAMPAIGNS, {"title": "x"}, format="multipart")

    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_unknown_address_is_a_404(launcher: APIClient) -> None:
    for client in (launcher, APIClient()):
        for address in ("/api/v1/nothing/", "/api/v1/campaigns/a%20b/", "/api/v1/campaigns"):
            response = client.get(address)
            assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("accepted", ["text/csv", "audio/wav", "text/html"])
def test_reply_is_json_whatever_is_rather_wanted(launcher: APIClient, accepted: str) -> None:
    assert launcher.get(CAMPAIGNS, headers={"Accept": accepted})["Content-Type"] == "application/json"


def test_list_comes_in_pages_that_neither_repeat_nor_hide(launcher: APIClient, campaign: Campaign) -> None:
    units = f"/api/v1/datasets/{campaign.dataset.slug}/items/"
    for n in range(3):
        make_unit(campaign.dataset, f"more-{n}")
    seen, address = [], f"{units}?page_size=2"
    while address:
        page = launcher.get(address).json()
        seen.append([row["key"] for row in page["results"]])
        address = page["next"]
        make_unit(campaign.dataset, f"late-{len(seen)}") if len(seen) < 3 else None

    assert seen == [["0", "1"], ["more-0", "more-1"], ["more-2", "late-1"], ["late-2"]]


@pytest.mark.databases
@each("cursor", ["cD14", "x", "cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "bz0x", "%00"], undo=True)
def test_cursor_of_nobody_is_refused_or_leads_nowhere(launcher: APIClient, cursor: str) -> None:
    assert launcher.get(f"{CAMPAIGNS}?cursor={cursor}").status_code in (200, 404)
    assert launcher.get(f"/api/v1/imports/?cursor={cursor}").status_code in (200, 404)


@pytest.mark.databases
@pytest.mark.parametrize(
    ("path", "most"),
    [("items/", 7), ("responses/", 6), ("systems/", 4)],
)
def test_list_takes_the_same_queries_however_long_it_is(
    launcher: APIClient,
    campaign: Campaign,
    path: str,
    most: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    address = f"/api/v1/datasets/{campaign.dataset.slug}/{path}"
    launcher.get(address)
    for n in range(2):
        with django_assert_max_num_queries(most):
            assert launcher.get(address).status_code == 200
        make_unit(campaign.dataset, f"more-{n}")


@pytest.mark.databases
def test_post_with_a_key_is_done_once(launcher: APIClient, draft: dict[str, Any]) -> None:
    first = launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    backwards = dict(reversed(draft.items()))
    second = launcher.post(CAMPAIGNS, backwards, headers={"Idempotency-Key": "k1"})
    another = launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k2"})

    assert first.status_code == second.status_code == another.status_code == 202
    assert second.json() == first.json()
    assert (first.get("Idempotent-Replayed"), second["Idempotent-Replayed"]) == (None, "true")
    assert another.json()["slug"] != first.json()["slug"]
    assert Campaign.objects.filter(status="draft").count() == 2


@pytest.mark.databases
def test_key_with_something_else_is_refused(launcher: APIClient, draft: dict[str, Any]) -> None:
    launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})

    other_body = launcher.post(CAMPAIGNS, draft | {"title": "Other"}, headers={"Idempotency-Key": "k1"})
    other_address = launcher.post(f"{CAMPAIGNS}voices/audio/", draft, headers={"Idempotency-Key": "k1"})

    assert (other_body.status_code, other_address.status_code) == (422, 422)
    assert Campaign.objects.filter(status="draft").count() == 1


@pytest.mark.databases
def test_what_was_refused_may_be_sent_again_under_its_key(launcher: APIClient, draft: dict[str, Any]) -> None:
    assert launcher.post(CAMPAIGNS, DRAFT, headers={"Idempotency-Key": "k1"}).status_code == 400
    assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"}).status_code == 202


@pytest.mark.databases
def test_key_of_a_request_under_way_is_a_conflict(launcher: APIClient, draft: dict[str, Any]) -> None:
    launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    KeptReply.objects.update(status=None)
    assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"}).status_code == 409

    KeptReply.objects.update(created_at=timezone.now() - ABANDONED - timedelta(seconds=1))
    assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"}).status_code == 202


@pytest.mark.databases
def test_key_is_one_persons_own(launcher: APIClient, draft: dict[str, Any]) -> None:
    launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})

    other = caller(UserFactory(is_superuser=True)).post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})

    assert other.status_code == 202
    assert "Idempotent-Replayed" not in other


@pytest.mark.databases
def test_reply_no_longer_names_an_account_that_was_deleted() -> None:
    """To the one who asked for it; and the account is not made again."""
    boss, key = UserFactory(is_superuser=True), {"Idempotency-Key": "k1"}
    asked = {"username": "zqxv", "email": "zqxv@lab.example"}
    assert caller(boss).post("/api/v1/people/", asked, headers=key).status_code == 201
    person = disable_account(User.objects.get(username="zqxv"), by=boss)

    delete_account(person, typed="zqxv", with_answers=False, by=boss)

    again = caller(boss).post("/api/v1/people/", asked, headers=key)
    assert (again.status_code, again.json()["code"], "Retry-After" in again) == (409, "conflict", False)
    assert "zqxv" not in again.content.decode()
    assert list(KeptReply.objects.values_list("status", "body")) == [(201, None)]
    assert not User.objects.filter(username="zqxv").exists()


@pytest.mark.databases
@each("kind", ["dataset", "campaign"], undo=True)
def test_reply_no_longer_names_what_was_deleted(
    launcher: APIClient, campaign: Campaign, draft: dict[str, Any], kind: str
) -> None:
    launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    made = Campaign.objects.get(status="draft")
    boss = UserFactory(is_superuser=True)
    Job.objects.update(status="succeeded")
    Campaign.objects.update(status="closed", archived_at=timezone.now())
    Dataset.objects.update(archived_at=timezone.now())
    subject = subject_of(kind)
    assert subject

    delete(subject, {"dataset": campaign.dataset, "campaign": made}[kind], typed=None, by=boss)

    again = launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    assert (again.status_code, draft["title"] in again.content.decode()) == (409, False)
    assert list(KeptReply.objects.values_list("status", "body")) == [(202, None)]


@pytest.mark.databases
def test_reply_under_way_at_a_deletion_is_not_stored(
    launcher: APIClient, draft: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*args: Any, **named: Any) -> Campaign:
        empty_replies()
        return draft_campaign(*args, **named)

    monkeypatch.setattr("campaigns.launch.api.draft_campaign", meanwhile)

    first = launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})

    assert list(KeptReply.objects.values_list("status", "body")) == [(202, None)]
    again = launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    assert (first.status_code, again.status_code) == (202, 409)


@pytest.mark.databases
def test_replies_are_forgotten_after_a_day(launcher: APIClient, draft: dict[str, Any]) -> None:
    launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"})
    assert forget_replies() == 0

    KeptReply.objects.update(created_at=timezone.now() - KEPT - timedelta(seconds=1))

    assert forget_replies() == 1


@pytest.mark.databases
def test_fault_of_ours_is_no_reply(
    launcher: APIClient, draft: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher.raise_request_exception = False
    with monkeypatch.context() as broken:
        broken.setattr("campaigns.launch.api.draft_campaign", lambda *_args, **_named: 1 / 0)
        assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"}).status_code == 500
    assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": "k1"}).status_code == 202


@pytest.mark.databases
def test_upload_with_a_key_is_known_by_its_content(launcher: APIClient) -> None:
    def upload(content: bytes) -> Any:
        sent = {
            "dataset_name": "New",
            "manifest": SimpleUploadedFile("m.csv", content),
            "without_audio": "true",
        }
        return launcher.post("/api/v1/imports/", sent, format="multipart", headers={"Idempotency-Key": "u"})

    assert upload(b"item,system\n1,a\n").status_code == 202
    assert upload(b"item,system\n1,a\n")["Idempotent-Replayed"] == "true"
    assert upload(b"item,system\n1,b\n").status_code == 422
    assert Import.objects.count() == Job.objects.count() == 1
    assert Import.objects.get().manifest_path.read_bytes() == b"item,system\n1,a\n"


@pytest.mark.parametrize("key", ["x" * 256, "a\x7fb"])
def test_key_that_is_none_is_refused(launcher: APIClient, draft: dict[str, Any], key: str) -> None:
    assert launcher.post(CAMPAIGNS, draft, headers={"Idempotency-Key": key}).status_code == 422


LOCAL = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "rates-of-tests"}
SHARED = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": django_settings.REDIS_URL}
needs_redis = pytest.mark.skipif(not django_settings.REDIS_URL, reason="REDIS_URL is not set")


@pytest.fixture
def rates(request: pytest.FixtureRequest, settings: Settings) -> Iterator[None]:
    settings.CACHES = settings.CACHES | {"rates": request.param | {"KEY_PREFIX": f"test-{uuid4()}"}}
    settings.API_RATE = "2/hour"
    yield
    caches["rates"].clear() if request.param is LOCAL else None


@pytest.mark.parametrize("rates", [LOCAL, pytest.param(SHARED, marks=needs_redis)], indirect=True)
@pytest.mark.usefixtures("rates")
def test_who_asks_too_often_is_told_when_to_come_again(campaign: Campaign) -> None:
    user = make_member(campaign, "viewer")
    one, other = caller(user), caller(user)

    replies = [one.get(CAMPAIGNS) for _ in range(2)]

    assert [it.status_code for it in replies] == [200, 200]
    assert [it["RateLimit"].split(";")[1] for it in replies] == ["r=1", "r=0"]
    assert replies[0]["RateLimit-Policy"] == '"api";q=2;w=3600'
    told = one.get(CAMPAIGNS)
    assert (told.status_code, told.json()["code"]) == (429, "throttled")
    detail = told.json()["detail"]
    assert detail.startswith("This token or person may ask 2 times in 3600 seconds."), detail
    assert "table of answers sent to imports/" in detail
    assert abs(int(told["Retry-After"]) - int(told["RateLimit"].partition("t=")[2])) <= 1
    assert other.get(CAMPAIGNS).status_code == 200


@pytest.mark.databases
@pytest.mark.parametrize("rates", [LOCAL, pytest.param(SHARED, marks=needs_redis)], indirect=True)
@pytest.mark.usefixtures("rates")
def test_requests_are_counted_together() -> None:
    """Each thread has a connection of its own to where they are counted, as each process has."""
    counted = []
    for _ in range(3):
        with ThreadPoolExecutor() as elsewhere:
            counted.append(elsewhere.submit(_counted, "somebody", keep_s=60).result())

    assert counted == [1, 2, 3]


@pytest.mark.databases
def test_requests_are_answered_while_redis_is_away(
    launcher: APIClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CACHES = settings.CACHES | {"rates": SHARED | {"LOCATION": "redis://127.0.0.1:1/0"}}

    assert launcher.get(CAMPAIGNS).status_code == 200
    assert "not counted" in caplog.text


@pytest.mark.parametrize(
    ("path", "code"), [("/api/v1/campaigns/", "error"), ("/api/v2/campaigns/", "not_found"), ("/api/", "not_found")]
)
def test_what_no_view_answers_is_a_problem_too(
    launcher: APIClient, monkeypatch: pytest.MonkeyPatch, path: str, code: str
) -> None:
    launcher.raise_request_exception = False
    monkeypatch.setattr("campaigns.launch.api.campaigns_with", lambda *_args: 1 / 0)

    response = launcher.get(path)

    assert response["Content-Type"] == "application/problem+json"
    assert (response.json()["status"], response.json()["code"]) == (response.status_code, code)
    assert "ZeroDivision" not in response.content.decode()


def test_refusal_has_the_code_of_its_reason_in_every_language(campaign: Campaign) -> None:
    admin = caller(make_member(campaign, "admin"))
    Campaign.objects.filter(pk=campaign.pk).update(status="closed")

    said = {
        language: admin.post(f"{CAMPAIGNS}{campaign.slug}/open/", HTTP_ACCEPT_LANGUAGE=language).json()
        for language in ("en", "de")
    }

    assert {(it["status"], it["code"], str(it["params"])) for it in said.values()} == {(409, "stays_closed", "{}")}
    assert said["en"]["detail"] == STAYS_CLOSED()
    assert said["de"]["detail"] not in ("", STAYS_CLOSED())


def test_refusal_without_a_reason_has_the_name_of_its_exception(campaign: Campaign) -> None:
    admin = caller(make_member(campaign, "admin"))
    Campaign.objects.filter(pk=campaign.pk).update(status="draft")
    CampaignUnit.objects.filter(campaign=campaign).delete()

    refused = admin.post(f"{CAMPAIGNS}{campaign.slug}/open/").json()

    assert (refused["status"], refused["code"], refused["params"]) == (409, "cannot_open", {})
    assert all(set(error) == {"field", "message", "code", "params"} for error in refused["errors"])


def test_field_of_a_form_says_by_a_code_what_is_wrong(launcher: APIClient) -> None:
    refused = launcher.post("/api/v1/language-models/", {"name": "", "base_url": "", "model": ""}).json()

    assert {error["code"] for error in refused["errors"]} <= {"required", "blank", "invalid"}
