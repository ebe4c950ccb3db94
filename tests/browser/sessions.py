"""Sessions of people who need not log in by the page; `server.shell("… import keep_sessions; keep_sessions()")`."""

from datetime import timedelta

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from tests.browser.conftest import session_of


def keep_sessions() -> None:
    """Everybody who has an account is logged in, as `log_in` assumes of the people of the demo."""
    for user in User.objects.all():
        kept = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
        Session.objects.update_or_create(
            session_key=session_of(user.username),
            defaults={
                "session_data": Session.objects.encode(kept),
                "expire_date": timezone.now() + timedelta(days=1),
            },
        )
