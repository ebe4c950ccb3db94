"""The baselines, asked for by several people at the same moment."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from judges.models import Run
from judges.runs.baselines import start_baselines
from tests.factories import make_campaign

AT_ONCE = 4


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time, and locks no rows")
@pytest.mark.databases
@pytest.mark.django_db(transaction=True)
def test_baselines_that_are_asked_for_at_once_start_once() -> None:
    campaign = make_campaign(units=2)
    together, started = Barrier(AT_ONCE), []

    def ask() -> None:
        try:
            together.wait(timeout=30)
            started.append(start_baselines(campaign, user=campaign.created_by))
        finally:
            connection.close()

    threads = [Thread(target=ask) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    judges = list(Run.objects.values_list("judge__kind", flat=True))
    assert len(started) == AT_ONCE
    assert sorted(bool(runs) for runs in started) == [False] * (AT_ONCE - 1) + [True]
    assert len(judges) == len(set(judges)) > 1
