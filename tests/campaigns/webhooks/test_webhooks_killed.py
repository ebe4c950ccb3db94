"""SIGKILL while an event is on its way: none is lost, and what comes twice comes under the same id."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from campaigns.webhooks.hooks import add_webhook, send_test
from infrastructure.background import queues
from infrastructure.models import Delivery
from infrastructure.webhooks.deliveries import deliver_due
from tests.campaigns.webhooks.hooking import Receiver, receiving
from tests.factories import make_campaign
from tests.judges.runs.test_killed_workers import database_url
from tests.judges.server import wait_until
from tests.paths import PROJECT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]
LEASE_S = 1.0


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


@pytest.fixture
def sender(settings: Settings, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    settings.WEBHOOKS_ON_PRIVATE_ADDRESSES = settings.WEBHOOKS_OVER_HTTP = True
    allowed = {"WEBHOOKS_ON_PRIVATE_ADDRESSES": "true", "WEBHOOKS_OVER_HTTP": "true", "SECRET_KEY": "only-for-tests"}
    command = [sys.executable, "-m", "tests.campaigns.webhooks.sender_process", str(LEASE_S)]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            command, cwd=PROJECT, env=os.environ | allowed | {"DATABASE_URL": database_url()}, stdout=log, stderr=log
        ) as process,
    ):
        yield process
        process.kill()


def test_no_event_is_lost_with_the_process_that_sends_it(
    server: Receiver, sender: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues, "LEASE", timedelta(seconds=LEASE_S))
    server.answering.clear()
    campaign = make_campaign()
    hook, _secret = add_webhook(campaign, url=server.url, events=["campaign.closed"], user=campaign.created_by)
    rows = [send_test(hook) for _ in range(3)]

    wait_until(lambda: len(server.got) == 1, seconds=60)
    sender.kill()  # the event has arrived, and nobody here knows
    sender.wait()
    assert set(Delivery.objects.values_list("status", flat=True)) == {"waiting"}
    server.answering.set()
    wait_until(lambda: not deliver_due() and not Delivery.objects.filter(status="waiting").exists(), seconds=30)

    came = Counter((got.headers["webhook-id"], got.body) for got in server.got)
    assert sorted(came.values()) == [1, 1, 2]
    assert {key for key, _body in came} == {f"msg_{row.pk.hex}" for row in rows}
    assert sorted(Delivery.objects.values_list("status", "tries")) == [
        ("delivered", 1),
        ("delivered", 1),
        ("delivered", 2),
    ]
