"""A server without a worker: whoever starts a long action is told so within five seconds, and what to do."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.server import Server
from tests.config.serving.clients import Visitor

pytestmark = pytest.mark.databases

SET_UP = """
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from tests.factories import UserFactory, make_campaign, make_member

campaign = make_campaign(status="draft")
user = make_member(campaign, "researcher", is_researcher=True)
session = import_module(settings.SESSION_ENGINE).SessionStore()
session.update({SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend"})
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(campaign.slug, session.session_key)
"""


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    server = Server(tmp_path, name="earshot_killed_tests", redis_database=8, like=installed)
    yield server
    server.kill()


def test_long_action_says_within_five_seconds_that_no_worker_runs_and_goes_on_when_one_does(server: Server) -> None:
    slug, session = server.shell(SET_UP).split()
    command = "celery -A config worker --beat" if "REDIS_URL" in server.env else "python manage.py serve"
    server.start(worker=False)
    researcher = Visitor(server, session)

    status, _ = researcher.fetch(f"/campaigns/{slug}/audio/", {"target_lufs": "-23"})
    started, page = time.monotonic(), ""
    while "no worker is running" not in page and time.monotonic() - started < 10:
        time.sleep(1)  # as the page does while the job is queued
        _, page = researcher.fetch(f"/campaigns/{slug}/", **{"HX-Request": "true"})

    assert time.monotonic() - started <= 5.5  # the request itself takes its time on a busy machine
    assert status == 302
    assert re.search(f"Queued, but no worker is running; start one with <code>{command}</code>", page)
    assert re.search(r'data-live-topic="job:[0-9a-f-]{36}" data-live-every="1"', page)
    _, home = researcher.fetch("/")
    assert "No worker is running." in home

    server.kill()
    server.start()

    deadline = time.monotonic() + 30
    while "data-live-every" in page:
        assert time.monotonic() < deadline, page
        time.sleep(0.5)
        _, page = researcher.fetch(f"/campaigns/{slug}/", **{"HX-Request": "true"})
    time.sleep(4)
    _, home = researcher.fetch("/")
    assert "No worker is running." not in home
    assert "A job failed: Preparation of audio" in home  # the clips have no files here
