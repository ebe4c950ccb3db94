from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore

from accounts.api.repetition import forget_replies
from accounts.login.attempts import forget_attempts
from accounts.login.password_links import send_password_links


@shared_task
def clear_expired_sessions_task() -> None:
    """A session that is over may still hold a participant number, of somebody who looked in and did not join."""
    SessionStore.clear_expired()


@shared_task
def forget_replies_task() -> None:
    """Replies that are kept for requests sent again are only kept for a day."""
    forget_replies()


@shared_task
def forget_attempts_task() -> int:
    return forget_attempts()


@shared_task
def send_password_links_task(sealed_email: str, host: str, secure: bool, language: str) -> None:
    send_password_links(sealed_email, host=host, secure=secure, language=language)
