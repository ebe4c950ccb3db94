from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore


@shared_task
def clear_expired_sessions_task() -> None:
    """A session that is over may still hold a participant number, of somebody who looked in and did not join."""
    SessionStore.clear_expired()
