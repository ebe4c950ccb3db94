from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.tasks import clear_expired_sessions_task

pytestmark = pytest.mark.django_db


def test_sessions_that_are_over_are_deleted_and_no_others() -> None:
    now = timezone.now()
    for name, hours in (("over", -1), ("going on", 1)):
        Session.objects.create(session_key=name, session_data="", expire_date=now + timedelta(hours=hours))

    clear_expired_sessions_task()

    assert [row.session_key for row in Session.objects.all()] == ["going on"]
