"""The worker inside the web process keeps up with the clock."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import PROJECT

pytestmark = pytest.mark.databases

#: Sends more tasks than the clock does in half a minute, and says how many were done in a few seconds.
SCRIPT = """
import threading, time
import django
django.setup()
from celery import shared_task
from config.celery import app
from config.serving.worker import start_in_process_worker

done = threading.Semaphore(0)

@app.task(name="tests.nothing")
def nothing():
    done.release()

app.conf.beat_schedule = {}
start_in_process_worker(app)
for _ in range(60):
    nothing.delay()
deadline = time.monotonic() + 10
print(sum(done.acquire(timeout=max(0.0, deadline - time.monotonic())) for _ in range(60)))
"""


def test_worker_in_the_web_process_keeps_up_with_the_clock(tmp_path: Path) -> None:
    env = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "EARSHOT_DATA": str(tmp_path),
        "SECRET_KEY": "worker-tests",
    }
    for name in ("REDIS_URL", "DATABASE_URL"):
        env.pop(name, None)

    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=PROJECT, env=env, capture_output=True, text=True, timeout=60, check=True
    )

    assert said.stdout.split() == ["60"]
