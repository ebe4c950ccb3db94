from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore

from accounts.api.repetition import forget_replies
from accounts.login.attempts import forget_attempts
from accounts.login.password_links import send_password_links


@shared_task
def clear_expired_sessions_task() -> None:
    """An expired session may still contain the participant number of a visitor who did not join."""
    SessionStore.clear_expired()


@shared_task
def forget_replies_task() -> None:
    """Responses that are stored for repeated requests are deleted after a day."""
    forget_replies()


@shared_task
def forget_attempts_task() -> int:
    return forget_attempts()


@shared_task
def send_password_links_task(sealed_email: str, host: str, secure: bool, language: str) -> None:
    send_password_links(sealed_email, host=host, secure=secure, language=language)
