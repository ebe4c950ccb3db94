"""A time of day that tests set, and looks that are remembered as on a server."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone
from pytest_django import Settings


class Clock:
    """What `timezone.now()` says."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[Clock]:
    local = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "looks-of-tests"}
    settings.CACHES = settings.CACHES | {"looks": local}
    clock = Clock(timezone.now())
    monkeypatch.setattr(timezone, "now", lambda: clock.at)
    yield clock
    caches["looks"].clear()
