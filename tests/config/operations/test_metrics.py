"""What Prometheus is told: by whom it may be asked, and that each figure is that of the rows."""

import asyncio
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from analytics.data.votes.counts import folded
from annotation.answers.submit import record_answers
from campaigns.models import Campaign
from config.operations.metrics import WEBSOCKETS, CountedSockets, Installation
from infrastructure.models import Job, WorkerBeat
from judges.models import Verdict
from tests.factories import DIRECT_ANSWERS, UserFactory, make_assignment, make_campaign, make_member
from tests.judges.running import a_judge, a_run
from tests.paths import PROJECT

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-some-length"
Figures = dict[tuple[str, tuple[str, ...]], float]


@pytest.fixture
def asked(client: Client, settings: Settings) -> Any:
    """A function: every figure by its name and the values of its labels, in the order of their names."""
    settings.METRICS_TOKEN = TOKEN

    def ask() -> Figures:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return read(response.content.decode())

    return ask


def read(text: str) -> Figures:
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def grown(before: Figures, after: Figures, name: str, *labels: str) -> float:
    return after[name, labels] - before.get((name, labels), 0)


# -- who may ask -------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_without_a_token_there_is_no_such_page(client: Client) -> None:
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("shown", ["", "Bearer ", "Bearer wrong", TOKEN, f"Basic {TOKEN}"])
def test_another_token_is_refused_and_told_nothing(client: Client, settings: Settings, shown: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    client.force_login(UserFactory(is_superuser=True))

    refused = client.get("/metrics", headers={"Authorization": shown})

    assert (refused.status_code, refused.content) == (401, b"")
    assert client.post("/metrics").status_code == 405


@pytest.mark.databases
def test_token_that_can_be_guessed_stops_the_start() -> None:
    script = "from config import settings"
    env = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "METRICS_TOKEN": "secret"}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, env=env, capture_output=True, text=True, check=False
    )

    assert run.returncode == 1
    assert f"{ImproperlyConfigured.__name__}: METRICS_TOKEN" in run.stderr


# -- what this process counted -----------------------------------------------------------------------------------


def test_requests_are_counted_and_timed_by_view_and_status(asked: Any, client: Client) -> None:
    before = asked()
    client.get("/datasets/")
    client.get("/no/such/place/")
    client.get("/listen/some-secret-token")
    client.generic("RUMPELSTILTSKIN", "/healthz")
    after = asked()

    assert grown(before, after, "earshot_requests_total", "GET", "302", "datasets") == 1
    assert grown(before, after, "earshot_requests_total", "GET", "404", "nowhere") == 1
    assert grown(before, after, "earshot_requests_total", "GET", "302", "listen") == 1
    assert grown(before, after, "earshot_requests_total", "other", "405", "healthz") == 1
    assert grown(before, after, "earshot_request_seconds_count", "datasets") == 1
    assert grown(before, after, "earshot_request_seconds_bucket", "+Inf", "datasets") == 1
    assert "secret" not in repr(after).casefold()


@pytest.mark.databases
def test_open_live_pages_are_counted_until_they_go_however_they_go(asked: Any) -> None:
    seen = []

    async def page(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        seen.append(asked_inside())
        raise ConnectionError

    async def refused(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "websocket.close"})
        seen.append(asked_inside())

    async def ignore(_message: Any) -> None: ...

    def asked_inside() -> float:
        return float(WEBSOCKETS._value.get())

    before = asked()["earshot_open_websockets", ()]
    with pytest.raises(ConnectionError):
        asyncio.run(CountedSockets(page)({}, None, ignore))
    asyncio.run(CountedSockets(refused)({}, None, ignore))

    assert seen == [before + 1, before]
    assert asked()["earshot_open_websockets", ()] == before


def test_processes_that_share_a_port_add_up(tmp_path: Path) -> None:
    count = (
        "import django; django.setup(); from config.operations import metrics as m; "
        "m.REQUESTS.labels('home', 'GET', 200).inc()"
    )
    show = "; print(m.generate_latest(m._of_processes()).decode())"
    env = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "-c", count]
    subprocess.run(command, cwd=PROJECT, env=env, check=True)
    said = subprocess.run(
        [*command[:2], count + show], cwd=PROJECT, env=env, check=True, capture_output=True, text=True
    )

    assert read(said.stdout)["earshot_requests_total", ("GET", "200", "home")] == 2


# -- what the database has ---------------------------------------------------------------------------------------


def test_figures_are_those_of_the_rows(asked: Any) -> None:
    campaign = make_campaign(units=3)
    answer(campaign)
    folded(campaign)  # its votes are kept counts from now on, those of the next are not
    answer(campaign)
    make_judged(campaign)
    now = timezone.now()
    Job.objects.create(kind="x", subject="1", started_by=campaign.created_by)
    Job.objects.update(created_at=now - timedelta(seconds=90))
    WorkerBeat.objects.create(name="w", seen_at=now - timedelta(seconds=7))

    found = asked()

    assert found["earshot_annotations", ()] == 2
    assert found["earshot_votes", ()] == 8
    assert [found["earshot_verdicts", (status,)] for status in ("waiting", "ok", "error")] == [2, 0, 1]
    assert [found["earshot_jobs", (status,)] for status in ("queued", "running", "failed")] == [1, 0, 0]
    assert found["earshot_campaigns", ("open",)] == Campaign.objects.count() == 1
    assert 90 <= found["earshot_oldest_queued_job_seconds", ()] < 120
    assert 7 <= found["earshot_worker_heartbeat_age_seconds", ()] < 37
    assert found["earshot_database_bytes", ()] > 100_000
    assert found["earshot_disk_free_bytes", ()] <= found["earshot_disk_bytes", ()]
    assert found["earshot_database_up", ()] == 1


def answer(campaign: Campaign) -> None:
    annotator = make_member(campaign)
    assignment = make_assignment(campaign, annotator, seat=annotator.pk)
    record_answers(assignment.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")


def make_judged(campaign: Campaign) -> None:
    """Two verdicts to do and one that failed."""
    run = a_run(campaign, a_judge(campaign))
    Verdict.objects.filter(pk=run.verdicts.order_by("pk")[0].pk).update(status="error", judged_at=timezone.now())


@pytest.mark.databases
def test_rows_are_asked_a_dozen_questions_however_many_there_are() -> None:
    for _ in range(3):
        make_judged(make_campaign(units=2))

    with CaptureQueriesContext(connection) as asked:
        list(Installation().collect())

    assert len(asked) <= 12


@pytest.mark.databases
def test_database_that_is_away_is_told_and_the_rest_is_there(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", refuse)
    found = asked()

    assert found["earshot_database_up", ()] == 0
    assert found["earshot_disk_free_bytes", ()] > 0
    assert ("earshot_annotations", ()) not in found


def test_labels_name_states_views_and_kinds_alone(asked: Any) -> None:
    campaign = make_campaign(units=1)
    make_judged_names = {campaign.title, campaign.slug, campaign.created_by.username}
    asked()

    words = {word for name, labels in asked() for word in labels if name.startswith("earshot_")}

    assert words & make_judged_names == set()
    assert all(re.fullmatch(r"[\w:.+-]+", word) for word in words)
