"""The ASGI application: static files, pages and, over WebSocket, live updates."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path
from servestatic import ServeStaticASGI

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

pages = get_asgi_application()

# What follows needs the apps to be there.
from arena.subjects import watched_subject  # noqa: E402
from campaigns.consumers import GUARDS, LiveConsumer  # noqa: E402
from config.origins import SameOrigin  # noqa: E402


def is_hashed(_path: str, url: str) -> bool:
    """Whether a static file's name carries its content hash, so that a browser may keep it for ever."""
    stem_and_hash = url.rsplit("/", 1)[-1].split(".")
    return len(stem_and_hash) >= 3 and len(stem_and_hash[-2]) == 12


class Live(LiveConsumer):
    guards = {**GUARDS, "standing": watched_subject}


application = ProtocolTypeRouter(
    {
        "http": ServeStaticASGI(
            pages,
            root=settings.STATIC_ROOT,
            prefix=settings.STATIC_URL,
            allow_all_origins=False,
            immutable_file_test=is_hashed,
        ),
        "websocket": SameOrigin(AuthMiddlewareStack(URLRouter([path("live/", Live.as_asgi())]))),
    }
)
