"""The ASGI application: static files, pages and, over WebSocket, live updates."""

import os
import sys

import django
from channels.routing import ProtocolTypeRouter
from django.conf import settings
from servestatic import ServeStaticASGI

from config.pages import Pages

#: After every query a thread waits for the interpreter until whoever has it was there so long (s): a vote has thirty
#: queries, so that Python's 5 ms add up while others compute.
TURN_S = 0.0005
sys.setswitchinterval(TURN_S)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from config.resting import let_rest  # noqa: E402 - these need the apps, which are there by now
from config.routing import live_pages  # noqa: E402


def is_hashed(_path: str, url: str) -> bool:
    """Whether a static file's name carries its content hash, so that a browser may keep it for ever."""
    stem_and_hash = url.rsplit("/", 1)[-1].split(".")
    return len(stem_and_hash) >= 3 and len(stem_and_hash[-2]) == 12


application = ProtocolTypeRouter(
    {
        "http": ServeStaticASGI(
            Pages(),
            root=settings.STATIC_ROOT,
            prefix=settings.STATIC_URL,
            allow_all_origins=False,
            immutable_file_test=is_hashed,
        ),
        "websocket": live_pages,
    }
)
let_rest()
