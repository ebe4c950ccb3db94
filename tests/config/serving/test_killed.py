"""The power goes while people label and a worker imports: what was acknowledged is there, and the rest goes on."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.server import Server
from tests.config.serving.clients import Labeller, Visitor

pytestmark = pytest.mark.databases

UNITS, TARGET, PEOPLE, CLIPS = 40, 2, 5, 300

SET_UP = f"""
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from tests.factories import UserFactory, make_campaign, make_member

def logged_in(user):
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    backend = "django.contrib.auth.backends.ModelBackend"
    session.update({{SESSION_KEY: str(user.pk), BACKEND_SESSION_KEY: backend}})
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session.session_key

campaign = make_campaign(units={UNITS}, answers_per_unit={TARGET})
print("slug", campaign.slug)
for _ in range({PEOPLE}):
    print("labeller", logged_in(make_member(campaign)))
print("researcher", logged_in(UserFactory(is_researcher=True, username="ruth")))
"""

IMPORT = """
import io, zipfile
import numpy, soundfile
from django.core.files.uploadedfile import SimpleUploadedFile
from accounts.models import User
from corpus.imports.uploads.actions import begin_import

rng = numpy.random.default_rng(1)
packed, rows = io.BytesIO(), ["item,turn,prompt_text,system,response_audio"]
with zipfile.ZipFile(packed, "w") as archive:
    for n in range({clips}):
        wav = io.BytesIO()
        soundfile.write(wav, rng.normal(0, 0.1, 16_000 * 4), 16_000, format="WAV", subtype="PCM_16")
        archive.writestr(f"{{n}}.wav", wav.getvalue())
        rows.append(f"item{{n // 2}},1,Why?,{{('alpha', 'beta')[n % 2]}},{{n}}.wav")
manifest = SimpleUploadedFile("manifest.csv", "\\n".join(rows).encode())
archive = SimpleUploadedFile("audio.zip", packed.getvalue())
row = begin_import(user=User.objects.get(username="ruth"), dataset_name="Set", manifest=manifest, archive=archive)
print("import", row.pk)
"""
#: As if the lease of what the dead worker was at had run out: a minute is too long for a test.
LEASE_OVER = """
from datetime import timedelta
from django.utils import timezone
from infrastructure.models import Job
print("cut off", Job.objects.filter(status="running").update(heartbeat_at=timezone.now() - timedelta(minutes=2)))
"""


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    server = Server(tmp_path, name="earshot_killed_tests", redis_database=8, like=installed)
    yield server
    server.kill()


def until(true: Callable[[], bool], what: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"waited {seconds} s for this: {what}"
        time.sleep(0.05)


def answered(people: list[Labeller]) -> int:
    return sum(len(person.acknowledged) for person in people)


def job_states(server: Server) -> list[tuple[str, bool]]:
    rows = server.rows("SELECT status, done > 0 FROM infrastructure_job ORDER BY created_at")
    return [(status, bool(begun)) for status, begun in rows]


def test_kill_in_mid_campaign_and_mid_import_loses_nothing_and_leaves_nothing_stuck(server: Server) -> None:
    told = [line.split() for line in server.shell(SET_UP).splitlines()]
    slug = next(value for name, value in told if name == "slug")
    people = [Labeller(Visitor(server, value), slug) for name, value in told if name == "labeller"]
    server.start()
    server.shell(IMPORT.format(clips=CLIPS))

    until(lambda: job_states(server)[0][0] == "running", "the import is under way")
    for person in people:
        person.start()
    until(lambda: job_states(server)[0][1] and answered(people) >= 5, "both are under way")
    server.kill()
    assert job_states(server) == [("running", True)]
    assert 5 <= answered(people) < UNITS * TARGET
    assert server.shell(LEASE_OVER).split() == ["cut", "off", "1"]
    server.start()

    for person in people:
        person.join()
    until(lambda: job_states(server)[0][0] not in ("queued", "running"), "the import is checked")
    assert [person.refused for person in people] == [[]] * PEOPLE
    assert any(person.cut_off for person in people)
    assert job_states(server)[0][0] == "succeeded"
    stored = Counter(
        str(row[0]).replace("-", "") for row in server.rows("SELECT assignment_id FROM annotation_annotation")
    )
    acknowledged = Counter(unit.replace("-", "") for person in people for unit in person.acknowledged)
    assert set(acknowledged) <= set(stored)
    assert set(stored.values()) == {1}
    per_unit = server.rows(
        "SELECT campaign_unit_id, COUNT(*) FROM annotation_assignment WHERE status = 'answered' GROUP BY 1"
    )
    assert Counter(n for _, n in per_unit) == {TARGET: UNITS}
    assert server.rows("SELECT COUNT(*) FROM annotation_assignment WHERE status = 'reserved'") == [(0,)]
