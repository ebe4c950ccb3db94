"""What the log says, to whom it belongs, and that nobody is named in it."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from logging.config import dictConfig
from typing import Any

import pytest
from celery import current_app, signals
from celery.app.trace import TraceInfo
from celery.contrib.testing.tasks import ping
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext_lazy
from pytest_django import Settings

from accounts.models import User
from accounts.tokens.tokens import READ, make_token
from analytics.home import views as home_module
from annotation.models import Annotation
from campaigns.people.consent import new_version
from config.operations.logs import told
from config.operations.tracing import pseudonym
from infrastructure.background import jobs, kinds
from infrastructure.background.kinds import JobKind
from infrastructure.models import Job
from judges.kinds.contract import Case, Tools
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, UserFactory, make_campaign, make_invitation
from tests.judges.running import ASKER, a_judge, a_run, kind_added, worked

pytestmark = pytest.mark.django_db

NAME, MAIL, PASSWORD = "Rumpelstiltskin", "gold@straw.example", "spindle-and-wheel"
ADDRESS, PID, SAID, FILE = "203.0.113.77", "rareparticipant", "raresaying", "rarefile"
REQUEST_ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture(params=["json", "line"])
def log(request: pytest.FixtureRequest, settings: Settings) -> Iterator[io.StringIO]:
    """All that goes to the log, as the settings write it, and more: the quiet loggers speak, too."""
    settings.LOG_REQUESTS = True
    written = io.StringIO()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    console = {**django_settings.LOGGING["handlers"]["console"], "formatter": request.param, "stream": written}
    dictConfig(
        django_settings.LOGGING
        | {"handlers": {"console": console}, "root": {"handlers": ["console"], "level": "INFO"}, "loggers": {}}
    )
    yield written
    for handler in list(root.handlers):
        root.removeHandler(handler)
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


AS_JSON = pytest.mark.parametrize("log", ["json"], indirect=True)


def browser(**extra: Any) -> Client:
    return Client(raise_request_exception=False, REMOTE_ADDR=ADDRESS, **extra)


def fail(words: str) -> Callable[..., Any]:
    def broken(*_args: object, **_kwargs: object) -> Any:
        raise RuntimeError(words)

    return broken


# -- nobody is named ---------------------------------------------------------------------------------------------


def logs_in_and_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Wrongly and rightly, past the right to a page, and by a token; then a page breaks over the person's name."""
    user = UserFactory(username=NAME, email=MAIL, is_researcher=True)
    user.set_password(PASSWORD)
    user.save()
    _row, token = make_token(user, name="script", scopes=[READ], days=3)
    guest = browser()
    for password in ("wrong", PASSWORD):
        guest.post(reverse("login"), {"username": NAME, "password": password})
    guest.get(f"/nothing/{NAME}/?mail={MAIL}&key={token}")
    guest.get("/campaigns/not-mine/", headers={"Authorization": f"Bearer {token}"})
    guest.post(reverse("logout") + f"?who={NAME}")
    browser().get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    browser(enforce_csrf_checks=True).post(reverse("login"), headers={"Referer": f"http://x.example/?u={MAIL}"})
    monkeypatch.setattr(home_module, "render", fail(f"no page for {NAME} <{MAIL}> at {ADDRESS} with {token}"))
    guest.force_login(user)
    assert guest.get("/").status_code == 500
    return [token, PASSWORD]


def joins_and_labels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    campaign = make_campaign(units=1)
    deliver_fakes(campaign)
    new_version(campaign, text="We keep what you say.", user=campaign.created_by)
    link = make_invitation(campaign, panel="prolific", code_completed="DONE")
    page = browser()
    panel = {"PROLIFIC_PID": PID, "STUDY_ID": "s", "SESSION_ID": "t"}
    form = page.get(reverse("join", args=[link.token]), panel).content.decode()
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    page.post(reverse("join", args=[link.token]), hidden | {"agree": hidden.get("agree", "1")})
    page.get(reverse("join", args=[f"{link.token}x"]))
    shown = page.get(reverse("label", args=[campaign.slug])).content.decode()
    (clip,) = (
        re.findall(r'data-clip="[^"]*" data-url="([^"]+)"', shown)[:1] or re.findall(r"(/listen/[\w:.-]+)", shown)[:1]
    )
    page.get(clip)
    page.get(f"{clip}x")
    url = reverse("answer", args=[campaign.slug, re.findall(r'data-assignment="([0-9a-f-]{36})"', shown)[0]])
    page.post(url, {"overall": SAID})
    page.post(url, {**DIRECT_ANSWERS, "note.flag": SAID, "idempotency_key": "k"})
    monkeypatch.setattr("annotation.label_page.views.render", fail(f"{PID} said {SAID}"))
    page.get(reverse("label", args=[campaign.slug]))
    assert Annotation.objects.get().flag == SAID
    return [link.token, clip, page.session.session_key or "no session"]


def fails_to_import(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A table and a ZIP of somebody's under telling names, which break in every way that there is."""
    user = UserFactory(username=NAME, email=MAIL, is_researcher=True)
    page = browser()
    page.force_login(user)
    for archive in (b"no zip", b"PK\x05\x06" + bytes(18)):
        files = {
            "manifest": SimpleUploadedFile(f"{FILE}-{NAME}.csv", f"{NAME},{MAIL}\n{SAID}\n".encode()),
            "archive": SimpleUploadedFile(f"{FILE}.zip", archive),
        }
        page.post(reverse("import-new"), {"dataset_name": "Set", "label_set_name": "Labels", **files})
    broken = JobKind("broken", gettext_lazy("broken"), fail(f"row of {NAME} in {FILE}"))
    monkeypatch.setitem(kinds._kinds, "broken", broken)
    jobs.start_job("broken", subject=1, started_by=user)
    for job in Job.objects.all():
        jobs.run_job(job.pk)
    assert set(Job.objects.values_list("status", flat=True)) == {"failed"}
    return []


def fails_to_judge(_monkeypatch: pytest.MonkeyPatch) -> list[str]:
    campaign = make_campaign(units=1)

    def judge(case: Case, _settings: Any, _tools: Tools) -> Any:
        raise RuntimeError(f"{SAID}: {case.prompt}") from IntegrityError(f"DETAIL: Key (username)=({NAME})")

    with kind_added(replace(ASKER, name="broken", judge=judge, asks_model=False)):
        run = worked(a_run(campaign, a_judge(campaign, "broken")))
    assert run.verdicts.get().status == "error"
    return []


@pytest.mark.parametrize("happens", [logs_in_and_out, joins_and_labels, fails_to_import, fails_to_judge])
def test_nobody_is_named_whatever_happens(
    happens: Callable[[pytest.MonkeyPatch], list[str]],
    log: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    secrets = happens(monkeypatch)

    written = log.getvalue().casefold()
    assert "runtimeerror" in written
    rare = [NAME, MAIL, PASSWORD, ADDRESS, PID, SAID, FILE, *secrets]
    assert [word for word in rare if word.casefold() in written] == []


def test_failed_task_is_told_without_its_arguments_and_its_errors_words(log: io.StringIO) -> None:
    task = current_app.tasks[ping.name]
    request = {"id": "t1", "args": (MAIL,), "kwargs": {"name": NAME}, "hostname": "w", "is_eager": False}
    task.push_request(**request)
    try:
        fail(NAME)()
    except RuntimeError as error:
        TraceInfo("FAILURE", error).handle_failure(task, task.request, store_errors=False)
    finally:
        task.pop_request()

    assert "RuntimeError" in log.getvalue()
    assert [word for word in (NAME, MAIL) if word in log.getvalue()] == []


# -- what it says ------------------------------------------------------------------------------------------------


@AS_JSON
def test_line_of_a_request_says_who_asked_for_what_by_names_that_are_none(log: io.StringIO) -> None:
    user = UserFactory()
    page = browser()
    page.force_login(user)

    page.get("/account/tokens/?key=secret", headers={"X-Request-ID": REQUEST_ID})
    page.get("/datasets/")

    found = [line for line in lines(log) if line["logger"] == "earshot.requests"]
    first = found[0]
    assert {name: first[name] for name in ("request", "user", "message")} == {
        "request": REQUEST_ID,
        "user": pseudonym(user.pk),
        "message": "answered",
    }
    assert isinstance(first["ms"], float)
    assert found[1]["view"] == "datasets"
    assert found[1]["user"] == pseudonym(user.pk) != found[1]["request"] != REQUEST_ID


@each("given", ["", "short", f"{NAME}-0123456789", "0" * 65, "0123456789abcdef\r\nx: y"], undo=True)
def test_id_that_names_or_breaks_something_is_replaced(client: Client, given: str) -> None:
    told = client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]

    assert re.fullmatch("[0-9a-f]{32}", told)


def test_good_id_comes_back_also_with_a_refusal(client: Client) -> None:
    for path in ("/healthz", "/datasets/", "/nothing-here/"):
        assert client.get(path, headers={"X-Request-ID": REQUEST_ID})["X-Request-ID"] == REQUEST_ID


@AS_JSON
def test_request_that_is_at_fault_itself_is_a_warning_in_one_line(log: io.StringIO) -> None:
    page = browser()
    page.force_login(UserFactory())
    too_many = {f"field-{n}": "" for n in range(2000)}

    refused = {
        page.post(reverse("login"), too_many).status_code,
        page.get("/accounts/people/").status_code,
        page.get("/", headers={"Host": "elsewhere.example"}).status_code,
        page.post("/api/v1/recipes/", "{", content_type="application/json").status_code,
    }

    assert refused == {400, 403}
    said = [line for line in lines(log) if line["logger"].startswith(("django.request", "django.security"))]
    assert len(said) >= 4
    assert {line["level"] for line in said} == {"WARNING"}
    assert [line for line in said if "error" in line] == []


@AS_JSON
def test_error_pages_show_the_id_that_the_log_has(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    page = browser()
    page.force_login(UserFactory())
    monkeypatch.setattr(home_module, "render", fail("broken"))

    shown = [page.get(path).content.decode() for path in ("/", "/campaigns/nowhere/")]
    shown.append(browser(enforce_csrf_checks=True).post(reverse("login")).content.decode())
    shown.append(browser(headers={"host": "elsewhere.example"}).get("/").content.decode())

    ids = [re.search(r"data-request-id>([0-9a-f]{32})<", text) for text in shown]
    assert all(ids)
    errors = [line for line in lines(log) if "error" in line]
    assert errors[0]["request"] == ids[0][1]  # type: ignore[index]
    assert errors[0]["message"] == "Internal Server Error: home"


def test_error_is_told_by_its_kind_its_lines_of_code_and_its_causes() -> None:
    try:
        try:
            raise IntegrityError(f"Key (username)=({NAME})")  # noqa: TRY301 - the log shows this line
        except IntegrityError as cause:
            raise ValueError(NAME) from cause
    except ValueError as error:
        text = told((ValueError, error, error.__traceback__))

    assert re.findall(r"^[\w.]+Error.*$", text, re.M) == ["builtins.ValueError", "django.db.utils.IntegrityError"]
    assert "raise ValueError(NAME) from cause" in text


def test_words_of_the_system_and_of_servers_are_kept() -> None:
    full = OSError(28, "No space left on device", f"/home/{NAME}")
    locked = OperationalError("database is locked")

    assert told((OSError, full, None)) == "builtins.OSError: No space left on device"
    assert told((OperationalError, locked, None)) == "django.db.utils.OperationalError: database is locked"


@each(
    "said, kept",
    [
        ("mail to a.b@c.example now", "mail to [hidden] now"),
        ("from 10.0.0.7:443", "from [hidden]:443"),
        ("from 2001:db8::1 and ::1", "from [hidden] and [hidden]"),
        ("GET /x?key=secret&a=b HTTP", "GET /x?[hidden] HTTP"),
        ("Bearer earshot_abcDEF", "Bearer [hidden]"),
        ("at 12:34:56,789 in 3.11.4", "at 12:34:56,789 in 3.11.4"),
    ],
    undo=True,
)
def test_second_net_hides_addresses_tokens_and_queries(log: io.StringIO, said: str, kept: str) -> None:
    logging.getLogger("earshot.test").warning(said)

    assert kept in log.getvalue()


# -- tasks -------------------------------------------------------------------------------------------------------


@AS_JSON
def test_task_belongs_to_the_request_that_asked_for_it(log: io.StringIO) -> None:
    """As the signals come: the message is sent in a request, and the work is done elsewhere."""
    sent: dict[str, Any] = {}

    class Request:
        request_id = REQUEST_ID

    class Task:
        name, request = "infrastructure.tasks.run_job_task", Request

    def publish(*_args: object, **_kwargs: object) -> Any:
        signals.before_task_publish.send(sender="x", headers=sent)
        raise RuntimeError

    patch = pytest.MonkeyPatch()
    patch.setattr(home_module, "render", publish)
    page = browser()
    page.force_login(UserFactory())
    page.get("/", headers={"X-Request-ID": REQUEST_ID})
    patch.undo()
    signals.task_prerun.send(sender=Task, task_id="t1", task=Task)
    logging.getLogger("earshot.test").warning("at work")
    signals.task_postrun.send(sender=Task, task_id="t1", task=Task)
    logging.getLogger("earshot.test").warning("afterwards")

    assert sent == {"request_id": REQUEST_ID}
    work, afterwards = lines(log)[-2:]
    assert (work["request"], work["task"]) == (REQUEST_ID, "infrastructure.tasks.run_job_task t1")
    assert "request" not in afterwards
    assert "task" not in afterwards


def test_pseudonym_is_not_the_number_of_the_account() -> None:
    user: User = UserFactory()

    assert re.fullmatch("[0-9a-f]{12}", pseudonym(user.pk))
    assert pseudonym(user.pk) != pseudonym(user.pk + 1)
